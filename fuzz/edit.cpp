// A chunk of any bytes, with a good one beside it, and an edit of both. The first bytes say which edit. What
// would be written can be read, has no more unreadable parts than before, is sound where the chunk was, and
// is what was asked for.

#include "bytes/zstd.hpp"
#include "chunk/chunk_documents_test.hpp"
#include "jobs/edit/replace_blocks.hpp"
#include "support/region_images.hpp"
#include "target.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

using namespace orbis;

namespace {

namespace documents = chunk::test_documents;

constexpr std::size_t k_head = 6;

/// A world of two chunks, in a folder that goes with the program.
class Folder {
public:
    Folder() {
        auto path = (std::filesystem::temp_directory_path() / "orbis-fuzz-XXXXXX").string();
        fuzz::require(mkdtemp(path.data()) != nullptr);
        path_ = path;
        std::filesystem::create_directory(path_ / "chunks");
        put(path_ / "config.json", as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})"));
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] world::World world(Bytes document) const {
        static const auto good = test::compressed_blob(documents::document(documents::ten_sections()));
        test::RegionContent content;
        content[0] = test::compressed_blob(document);
        content[1] = good;
        put(path_ / "chunks" / "0.0.region.bin", test::region_v1_image(content));
        return world::find_location(path_).value().worlds.at(0);
    }

private:
    static void put(const std::filesystem::path& path, Bytes bytes) {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }

    std::filesystem::path path_;
};

bool is_transparent(std::string_view key) { return world::Assets::built_in().is_transparent(key); }

/// What is promised of a chunk after an edit, as far as it was true before.
struct Health {
    std::size_t problems = 0;
    bool is_sound = false;
    bool has_right_heights = false;

    explicit Health(chunk::Chunk& chunk)
        : problems(chunk.problems().size()), is_sound(chunk.check().empty()) {
        const auto wrong = chunk.recompute_heights(is_transparent);
        has_right_heights = problems == 0 && wrong && *wrong == 0;
    }
};

Result<jobs::FillReport> edit(const world::World& world, const std::uint8_t* head,
                              const jobs::EditOptions& options) {
    static const std::vector<jobs::Replacement> rules{
        jobs::Replacement::parse("Rock_*=Soil_Sand").value(),
        jobs::Replacement::parse("Soil_*=Empty").value(),
        jobs::Replacement::parse("Empty=Furniture_Crude_Bed@90").value(),
        jobs::Replacement::parse("Furniture_*=Rock_Basalt").value(),
        jobs::Replacement::parse("*=Rock_Stone").value()};
    jobs::Area area;
    if ((head[0] & 1) != 0) {
        const BlockPos corner{head[1] % 64, head[2], head[3] % 32};
        area.add(jobs::BlockBox{corner,
                                {corner.x + head[4] % 40, corner.y + head[5] % 64, corner.z + head[4] / 8}});
    }
    NoProgress quiet;
    const auto& assets = world::Assets::built_in();
    const auto first = std::size_t{head[0]} / 4 % rules.size();
    if ((head[0] & 2) == 0)
        return jobs::replace_blocks(world, assets, area, {}, std::span(rules).subspan(first), options, quiet);
    return jobs::fill_cells(world, assets, area, {}, {rules[first].to, {}}, options, quiet);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < k_head) return 0;
    static const Folder folder;
    const Bytes document{data + k_head, size - k_head};
    const auto world = folder.world(document);
    std::map<ChunkPos, Buffer> written;
    jobs::EditOptions options;
    options.dry_run = true;
    options.keep = (data[0] & 128) != 0 ? 0 : std::size_t{1} << 20;
    options.preview = [&](ChunkPos pos, const storage::CompressedChunk& frame) -> Result<void> {
        Decompressor decompressor;
        const auto bytes = decompressor.decompress(frame.bytes, frame.raw_size, storage::k_largest_document);
        fuzz::require(bytes.has_value());
        written[pos] = {bytes->begin(), bytes->end()};
        return {};
    };
    const auto report = edit(world, data, options);
    if (!report) return 0;
    fuzz::require(!report->refused || written.empty());
    chunk::Chunk chunk;
    for (const auto& [pos, after] : written) {
        const bool is_good_one = pos.x == 1;
        const auto good = documents::document(documents::ten_sections());
        fuzz::require(chunk.read(is_good_one ? Bytes(good) : document).has_value());
        const Health before(chunk);
        fuzz::require(chunk.read(after).has_value());
        const Health now(chunk);
        fuzz::require(now.problems <= before.problems);
        fuzz::require(now.is_sound || !before.is_sound);
        fuzz::require(now.has_right_heights || !before.has_right_heights);
    }
    return 0;
}

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> out;
    for (const int kind : {0, 1, 2, 3, 4, 9, 12, 16, 128})
        for (const int version : {4, 6}) {
            const auto document = documents::document(documents::ten_sections(version));
            out.push_back({static_cast<std::uint8_t>(kind), 3, 20, 3, 33, 40});
            out.back().insert(out.back().end(), document.begin(), document.end());
        }
    return out;
}
