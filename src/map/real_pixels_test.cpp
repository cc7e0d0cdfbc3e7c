#include "bytes/position.hpp"
#include "bytes/zstd.hpp"
#include "jobs/edit/relight.hpp"
#include "jobs/edit/replace_blocks.hpp"
#include "map/compare_test.hpp"
#include "map/painter.hpp"
#include "storage/region_store.hpp"
#include "support/amount.hpp"
#include "support/shared.hpp"
#include "world/location.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace orbis::map {
namespace {

/// A real region file, or the part of it that is in the first columns and rows of chunks.
reference::Documents documents_of(const std::filesystem::path& file, std::size_t most) {
    reference::Documents documents;
    const auto store = storage::open_single_region(file, {});
    if (!store) return documents;
    storage::ReadContext context;
    const auto cursor = (*store)->chunks();
    while (documents.size() < most) {
        const auto pos = cursor->next();
        if (!pos || !*pos) break;
        if (const auto document = (*store)->read(**pos, context); document && *document)
            documents.emplace(**pos, Buffer((*document)->begin(), (*document)->end()));
    }
    return documents;
}

void compare_real_worlds(Layer layer, int most) {
    std::size_t seen = 0;
    const auto files = test::real_region_files();
    for (const auto& file : files) {
        SCOPED_TRACE(file.string());
        seen += reference::expect_same_pixels(documents_of(file, static_cast<std::size_t>(most)), layer);
    }
    if (!files.empty()) {
        EXPECT_GT(seen, 10000U);
    }
}

TEST(RealPixels, SurfaceIsThatOfTheReference) {
    compare_real_worlds({LayerKind::surface, 0}, test::amount(1024));
}
TEST(RealPixels, SlicesAreThoseOfTheReference) {
    for (const int y : {0, 63, 121, 319}) compare_real_worlds({LayerKind::slice, y}, 24);
}
TEST(RealPixels, CavesAreThoseOfTheReference) {
    for (const int y : {0, 95, 319}) compare_real_worlds({LayerKind::cave, y}, 4);
}
TEST(RealPixels, HeightsAreThoseOfTheReference) { compare_real_worlds({LayerKind::height, 0}, 64); }
TEST(RealPixels, LightIsThatOfTheReference) { compare_real_worlds({LayerKind::light, 0}, 64); }
TEST(RealPixels, EnvironmentsAreThoseOfTheReference) { compare_real_worlds({LayerKind::environment, 0}, 64); }

/// The chunk as it is drawn at night.
std::array<Rgba, k_columns> night(Bytes document) {
    constexpr Layer k_night{LayerKind::light, 0};
    static const Colours colours(world::Assets::built_in());
    ChunkPainter painter(colours);
    std::array<Rgba, k_columns> pixels{};
    EXPECT_TRUE(painter.read(document, parts_of(k_night)));
    painter.paint(k_night, {}, pixels.data(), k_side);
    return pixels;
}

// Chunk -8,32 has global light that the game computed without the sky. The chunks north of it are not there,
// so this light stays stale, but the section has light of its own again.
TEST(RealPixels, RelightingGroundUnderTheSkyMakesNoPixelDarker) {
    const auto shared = test::shared_folder();
    if (!shared) GTEST_SKIP() << "no real worlds";
    const test::TemporaryFolder folder;
    std::filesystem::copy(*shared / "worlds" / "dense", folder / "dense",
                          std::filesystem::copy_options::recursive);
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))
        std::filesystem::permissions(file.path(), std::filesystem::perms::owner_all);
    const auto world = world::find_location(folder / "dense").value().worlds.at(0);
    const auto& assets = world::Assets::built_in();
    NoProgress quiet;
    const std::vector rules{jobs::Replacement::parse("Soil_Grass=Empty").value()};
    ASSERT_TRUE(jobs::replace_blocks(world, assets, {}, {}, rules, {}, quiet));

    const auto before = world.open({}).value();
    storage::ReadContext context;
    Decompressor decompressor;
    std::set<ChunkPos> brighter;
    std::size_t drawn = 0;
    jobs::EditOptions options{.dry_run = true};
    options.preview = [&](ChunkPos pos, const storage::CompressedChunk& frame) -> Result<void> {
        const auto was = night(before->read(pos, context).value().value());
        const auto is = night(decompressor.decompress(frame.bytes, frame.raw_size, frame.raw_size).value());
        for (std::size_t i = 0; i < was.size(); ++i) {
            EXPECT_TRUE(is[i].r >= was[i].r && is[i].g >= was[i].g && is[i].b >= was[i].b)
                << fmt::format("{}, column {}", pos, i);
            if (is[i].b > was[i].b) brighter.insert(pos);
        }
        ++drawn;
        return {};
    };
    ASSERT_TRUE(jobs::relight(world, assets, {}, options, quiet));
    EXPECT_GT(drawn, 50U);
    EXPECT_TRUE(brighter.contains({-8, 32}));
}

} // namespace
} // namespace orbis::map
