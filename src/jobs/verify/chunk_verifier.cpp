#include "chunk/chunk_reader.hpp"
#include "jobs/verify/check_chunk.hpp"
#include "jobs/verify/neighbours.hpp"
#include "jobs/verify/verify.hpp"
#include "storage/region_files.hpp"

namespace orbis::jobs {

namespace {

Code code_of_read(const Error& error) {
    switch (error.code) {
    case Errc::out_of_range: return Code::container_entry_outside;
    case Errc::truncated: return Code::container_cut_off;
    case Errc::bad_value: return Code::container_lengths;
    default: return Code::frame_broken;
    }
}

/// Whether the look at the container has reported it already.
bool is_of_container(Code code) {
    return code == Code::container_entry_outside || code == Code::container_cut_off
           || code == Code::container_lengths;
}

} // namespace

struct ChunkVerifier::Parts {
    Parts(const storage::Store& from, const world::Assets& assets)
        : store(from), files(from.region_files()), neighbours(from), checks(assets) {}

    const storage::Store& store;
    const storage::RegionFiles* files;
    Neighbours neighbours;
    ChunkChecks checks;
    chunk::ChunkReader reader;
};

/// Whether the frame of a chunk states another size than its blob; the look at the container has said so.
bool ChunkVerifier::states_other_size(ChunkPos pos) const {
    const auto region = parts_->files->region(pos.region());
    if (!region || !*region || (*region)->header().version == 0) return false;
    Buffer gathered;
    const auto blob = (*region)->blob(pos.slot(), gathered);
    if (!blob || !*blob) return false;
    const auto stated = zstd_content_size((*blob)->frame);
    const auto whole = zstd_frame_length((*blob)->frame);
    return stated && whole == (*blob)->frame.size() && *stated != (*blob)->raw_size;
}

ChunkVerifier::ChunkVerifier(const storage::Store& store, const world::Assets& assets)
    : parts_(std::make_unique<Parts>(store, assets)) {}

ChunkVerifier::~ChunkVerifier() = default;

void ChunkVerifier::run(ChunkPos pos, std::vector<Finding>& out) {
    const auto first = out.size();
    const auto add = [&](Code code, const Error& problem) -> Finding& {
        auto& finding = out.emplace_back();
        finding.code = code;
        finding.chunk = pos;
        finding.text = problem.problem;
        return finding;
    };
    auto& reader = parts_->reader;
    const auto document = reader.load(parts_->store, pos);
    if (!document) {
        const auto code = code_of_read(document.error());
        if (parts_->files != nullptr && (is_of_container(code) || states_other_size(pos))) return;
        auto& finding = add(code, document.error());
        finding.offset = document.error().offset;
        finding.file = document.error().file;
    } else if (*document && (*document)->empty()) {
        if (parts_->files == nullptr)
            add(Code::document_empty, error(Errc::truncated, "the chunk has 0 bytes"));
    } else if (*document) {
        if (const auto read = reader.decode(); !read) {
            const auto code =
                read.error().code == Errc::not_found ? Code::document_no_components : Code::document_bson;
            add(code, read.error()).in_chunk = read.error().offset;
        } else {
            parts_->checks.run(**read, pos, [&](BlockPos at) { return parts_->neighbours.block(at); }, out);
        }
    }
    if (out.size() == first) return;
    // Where the chunk is stored is looked up only for those that have something to report.
    const auto file = parts_->store.file_of(pos);
    const auto info = parts_->store.blob_info(pos).value_or(std::nullopt);
    for (auto i = first; i < out.size(); ++i) {
        if (out[i].file.empty()) out[i].file = file;
        if (!out[i].offset && info) out[i].offset = info->offset;
    }
}

} // namespace orbis::jobs
