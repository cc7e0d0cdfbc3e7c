#include "map/compare_test.hpp"
#include "storage/region_store.hpp"
#include "support/amount.hpp"
#include "support/shared.hpp"

#include <algorithm>

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

} // namespace
} // namespace orbis::map
