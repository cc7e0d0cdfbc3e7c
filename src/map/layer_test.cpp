#include "map/layer.hpp"

#include <gtest/gtest.h>

namespace orbis::map {
namespace {

TEST(Layer, EveryIdReadsBackAsItsLayer) {
    for (const Layer layer :
         {Layer{LayerKind::surface, 0}, Layer{LayerKind::height, 0}, Layer{LayerKind::light, 0},
          Layer{LayerKind::environment, 0}, Layer{LayerKind::slice, 0}, Layer{LayerKind::slice, 319},
          Layer{LayerKind::cave, 64}})
        EXPECT_EQ(parse_layer(id(layer)).value(), layer) << id(layer);
    EXPECT_EQ(id({LayerKind::slice, 64}), "slice@64");
    EXPECT_EQ(title({LayerKind::cave, 64}), "Caves below 64");
}

TEST(Layer, WhatIsNoLayerIsRefusedWithTheNextStep) {
    for (const auto* text : {"", "Surface", "surface@4", "slice", "slice@", "slice@-1", "slice@320",
                             "slice@4x", "cave@ 4", "cave@99999999999", "@4", "slice@4@5"}) {
        const auto layer = parse_layer(text);
        ASSERT_FALSE(layer) << text;
        EXPECT_EQ(layer.error().code, Errc::usage);
        EXPECT_FALSE(layer.error().advice.empty()) << text;
    }
}

} // namespace
} // namespace orbis::map
