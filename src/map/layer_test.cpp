#include "chunk/parts.hpp"
#include "map/layer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

TEST(Layer, EachHasItsTitleAndReadsWhatItShows) {
    EXPECT_EQ(title({LayerKind::surface, 0}), "Surface");
    EXPECT_EQ(title({LayerKind::slice, 0}), "Slice at 0");
    EXPECT_EQ(title({LayerKind::height, 0}), "Height");
    EXPECT_EQ(title({LayerKind::light, 0}), "Light");
    EXPECT_EQ(title({LayerKind::environment, 0}), "Environments");
    for (const auto kind : {LayerKind::surface, LayerKind::slice, LayerKind::cave, LayerKind::light})
        EXPECT_TRUE(parts_of({kind, 0}).has(chunk::k_fluids));
    EXPECT_FALSE(parts_of({LayerKind::height, 0}).has(chunk::k_fluids));
    EXPECT_TRUE(parts_of({LayerKind::light, 0}).has(chunk::k_light));
    EXPECT_FALSE(parts_of({LayerKind::surface, 0}).has(chunk::k_light));
    EXPECT_TRUE(parts_of({LayerKind::environment, 0}).has(chunk::k_environments));
}

TEST(Layer, RangesEndAtTheirLastHeightAndListsKeepTheirOrder) {
    const auto ids = [](std::string_view text) {
        std::string out;
        const auto layers = parse_layers(text).value();
        for (const auto layer : layers) out += id(layer) + " ";
        return out;
    };
    EXPECT_EQ(ids("slice@0..319/319"), "slice@0 slice@319 ");
    EXPECT_EQ(ids("slice@32..64/32"), "slice@32 slice@64 ");
    EXPECT_EQ(ids("slice@32..63/32"), "slice@32 ");
    EXPECT_EQ(ids("light,surface,light"), "light surface ");
    EXPECT_EQ(ids(""), "");
    EXPECT_EQ(ids("surface,"), "surface ");
}

} // namespace
} // namespace orbis::map
