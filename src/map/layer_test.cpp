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

TEST(Layer, ListsMayHaveRangesOfHeights) {
    const auto layers = parse_layers("surface,slice@32..100/32,cave@5,slice@64,cave@7..7/1");
    ASSERT_TRUE(layers) << layers.error().text();
    std::string ids;
    for (const auto layer : *layers) ids += id(layer) + " ";
    EXPECT_EQ(ids, "surface slice@32 slice@64 slice@96 cave@5 cave@7 ");
    for (const auto* text :
         {"slice@32..100", "slice@32..100/0", "slice@32..100/x", "slice@100..32/4", "slice@32..320/4",
          "slice@..9/1", "height@1..2/1", "slice@1../1", "..", "slice@1..9/-1"})
        EXPECT_FALSE(parse_layers(text)) << text;
}

} // namespace
} // namespace orbis::map
