#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "jobs/damage/corpus_test.hpp"

#include <zstd.h>

#include <algorithm>
#include <fstream>

namespace orbis::jobs::damage {

namespace {

using Affected = std::optional<std::set<ChunkPos>>;

Affected all_chunks(const Patient& patient) {
    const auto chunks = patient.chunks();
    return std::set<ChunkPos>(chunks.begin(), chunks.end());
}

/// Breaks bytes of the header; the index stays good.
Kind header(std::string name, std::size_t offset, std::string bytes) {
    return {std::move(name), {"container.header"}, Cure::repair, [=](const Patient& patient) -> Affected {
                patient.edit_file([&](Buffer& file) {
                    std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(offset));
                });
                return std::set<ChunkPos>{};
            }};
}

Kind cut(std::string name, std::size_t size) {
    return {std::move(name), {"container.short"}, Cure::from, [=](const Patient& patient) -> Affected {
                auto affected = all_chunks(patient);
                patient.edit_file([&](Buffer& file) { file.resize(size); });
                return affected;
            }};
}

/// Breaks one chunk, the second in the file.
Kind chunk(std::string name, std::vector<std::string> codes, Cure cure,
           std::function<void(const Patient&, ChunkPos)> apply) {
    return {std::move(name), std::move(codes), cure,
            [apply = std::move(apply)](const Patient& patient) -> Affected {
                const auto pos = patient.chunks().at(1);
                apply(patient, pos);
                return std::set<ChunkPos>{pos};
            }};
}

/// Puts a frame of one's own into the place of a chunk that is long enough for it.
void put_frame(const Patient& patient, ChunkPos pos, Bytes frame, std::int32_t raw_size) {
    const auto offset = patient.blob_offset(pos);
    patient.edit_file([&](Buffer& file) {
        store_be(file.data() + offset, raw_size);
        store_be(file.data() + offset + 4, static_cast<std::int32_t>(frame.size()));
        if (file.size() < offset + 8 + frame.size()) file.resize(offset + 8 + frame.size());
        std::ranges::copy(frame, file.begin() + static_cast<std::ptrdiff_t>(offset + 8));
    });
}

} // namespace

