#include "app/edit_picture.hpp"

#include "bytes/png.hpp"
#include "jobs/select/chunk_set.hpp"
#include "map/image.hpp"
#include "storage/layered_store.hpp"
#include "storage/region_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace orbis::app {
namespace {

/// Beyond this a picture of both sides is of no use to anybody.
constexpr std::int64_t k_longest_drawn = 8192;
constexpr std::uint32_t k_gap = 8; ///< pixels between before and after

/// A picture in memory, four bytes per pixel.
class DrawnRows final : public map::PictureRows {
public:
    Result<void> begin(std::uint32_t wide, std::uint32_t high) override {
        width = wide;
        height = high;
        pixels.reserve(std::size_t{4} * wide * high);
        return {};
    }
    Result<void> row(Bytes row) override {
        pixels.insert(pixels.end(), row.begin(), row.end());
        return {};
    }

    std::uint32_t width = 0;
    std::uint32_t height = 0;
    Buffer pixels;
};

/// The two beside each other.
Picture beside(const DrawnRows& before, const DrawnRows& after) {
    constexpr Rgb k_background = 0xFFFFFF;
    Picture out(before.width + k_gap + after.width, std::max(before.height, after.height), k_background);
    const auto put = [&](const DrawnRows& rows, std::uint32_t left) {
        for (std::uint32_t y = 0; y < rows.height; ++y)
            for (std::uint32_t x = 0; x < rows.width; ++x) {
                const auto* pixel = rows.pixels.data() + (std::size_t{y} * rows.width + x) * 4;
                if (pixel[3] != 0) out.set(left + x, y, Rgb{pixel[0]} << 16 | Rgb{pixel[1]} << 8 | pixel[2]);
            }
    };
    put(before, 0);
    put(after, before.width + k_gap);
    return out;
}

} // namespace

Result<EditPicture> EditPicture::begin(std::filesystem::path path) {
    TRY_DO(check_picture_place(path));
    EditPicture made;
    made.path_ = std::move(path);
    TRY(made.folder_, TemporaryFolder::make("edit"));
    TRY(made.after_,
        storage::open_region_store(storage::Folder(storage::open_disk_tree(made.folder_.path() / "chunks")),
                                   {.write = true, .create = true, .sync = storage::SyncPolicy::none}));
    return made;
}

Result<void> EditPicture::take(ChunkPos pos, const storage::CompressedChunk& frame) {
    return after_->write_compressed(pos, frame);
}

Result<void> EditPicture::draw(Console& console, const world::World& world, const world::Assets& assets,
                               map::Layer layer, std::size_t threads) {
    std::vector<ChunkPos> changed;
    const auto cursor = after_->chunks();
    while (true) {
        TRY(const auto next, cursor->next());
        if (!next) break;
        changed.push_back(*next);
    }
    if (changed.empty()) {
        console.note(fmt::format("{} was not drawn, because nothing would change", path_.string()));
        return {};
    }
    auto least = changed.front();
    auto most = least;
    for (const auto pos : changed) {
        least = {std::min(least.x, pos.x), std::min(least.z, pos.z)};
        most = {std::max(most.x, pos.x), std::max(most.z, pos.z)};
    }
    const auto side = [](std::int32_t low, std::int32_t high) {
        return (std::int64_t{high} - low + 3) * k_side;
    };
    if (side(least.x, most.x) > k_longest_drawn || side(least.z, most.z) > k_longest_drawn)
        return fail(error(Errc::too_large, "the changed chunks are too far from each other for one picture")
                        .advise("draw a smaller area"));
    std::vector<ChunkPos> shown;
    for (auto x = least.x - 1; x <= most.x + 1; ++x)
        for (auto z = least.z - 1; z <= most.z + 1; ++z) shown.push_back({x, z});
    const jobs::ChunkSet only(std::move(shown));
    const map::ImageOptions options{.layer = layer, .only = &only, .threads = threads};
    TRY(std::shared_ptr<storage::Store> before, world.open({}));
    const auto after = storage::make_migration_store({after_, before}, after_, world.name);
    DrawnRows left;
    DrawnRows right;
    const map::Colours colours(assets);
    TRY(const auto report, map::draw_rows(*before, colours, options, left, console));
    TRY_DO(map::draw_rows(*after, colours, options, right, console));
    TRY_DO(write_png(path_, beside(left, right)));
    console.note(
        fmt::format("{}: before on the left, after on the right; the north-west corner is block {:c}",
                    path_.string(), report.first));
    return {};
}

} // namespace orbis::app
