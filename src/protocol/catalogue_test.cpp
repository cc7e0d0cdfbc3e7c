#include "protocol/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orbis::protocol {

TEST(Catalogue, NineBuildsAreInTheProgramOldestFirst) {
    std::vector<std::string_view> names;
    for (const auto& build : builds()) names.push_back(build.build);
    EXPECT_EQ(names,
              (std::vector<std::string_view>{"2026.01.17", "2026.02.06", "2026.02.17", "2026.03.26",
                                             "2026.05.07", "0.5.0-pre.8", "0.5.1", "0.6.0-pre.1", "b242"}));
}

TEST(Catalogue, ABuildIsFoundByNameCrcAndHash) {
    const auto found = [](std::string_view text) {
        const auto* build = find_build(text);
        return build != nullptr ? build->build : "none";
    };
    EXPECT_EQ(found("2026.02.17"), "2026.02.17");
    EXPECT_EQ(found("-1356075132"), "2026.02.17");
    EXPECT_EQ(found("2938892164"), "2026.02.17");
    EXPECT_EQ(found("0xaf2bef84"), "2026.02.17");
    EXPECT_EQ(found("2026.01.28"), "2026.02.06");
    EXPECT_EQ(found("0.5.0-pre.9"), "0.5.1");
    EXPECT_EQ(found("0xda8e43b4"), "b242");
    EXPECT_EQ(found("6708f121966c1c443f4b0eb525b2f81d0a8dc61f5003a692a8fa157e5e02cea9"), "2026.01.17");
    EXPECT_EQ(found("2026"), "none");
    EXPECT_EQ(found(""), "none");
    const auto missing = find_schema("1.0");
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("2026.02.17"), std::string::npos);
}

TEST(Catalogue, PacketsAreCountedAsTheBuildsState) {
    const std::vector<std::pair<std::string_view, std::size_t>> stated{
        {"2026.01.17", 268}, {"2026.02.06", 268},  {"2026.02.17", 268},
        {"2026.03.26", 280}, {"2026.05.07", 319},  {"0.5.0-pre.8", 322},
        {"0.5.1", 326},      {"0.6.0-pre.1", 326}, {"b242", 377}};
    for (const auto& [build, count] : stated)
        EXPECT_EQ(find_schema(build).value()->registry().packets().size(), count) << build;
}

TEST(Catalogue, DirectionsAndChannelsOf20260217) {
    const auto& registry = find_schema("2026.02.17").value()->registry();
    std::size_t to_client = 0;
    std::size_t to_server = 0;
    std::size_t both = 0;
    std::set<std::int32_t> chunks;
    for (const auto& packet : registry.packets()) {
        to_client += packet.direction == Direction::to_client ? 1 : 0;
        to_server += packet.direction == Direction::to_server ? 1 : 0;
        both += packet.direction == Direction::both ? 1 : 0;
        if (packet.channel == Channel::chunks) chunks.insert(packet.id);
    }
    EXPECT_EQ(to_client, 175U);
    EXPECT_EQ(to_server, 81U);
    EXPECT_EQ(both, 12U);
    EXPECT_EQ(chunks, (std::set<std::int32_t>{131, 132, 133, 134, 135, 136, 140, 141, 142, 143, 144}));
    EXPECT_EQ(registry.find(108)->name, "ClientMovement");
    EXPECT_EQ(registry.find("ClientMovement")->id, 108);
    EXPECT_EQ(registry.find(9999), nullptr);
}

TEST(Schema, OneThatDoesNotHoldTogetherIsRefused) {
    EXPECT_FALSE(Schema::parse("{}"));
    EXPECT_FALSE(Schema::parse("[1,"));
    const std::string head =
        R"({"format":"hytale-wire/1","build":"x","enums":{},"unions":{},"packets":{},"structs":{)";
    EXPECT_TRUE(Schema::parse(head + "}}"));
    const auto with = [&](std::string_view fields, std::string_view rest) {
        return Schema::parse(
            fmt::format(R"({}"A":{{"nullBytes":0,{},"max":9,"fields":[{}]}}}}}})", head, rest, fields));
    };
    constexpr std::string_view k_four = R"("fixed":4,"varCount":0,"varStart":4)";
    EXPECT_TRUE(with(R"({"name":"a","at":0,"type":"i32"})", k_four));
    EXPECT_FALSE(with(R"({"name":"a","at":1,"type":"i32"})", k_four)) << "sticks out of the fixed block";
    EXPECT_FALSE(with(R"({"name":"a","at":0,"null":0,"type":"i32"})", k_four)) << "no null byte";
    EXPECT_FALSE(with(R"({"name":"a","at":0,"type":{"struct":"B"}})", k_four)) << "no such struct";
    EXPECT_FALSE(with(R"({"name":"a","at":0,"type":{"string":"utf8","max":3}})", k_four))
        << "not of fixed width";
    EXPECT_FALSE(with(R"({"name":"a","inline":true,"type":"i32"})", k_four)) << "a variable field too many";
}

} // namespace orbis::protocol
