#include "orbis/draw.hpp"

#include "bytes/parallel.hpp"
#include "bytes/png.hpp"
#include "library/world_state.hpp"
#include "map/image.hpp"

namespace orbis {
namespace {

class PixelsInMemory final : public map::PictureRows {
public:
    explicit PixelsInMemory(std::vector<std::uint8_t>& pixels) : pixels_(pixels) {}
    Result<void> begin(std::uint32_t width, std::uint32_t height) override {
        pixels_.reserve(std::size_t{width} * height * 4);
        return {};
    }
    Result<void> row(Bytes pixels) override {
        pixels_.insert(pixels_.end(), pixels.begin(), pixels.end());
        return {};
    }

private:
    std::vector<std::uint8_t>& pixels_;
};

/// Calls `draw(store, colours, options)` with the options of the map.
template <typename Draw>
Result<PictureInfo> draw_with(const World& world, const DrawOptions& options, Draw&& draw) {
    map::ImageOptions image;
    TRY(image.layer, map::parse_layer(options.layer));
    image.threads = options.threads == 0 ? default_threads() : options.threads;
    const auto store = world.state()->store();
    jobs::ChunkSet only;
    if (options.area) {
        std::vector<ChunkPos> chunks;
        for (const auto pos : world.positions())
            if (options.area->contains(pos)) chunks.push_back(pos);
        only = jobs::ChunkSet(std::move(chunks));
        image.only = &only;
    }
    TRY(auto report, draw(*store, map::Colours(world::Assets::built_in()), image));
    for (auto& problem : report.problems) world.state()->note(std::move(problem));
    if (report.width == 0)
        return fail(error(Errc::not_found, "no chunk could be read").in_file(store->name()));
    return PictureInfo{report.width, report.height, report.first, static_cast<std::uint64_t>(report.chunks),
                       static_cast<std::uint64_t>(report.unreadable)};
}

} // namespace

Result<MapPicture> draw(const World& world, const DrawOptions& options) {
    MapPicture picture;
    PixelsInMemory rows(picture.pixels);
    TRY(picture.info,
        draw_with(world, options, [&rows](const auto& store, const auto& colours, const auto& image) {
            NoProgress quiet;
            return map::draw_rows(store, colours, image, rows, quiet);
        }));
    return picture;
}

Result<std::vector<std::uint8_t>> to_png(const MapPicture& picture) {
    return encode_png(picture.info.width, picture.info.height, picture.pixels);
}

Result<PictureInfo> draw_png(const World& world, const std::string& file, const DrawOptions& options) {
    return draw_with(world, options, [&file](const auto& store, const auto& colours, const auto& image) {
        NoProgress quiet;
        return map::write_image(store, colours, image, file, quiet);
    });
}

} // namespace orbis
