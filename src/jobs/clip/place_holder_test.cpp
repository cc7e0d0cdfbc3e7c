#include "bson/extended_json.hpp"
#include "bson/writer.hpp"
#include "jobs/clip/place_holder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <string>

namespace orbis::jobs {
namespace {

/// A holder with what `fill` puts into its component.
Buffer holder_with(const std::function<void(bson::Writer&)>& fill) {
    Buffer out;
    bson::Writer to(out);
    to.document("Components").document("Thing");
    fill(to);
    to.end().end().finish();
    return out;
}

/// The component as JSON, after it was moved.
std::string moved_thing(const std::function<void(bson::Writer&)>& fill, const Placement& placement) {
    const auto made = holder_with(fill);
    const auto placed = placed_entity(bson::Document::open(made).value(), placement);
    EXPECT_TRUE(placed) << placed.error().text();
    const auto thing = bson::Document::open(*placed)->find_path({"Components", "Thing"});
    return bson::to_extended_json(*thing->document()).value();
}

std::function<void(bson::Writer&)> vector_named(std::string_view name, double x, double y, double z) {
    return [=](bson::Writer& to) { to.document(name).real("X", x).real("Y", y).real("Z", z).end(); };
}

TEST(PlaceHolder, PositionsMoveDirectionsOnlyTurn) {
    const Placement placement{Turn{}, 10, 20, -30};
    const auto at = [&](std::string_view name, double x, double y, double z) {
        return moved_thing(vector_named(name, x, y, z), placement);
    };
    const auto moved = [](std::string_view name, std::string_view numbers) {
        return "{\"" + std::string(name) + "\": {" + std::string(numbers) + "}}";
    };
    constexpr std::string_view k_moved = "\"X\": 11.5, \"Y\": 22.0, \"Z\": -27.0";
    constexpr std::string_view k_same = "\"X\": 1.5, \"Y\": 2.0, \"Z\": 3.0";
    for (const std::string name : {"Position", "SpawnPosition", "LeashPos"})
        EXPECT_EQ(at(name, 1.5, 2, 3), moved(name, k_moved));
    for (const std::string name : {"Velocity", "Scale", "Positions", "LookDirection"})
        EXPECT_EQ(at(name, 1.5, 2, 3), moved(name, k_same));
    EXPECT_EQ(at("SpawnPosition", 0, 0, 0), moved("SpawnPosition", "\"X\": 0.0, \"Y\": 0.0, \"Z\": 0.0"))
        << "one that was never set";
    EXPECT_EQ(at("Position", 0, 0, 0), moved("Position", "\"X\": 10.0, \"Y\": 20.0, \"Z\": -30.0"));
}

TEST(PlaceHolder, NumbersKeepTheirTypesAndOtherFieldsStay) {
    const Placement placement{Turn{}, 1, 1, 1};
    EXPECT_EQ(
        moved_thing(
            [](bson::Writer& to) {
                to.document("Position").int32("X", -4).string("W", "w").int64("Y", 5).real("Z", 0.5).end();
                to.boolean("Is", true);
            },
            placement),
        R"({"Position": {"X": -3, "W": "w", "Y": 6, "Z": 1.5}, "Is": true})");
    const auto made = holder_with(
        [](bson::Writer& to) { to.document("Position").int32("X", -4).int64("Y", 5).real("Z", 0.5).end(); });
    const auto placed = placed_entity(bson::Document::open(made).value(), placement).value();
    const auto position =
        *bson::Document::open(placed)->find_path({"Components", "Thing", "Position"})->document();
    EXPECT_EQ(position.find("X")->type(), bson::Type::int32);
    EXPECT_EQ(position.find("Y")->type(), bson::Type::int64);
    EXPECT_EQ(position.find("Z")->type(), bson::Type::real);
    EXPECT_EQ(moved_thing([](bson::Writer& to) { to.document("Position").real("X", 1).real("Y", 2).end(); },
                          placement),
              R"({"Position": {"X": 1.0, "Y": 2.0}})")
        << "two numbers are no position";
}

TEST(PlaceHolder, AMirrorTurnsYawAndRollAndLeavesPitch) {
    const auto rotation = [](bson::Writer& to) {
        to.document("Rotation")
            .real("Pitch", 0.25)
            .real("Yaw", 0.5)
            .real("Roll", 0.75)
            .string("Note", "n")
            .end();
    };
    const auto numbers = [&](const Turn& turn) {
        const auto made = holder_with(rotation);
        const auto placed = placed_entity(bson::Document::open(made).value(), {turn, 0, 0, 0}).value();
        const auto found = bson::Document::open(placed)->find_path({"Components", "Thing", "Rotation"});
        const auto document = *found->document();
        EXPECT_EQ(document.find("Note")->string(), "n");
        return std::array<double, 3>{*document.find("Pitch")->number(), *document.find("Yaw")->number(),
                                     *document.find("Roll")->number()};
    };
    const Turn quarter{1, false};
    const Turn mirror{0, true};
    EXPECT_EQ(numbers(quarter), (std::array<double, 3>{0.25, quarter.apply_to_yaw(0.5), 0.75}));
    EXPECT_EQ(numbers(mirror), (std::array<double, 3>{0.25, mirror.apply_to_yaw(0.5), -0.75}));
    EXPECT_NE(quarter.apply_to_yaw(0.5), 0.5);
    const auto yaw_alone = [](bson::Writer& to) {
        to.document("Head").real("Yaw", 0.5).real("Speed", 1).end();
    };
    EXPECT_EQ(moved_thing(yaw_alone, {quarter, 0, 0, 0}), R"({"Head": {"Yaw": 0.5, "Speed": 1.0}})")
        << "without pitch and roll it is no rotation";
}

TEST(PlaceHolder, OnlyKnownIdsBecomeNewOnesAndEachStaysOne) {
    const Uuid known{1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10};
    const Uuid other{9, 9, 9, 4, 5, 6, 0x47, 8, 0x89, 10};
    const auto made = holder_with(
        [&](bson::Writer& to) { to.uuid("Id", known).uuid("Again", known).uuid("Player", other); });
    NewIds ids;
    ids.add(known);
    const auto placed = placed_entity(bson::Document::open(made).value(), {Turn{}, 0, 0, 0, &ids}).value();
    const auto thing = *bson::Document::open(placed)->find_path({"Components", "Thing"})->document();
    const auto bytes = [&](std::string_view key) {
        const auto binary = thing.find(key)->binary();
        return std::vector<std::uint8_t>(binary->data.begin(), binary->data.end());
    };
    EXPECT_EQ(bytes("Id"), bytes("Again"));
    EXPECT_NE(bytes("Id"), std::vector<std::uint8_t>(known.begin(), known.end()));
    EXPECT_EQ(bytes("Player"), std::vector<std::uint8_t>(other.begin(), other.end()));
    EXPECT_EQ(placed_entity(bson::Document::open(made).value(), {}).value(), made) << "without a list none";
}

TEST(PlaceHolder, APointReplacesThatOfTheTransformAlone) {
    Buffer made;
    bson::Writer to(made);
    to.document("Components");
    to.document("Transform").document("Position").real("X", 1).real("Y", 2).real("Z", 3).end().end();
    to.document("Home").document("Position").real("X", 1).real("Y", 2).real("Z", 3).end().end();
    to.end().finish();
    const auto holder = bson::Document::open(made).value();
    EXPECT_EQ(entity_point(holder), (Turn::Point{1, 2, 3}));
    const auto placed = with_entity_point(holder, {-4.5, 5, 6}).value();
    EXPECT_EQ(entity_point(bson::Document::open(placed).value()), (Turn::Point{-4.5, 5, 6}));
    EXPECT_EQ(bson::Document::open(placed)->find_path({"Components", "Home", "Position", "X"})->number(),
              1.0);
    const auto without = holder_with([](bson::Writer&) {});
    EXPECT_FALSE(entity_point(bson::Document::open(without).value()));
    EXPECT_EQ(with_entity_point(bson::Document::open(without).value(), {1, 2, 3}).value(), without);
}

TEST(PlaceHolder, TheComponentsOfABlockSayWhereItIs) {
    const auto made = holder_with([](bson::Writer& to) {
        to.document("Position").int32("X", 1).int32("Y", 2).int32("Z", 3).end().boolean("Custom", false);
    });
    const auto holder = bson::Document::open(made).value();
    EXPECT_EQ(placed_block_holder(holder, {1, 2, 3}).value(), made);
    const auto placed = placed_block_holder(holder, {1, -7, 3}).value();
    const auto thing = *bson::Document::open(placed)->find_path({"Components", "Thing"})->document();
    EXPECT_EQ(bson::to_extended_json(thing).value(),
              R"({"Position": {"X": 1, "Y": -7, "Z": 3}, "Custom": false})");
}

} // namespace
} // namespace orbis::jobs
