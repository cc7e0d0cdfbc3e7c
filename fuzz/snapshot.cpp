// The files of a snapshot store. The first byte of the input says which: a manifest, a pack, a table of a
// region, or the memory of the last snapshot. What can be read is written again and must read the same.

#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "jobs/snapshot/last_seen.hpp"
#include "jobs/snapshot/manifest.hpp"
#include "jobs/snapshot/pack_writer.hpp"
#include "support/memory_file.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::jobs::snapshot;

namespace {

constexpr std::uint64_t k_limit = 1 << 20;

void read_manifest(Bytes bytes) {
    const auto manifest = Manifest::decode(bytes);
    if (!manifest) return;
    const auto again = Manifest::decode(manifest->encode().value());
    fuzz::require(again && again->files.size() == manifest->files.size()
                  && again->worlds.size() == manifest->worlds.size() && again->source == manifest->source);
}

void read_table(Bytes bytes) {
    const auto table = decode_table(bytes);
    if (!table) return;
    const auto again = encode_table(*table);
    fuzz::require(Buffer(bytes.begin(), bytes.end()) == again);
}

void read_known(Bytes bytes) {
    const auto known = LastSeen::decode(bytes);
    if (known) fuzz::require(LastSeen::decode(known->encode()).has_value());
}

void read_pack(Bytes bytes) {
    static Decompressor decompressor;
    const auto pack = Pack::open(std::make_unique<test::MemoryFile>(Buffer(bytes.begin(), bytes.end())));
    if (!pack) return;
    (void)(*pack)->check_index();
    for (std::uint32_t i = 0; i < (*pack)->header().contents; ++i) {
        const auto content = (*pack)->content(i);
        if (!content) continue;
        const auto block = (*pack)->block(content->block).value();
        const auto frame = (*pack)->frame(block).value();
        const auto text =
            decompressor.decompress_against(block.base.bytes, frame.bytes(), block.size, k_limit);
        if (text) (void)key_of(text->subspan(content->offset, content->size));
    }
}

Buffer with_kind(std::uint8_t kind, Bytes bytes) {
    Buffer out{kind};
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

/// A disk with one file that is kept in memory.
class MemoryDisk final : public Disk {
public:
    Buffer content;

    Result<std::unique_ptr<File>> create(const std::filesystem::path&) override {
        return std::make_unique<Kept>(content);
    }
    Result<void> rename(const std::filesystem::path&, const std::filesystem::path&) override { return {}; }
    Result<void> remove(const std::filesystem::path&) override { return {}; }

private:
    class Kept final : public File {
    public:
        explicit Kept(Buffer& content) : content_(content) {}
        const std::string& name() const override { return name_; }
        Result<std::uint64_t> size() const override { return content_.size(); }
        Result<FileView> view(std::uint64_t, std::uint64_t) const override { return FileView{}; }
        Result<void> check(const FileView&) const override { return {}; }
        Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override {
            for (const auto part : parts) {
                test::write_into(content_, offset, part);
                offset += part.size();
            }
            return {};
        }
        Result<void> sync() override { return {}; }

    private:
        Buffer& content_;
        std::string name_ = "pack";
    };
};

Buffer pack_image() {
    MemoryDisk disk;
    auto writer = PackWriter::create(disk, "packs").value();
    Compressor compressor;
    const Buffer text(300, 'x');
    const auto frame = compressor.compress(text).value();
    const std::vector<Part> parts{{key_of(Bytes(text).first(100)), 0, 100},
                                  {key_of(Bytes(text).first(200)), 100, 200}};
    (void)writer.add(frame, 300, {}, parts);
    const auto against = compressor.compress_against(Bytes(text).first(20), text).value();
    const std::vector<Part> one{{key_of(text), 0, 300}};
    (void)writer.add(against, 300, key_of(Bytes(text).first(100)), one);
    (void)writer.finish();
    return disk.content;
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    Manifest manifest;
    manifest.kind = world::Location::Kind::universe;
    manifest.source = "/srv/universe";
    manifest.worlds = {{"a", {{{0, 1}, 3, key_of(as_bytes("t"))}}}};
    manifest.files = {{"config.json", 5, {key_of(as_bytes("f"))}}};
    LastSeen known;
    known.snapshot = "2026";
    known.files["a"] = {{1, 2, 3, 4, 5}, {{{7}, {}}}};
    const std::vector<TableEntry> table{{{3}, key_of(as_bytes("c")), false, 0},
                                        {{9}, key_of(as_bytes("d")), true, 77}};
    return {with_kind(0, manifest.encode().value()), with_kind(1, pack_image()),
            with_kind(2, encode_table(table)), with_kind(3, known.encode())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Bytes rest(data + 1, size - 1);
    switch (data[0] % 4) {
    case 0: read_manifest(rest); break;
    case 1: read_pack(rest); break;
    case 2: read_table(rest); break;
    default: read_known(rest);
    }
    return 0;
}