std::vector<Kind> container_kinds() {
    using std::string_literals::operator""s;
    std::vector<Kind> kinds{
        header("HeaderMagic", 3, "XX"),
        header("HeaderVersion", 20, "\0\0\0\7"s),
        header("HeaderBlobCount", 24, "\0\0\0\0"s),
        header("HeaderSegmentSize", 28, "\xFF\xFF\xFF\xFF"s),
        cut("EmptyFile", 0),
        cut("CutInHeader", 10),
        cut("CutInIndex", 2000),
    };
    kinds.push_back(
        {"FirstPageZeroed", {"container.header"}, Cure::from, [](const Patient& patient) -> Affected {
             auto affected = all_chunks(patient);
             patient.edit_file([](Buffer& file) { std::fill_n(file.begin(), 4096, std::uint8_t{0}); });
             return affected;
         }});
    kinds.push_back(
        {"CutInTheLastChunk", {"container.cut-off"}, Cure::from, [](const Patient& patient) -> Affected {
             const auto last = patient.chunks().back();
             const auto size = patient.blob_offset(last) + 8 + patient.frame_size(last) / 2;
             patient.edit_file([&](Buffer& file) { file.resize(size); });
             return std::set<ChunkPos>{last};
         }});
    kinds.push_back({"CutBeforeTheLastChunk",
                     {"container.entry-outside"},
                     Cure::remove,
                     [](const Patient& patient) -> Affected {
                         const auto last = patient.chunks().back();
                         const auto size = patient.blob_offset(last);
                         patient.edit_file([&](Buffer& file) { file.resize(size); });
                         return std::set<ChunkPos>{last};
                     }});
    kinds.push_back(chunk("EntryFarAway", {"container.entry-outside"}, Cure::from,
                          [](const Patient& p, ChunkPos pos) { p.set_entry(pos, 0x7FFFFFFF); }));
    kinds.push_back(chunk("EntryNegative", {"container.entry-outside"}, Cure::remove,
                          [](const Patient& p, ChunkPos pos) { p.set_entry(pos, -5); }));
    kinds.push_back(chunk("EntryZeroed", {"container.orphans"}, Cure::none,
                          [](const Patient& p, ChunkPos pos) { p.set_entry(pos, 0); }));
    kinds.push_back({"EntriesSwapped",
                     {"entity.outside", "chunk.misplaced"},
                     Cure::repair,
                     [](const Patient& patient) -> Affected {
                         const auto lively = patient.find_all(
                             [](const auto& chunk) { return chunk.entities().holders().size() >= 2; });
                         if (lively.size() < 2) return std::nullopt;
                         const auto a = patient.entry(lively[0]);
                         const auto b = patient.entry(lively[1]);
                         patient.set_entry(lively[0], b);
                         patient.set_entry(lively[1], a);
                         return std::set<ChunkPos>{lively[0], lively[1]};
                     }});
    kinds.push_back(
        {"EntryDuplicated", {"container.overlap"}, Cure::from, [](const Patient& patient) -> Affected {
             const auto quiet =
                 patient.find_all([](const auto& chunk) { return chunk.entities().holders().empty(); });
             if (quiet.size() < 2) return std::nullopt;
             patient.set_entry(quiet[1], patient.entry(quiet[0]));
             return std::set<ChunkPos>{quiet[0], quiet[1]};
         }});
    kinds.push_back({"EntryIntoTheMiddleOfAnother",
                     {"container.lengths"},
                     Cure::from,
                     [](const Patient& patient) -> Affected {
                         for (const auto pos : patient.chunks()) {
                             if (patient.frame_size(pos) < 4200) continue;
                             const auto other = patient.chunks().front() == pos ? patient.chunks().at(1)
                                                                                : patient.chunks().front();
                             patient.set_entry(other, patient.entry(pos) + 1);
                             // What is there is not a header: make sure of it.
                             patient.put_i32(patient.blob_offset(pos) + 4096 + 4, -1);
                             return std::set<ChunkPos>{pos, other};
                         }
                         return std::nullopt;
                     }});
    kinds.push_back(chunk("RawLengthZero", {"document.empty"}, Cure::from,
                          [](const Patient& p, ChunkPos pos) { p.put_i32(p.blob_offset(pos), 0); }));
    kinds.push_back(chunk("RawLengthNegative", {"container.lengths"}, Cure::repair,
                          [](const Patient& p, ChunkPos pos) { p.put_i32(p.blob_offset(pos), -7); }));
    kinds.push_back(chunk("RawLengthHuge", {"frame.size"}, Cure::from,
                          [](const Patient& p, ChunkPos pos) { p.put_i32(p.blob_offset(pos), 0x7FFFFFFF); }));
    kinds.push_back(
        chunk("RawLengthOffByOne", {"frame.size"}, Cure::remove, [](const Patient& p, ChunkPos pos) {
            const auto offset = p.blob_offset(pos);
            p.put_i32(offset, load_be<std::int32_t>(p.file().data() + offset) + 1);
        }));
    kinds.push_back(chunk("FrameLengthZero", {"container.lengths"}, Cure::repair,
                          [](const Patient& p, ChunkPos pos) { p.put_i32(p.blob_offset(pos) + 4, 0); }));
    kinds.push_back(
        chunk("FrameLengthPastTheEnd", {"container.cut-off"}, Cure::repair,
              [](const Patient& p, ChunkPos pos) { p.put_i32(p.blob_offset(pos) + 4, 0x10000000); }));
    kinds.push_back(
        chunk("FrameLengthTooShort", {"frame.broken"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            p.put_i32(p.blob_offset(pos) + 4, static_cast<std::int32_t>(p.frame_size(pos)) - 1);
        }));
    kinds.push_back(
        chunk("FrameLengthTooLong", {"frame.broken"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            const auto size = p.frame_size(pos);
            if (size % 4096 > 4000) return; // into the next segment, which is another damage
            p.put_i32(p.blob_offset(pos) + 4, static_cast<std::int32_t>(size) + 3);
        }));
    kinds.push_back(
        chunk("PageZeroedInAChunk", {"frame.broken"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            const auto offset = p.blob_offset(pos);
            const auto size = p.frame_size(pos);
            p.edit_file([&](Buffer& file) {
                const auto from = offset + 8 + size / 2;
                std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(from),
                            std::min<std::size_t>(512, size / 2), std::uint8_t{0});
            });
        }));
    kinds.push_back(chunk("TornWrite", {"frame.broken"}, Cure::remove, [](const Patient& p, ChunkPos pos) {
        const auto offset = p.blob_offset(pos);
        const auto size = p.frame_size(pos);
        p.edit_file([&](Buffer& file) {
            std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(offset + 8 + size / 3), size - size / 3,
                        std::uint8_t{0});
        });
    }));
    kinds.push_back({"SegmentDuplicatedOverAnother",
                     {"frame.broken"},
                     Cure::from,
                     [](const Patient& patient) -> Affected {
                         // The second segment of a chunk gets the bytes of its first.
                         for (const auto pos : patient.chunks()) {
                             if (patient.frame_size(pos) < 4096 + 500) continue;
                             const auto offset = static_cast<std::ptrdiff_t>(patient.blob_offset(pos));
                             patient.edit_file([&](Buffer& file) {
                                 std::copy_n(file.begin() + offset, 500, file.begin() + offset + 4096);
                             });
                             return std::set<ChunkPos>{pos};
                         }
                         return std::nullopt;
                     }});
    kinds.push_back(chunk("FrameMagic", {"frame.broken"}, Cure::from, [](const Patient& p, ChunkPos pos) {
        p.put_i32(p.blob_offset(pos) + 8, 0x12345678);
    }));
    kinds.push_back(
        chunk("FrameOfOtherContent", {"frame.size"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            Compressor compressor;
            const auto frame = compressor.compress(as_bytes("something else")).value();
            put_frame(p, pos, Buffer(frame.begin(), frame.end()), 999);
        }));
    kinds.push_back(
        chunk("FrameWithoutItsSize", {"frame.no-size"}, Cure::none, [](const Patient& p, ChunkPos pos) {
            const auto document = p.document(pos);
            auto* context = ZSTD_createCCtx();
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19); // not longer than what it replaces
            ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
            Buffer frame(ZSTD_compressBound(document.size()));
            frame.resize(
                ZSTD_compress2(context, frame.data(), frame.size(), document.data(), document.size()));
            ZSTD_freeCCtx(context);
            put_frame(p, pos, frame, static_cast<std::int32_t>(document.size()));
        }));
    kinds.push_back(
        {"OlderCopyInTheFile", {"frame.broken"}, Cure::orphans, [](const Patient& patient) -> Affected {
             // Rewritten, so that the older copy is in unused segments; then the new one breaks.
             const auto pos =
                 patient.find([](const auto& chunk) { return !chunk.entities().holders().empty(); });
             if (!pos) return std::nullopt;
             patient.edit_chunk(*pos, [](chunk::Chunk& chunk) {
                 (void)chunk.set_block({1, 200, 1}, {.key = "Rock_Stone", .rotation = {}, .filler = {}});
             });
             patient.put_i32(patient.blob_offset(*pos) + 8, 0x12345678);
             return std::set<ChunkPos>{*pos};
         }});
    kinds.push_back(
        {"StrayFile", {"container.stray-file"}, Cure::none, [](const Patient& patient) -> Affected {
             std::ofstream(patient.world() / "chunks" / "0.0.region.bin.old") << "left behind";
             return std::set<ChunkPos>{};
         }});
    return kinds;
}

} // namespace orbis::jobs::damage
