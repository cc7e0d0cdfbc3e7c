#include "bson/writer.hpp"
#include "map/holders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace orbis::map {
namespace {

/// A holder with what `fill` puts into its components.
Buffer holder(const std::function<void(bson::Writer&)>& fill) {
    Buffer out;
    bson::Writer to(out);
    to.document("Components");
    fill(to);
    to.end().finish();
    return out;
}

void add_text(bson::Writer& to, const std::vector<std::string>& path, std::string_view text) {
    for (std::size_t i = 0; i + 1 < path.size(); ++i) to.document(path[i]);
    to.string(path.back(), text);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) to.end();
}

TEST(Holders, TheTypeOfAnEntityIsTheFirstThatItsComponentsName) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> ways{
        {{"Model", "Model", "Id"}, "Goblin"},
        {{"Item", "Item", "Id"}, "Bread"},
        {{"BlockEntity", "BlockTypeKey"}, "Rock_Stone"},
        {{"SpawnMarkerComponent", "SpawnMarker"}, "Camp"},
    };
    for (std::size_t first = 0; first < ways.size(); ++first) {
        const auto made = holder([&](bson::Writer& to) {
            for (auto i = ways.size(); i-- > first;) add_text(to, ways[i].first, ways[i].second);
        });
        EXPECT_EQ(entity_type(bson::Document::open(made).value()), ways[first].second);
    }
    for (const std::string marker :
         {"PatrolPathMarker", "SpawnMarkerComponent", "TriggerVolume", "AmbientEmitter"}) {
        const auto made = holder([&](bson::Writer& to) { to.document(marker).end(); });
        EXPECT_EQ(entity_type(bson::Document::open(made).value()), marker);
    }
    const auto other = holder([](bson::Writer& to) { to.document("Velocity").end(); });
    EXPECT_EQ(entity_type(bson::Document::open(other).value()), "Entity");
}

TEST(Holders, APlateIsANameBeforeADisplayName) {
    const auto both = holder([](bson::Writer& to) {
        add_text(to, {"DisplayName", "DisplayName", "RawText"}, "Robert");
        add_text(to, {"Nameplate", "Text"}, "Bob");
    });
    EXPECT_EQ(entity_name(bson::Document::open(both).value()), "Bob");
    const auto one =
        holder([](bson::Writer& to) { add_text(to, {"DisplayName", "DisplayName", "RawText"}, "Robert"); });
    EXPECT_EQ(entity_name(bson::Document::open(one).value()), "Robert");
}

TEST(Holders, APositionHasThreeNumbers) {
    const auto place = [](std::initializer_list<std::pair<std::string_view, double>> axes) {
        const auto made = holder([&](bson::Writer& to) {
            to.document("Transform").document("Position");
            for (const auto& [axis, value] : axes) to.real(axis, value);
            to.end().end();
        });
        return entity_position(bson::Document::open(made).value());
    };
    EXPECT_EQ(place({{"Z", 3}, {"X", -1.5}, {"Y", 2}}), (std::array<double, 3>{-1.5, 2, 3}));
    EXPECT_FALSE(place({{"X", 1}, {"Y", 2}}));
    EXPECT_FALSE(place({{"X", 1}, {"Y", std::nan("")}, {"Z", 3}}));
    EXPECT_FALSE(place({{"X", 1}, {"Y", 2}, {"Z", std::numeric_limits<double>::infinity()}}));
}

TEST(Holders, AStackHasOnePieceUnlessItSaysHowMany) {
    const auto count = [](std::optional<std::int64_t> quantity) {
        Buffer out;
        bson::Writer to(out);
        to.string("Id", "Bread");
        if (quantity) to.int64("Quantity", *quantity);
        to.finish();
        return item_count(bson::Document::open(out).value());
    };
    EXPECT_EQ(count({}), 1);
    EXPECT_EQ(count(7), 7);
    EXPECT_EQ(count(-7), 0);
    EXPECT_EQ(count(std::int64_t{1} << 40), std::numeric_limits<std::int32_t>::max());
}

} // namespace
} // namespace orbis::map
