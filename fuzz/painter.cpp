// Chunk documents to pixels: whatever the bytes are, every layer is painted, a pixel is opaque or nothing at
// all, and those of the surface and of a slice are the ones of the plain reference.

#include "map/painter.hpp"

#include "map/reference_test.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::map;

namespace {

Buffer encoded(const chunk::Chunk& chunk) {
    Buffer out;
    const auto bytes = chunk.encode(out);
    return {bytes->begin(), bytes->end()};
}

void check(Layer layer, const Buffer& document, ChunkPainter& painter, bool compare) {
    fuzz::require(painter.read(document, parts_of(layer)).has_value());
    std::array<Rgba, k_columns> pixels;
    painter.paint(layer, {}, pixels.data(), k_side);
    for (const auto pixel : pixels) fuzz::require(pixel.a == 255 || pixel == Rgba{});
    if (!compare) return;
    reference::World world;
    world.add({0, 0}, document);
    for (int i = 0; i < k_columns; i += 37) // the reference is slow
        fuzz::require(world.pixel(layer, i % 32, i / 32) == pixels[static_cast<std::size_t>(i)]);
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    auto chunk = chunk::Chunk::create();
    const auto empty = encoded(chunk);
    for (int x = 0; x < k_side; ++x) {
        (void)chunk.set_block({x, 40 + x % 3, 1}, {x % 2 == 0 ? "Soil_Grass" : "Mod_Stone", {}, {}});
        (void)chunk.set_fluid({x, 43, 1}, {"Water_Source", 1});
    }
    (void)chunk.update_heights([](std::string_view) { return false; });
    (*chunk.edit_environments())->fill("Env_Portals_Hedera");
    return {empty, encoded(chunk)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Colours colours(world::Assets::built_in());
    static ChunkPainter painter(colours);
    const Buffer document(data, data + size);
    if (!painter.read(document, chunk::k_everything)) return 0;
    painter.for_each_surface_fluid([](std::string_view, Rgba, int columns) { fuzz::require(columns > 0); });
    for (const auto kind : {LayerKind::height, LayerKind::light, LayerKind::environment})
        check({kind, 0}, document, painter, false);
    check({LayerKind::cave, 300}, document, painter, false);
    check({LayerKind::surface, 0}, document, painter, true);
    check({LayerKind::slice, 41}, document, painter, true);
    return 0;
}
