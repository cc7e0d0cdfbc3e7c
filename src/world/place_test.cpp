#include "support/region_images.hpp"
#include "support/shared.hpp"
#include "world/place.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace orbis::world {
namespace {

namespace fs = std::filesystem;
using storage::Provider;

class PlaceTest : public testing::Test {
protected:
    void put(const fs::path& name, std::string_view text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    void put_region(const fs::path& name) const {
        const Buffer document(10, 1);
        put(name, as_text(test::region_v1_image({{0, test::compressed_blob(document)}})));
    }
    [[nodiscard]] Place find(const fs::path& name) const { return find_place(folder_ / name).value(); }
    [[nodiscard]] Error problem(const fs::path& name) const { return find_place(folder_ / name).error(); }

    test::TemporaryFolder folder_;
};

TEST_F(PlaceTest, LengthsOfDaysAreWholeSecondsAboveZero) {
    const auto day = [&](std::string_view value) {
        put("w/config.json", fmt::format(R"({{"DaytimeDurationSeconds": {}}})", value));
        return find("w").worlds.at(0).config.day_seconds;
    };
    EXPECT_EQ(day("1"), 1);
    EXPECT_EQ(day("2147483647"), 2147483647);
    for (const auto* none : {"0", "-1", "2147483648", "1.5", "\"1\"", "null", "9223372036854775807"})
        EXPECT_EQ(day(none), std::nullopt) << none;
}

TEST_F(PlaceTest, AConfigurationOfANewerGameIsNoted) {
    for (const int version : {1, 4, 5}) {
        put("w/config.json", fmt::format(R"({{"Version": {}}})", version));
        const auto world = find("w").worlds.at(0);
        EXPECT_EQ(world.config.version, version);
        EXPECT_EQ(std::ranges::count(world.notes, Errc::unsupported, &Error::code), version > 4 ? 1 : 0)
            << version;
    }
}

TEST_F(PlaceTest, ProvidersNestExactlyAsDeepAsTheyMay) {
    std::string provider = R"({"Type": "Hytale"})";
    for (int depth = 1; depth <= 10; ++depth) {
        provider = fmt::format(R"({{"Type": "Migration", "Loaders": [{}], "Saver": {{"Type": "Hytale"}}}})",
                               provider);
        put("w/config.json", fmt::format(R"({{"Version": 4, "ChunkStorage": {}}})", provider));
        EXPECT_EQ(find("w").worlds.at(0).config.has_provider, depth <= 8) << depth;
    }
}

TEST_F(PlaceTest, AConfigurationIsReadUpToTheDepthThatIsAllowed) {
    for (const int depth : {199, 200, 201}) { // the object itself is one of them
        const auto lists = static_cast<std::size_t>(depth - 1);
        put("w/config.json",
            R"({"DisplayName": "x", "Other": )" + std::string(lists, '[') + std::string(lists, ']') + "}");
        EXPECT_EQ(find("w").worlds.at(0).config.display_name, depth <= 200 ? "x" : "") << depth;
    }
}

TEST_F(PlaceTest, EveryKindOfPlaceIsFound) {
    put("server/universe/worlds/a/config.json", "{}");
    put("server/universe/worlds/b/config.json", "{}");
    put("server/universe/players/x.json", "{}");
    put_region("server/universe/worlds/a/chunks/0.0.region.bin");
    EXPECT_EQ(find("server").kind, Place::Kind::universe);
    EXPECT_EQ(find("server").players, 1U);
    EXPECT_EQ(find("server/universe").worlds.size(), 2U);
    EXPECT_EQ(find("server/universe/worlds/a").kind, Place::Kind::world);
    EXPECT_EQ(find("server/universe/worlds/a/chunks").kind, Place::Kind::chunks_folder);
    EXPECT_EQ(find("server/universe/worlds/a/chunks/0.0.region.bin").kind, Place::Kind::region_file);
    put("db/CURRENT", "x");
    put("db/IDENTITY", "x");
    EXPECT_EQ(find("db").kind, Place::Kind::rocksdb);
}

TEST_F(PlaceTest, WhatIsNoWorldSaysWhatWasExpectedAndFound) {
    fs::create_directories(folder_ / "nothing");
    EXPECT_EQ(problem("nothing").code, Errc::unknown_kind);
    EXPECT_EQ(problem("missing").code, Errc::not_found);
    put("noise", "noise");
    EXPECT_EQ(problem("noise").code, Errc::unknown_kind);
    put("half.zip", "PK\x03\x04");
    EXPECT_EQ(problem("half.zip").code, Errc::bad_value);
}

TEST_F(PlaceTest, AWorldIsChosenByNameOrWhenItIsTheOnlyOne) {
    put("u/worlds/a/config.json", "{}");
    EXPECT_EQ(choose_world(find("u"), "").value()->name, "a");
    put("u/worlds/b/config.json", "{}");
    EXPECT_EQ(choose_world(find("u"), "b").value()->name, "b");
    EXPECT_NE(choose_world(find("u"), "").error().text().find("a, b"), std::string::npos);
    EXPECT_EQ(choose_world(find("u"), "c").error().code, Errc::not_found);
}

TEST_F(PlaceTest, TheBackupIsUsedWhereTheConfigurationIsMissingEmptyOrBroken) {
    for (const char* broken : {"", "{", "[1]", "{\"Seed\":", "{\"Seed\":1e999}"}) {
        put("w/config.json", broken);
        put("w/config.json.bak", R"({"Version":4,"Seed":7})");
        const auto place = find("w");
        EXPECT_EQ(place.worlds.front().config.seed, 7) << broken;
        EXPECT_EQ(place.worlds.front().notes.size(), 2U) << broken;
    }
    fs::remove(folder_ / "w/config.json");
    EXPECT_EQ(find("w").worlds.front().config.seed, 7);
    EXPECT_EQ(find("w").worlds.front().notes.size(), 1U);
}

TEST_F(PlaceTest, ProvidersAreReadFromTheConfiguration) {
    const auto provider = [&](std::string_view json) {
        put("w/config.json", fmt::format(R"({{"ChunkStorage":{}}})", json));
        return find("w").worlds.front();
    };
    EXPECT_EQ(provider(R"({"Type":"Hytale"})").provider.type, Provider::Type::hytale);
    EXPECT_EQ(provider(R"({"Type":"IndexedStorage","FlushOnWrite":true})").provider.type,
              Provider::Type::indexed_storage);
    EXPECT_EQ(provider(R"({"Type":"RocksDb"})").provider.type, Provider::Type::rocks_db);
    EXPECT_EQ(provider(R"({"Type":"Empty"})").provider.type, Provider::Type::empty);
    const auto migration = provider(
        R"({"Type":"Migration","Loaders":[{"Type":"RocksDb"},{"Type":"Hytale"}],"Saver":{"Type":"RocksDb"}})");
    EXPECT_EQ(migration.provider.type, Provider::Type::migration);
    EXPECT_EQ(migration.provider.loaders.size(), 2U);
    for (const char* odd : {R"({"Type":"Magic"})", "3", R"({"Type":"Migration"})"})
        EXPECT_EQ(provider(odd).notes.size(), 1U) << odd;
}

TEST_F(PlaceTest, AFolderThatHoldsSomethingElseThanConfiguredIsUsedAndSaid) {
    put("w/config.json", R"({"ChunkStorage":{"Type":"RocksDb"}})");
    put_region("w/chunks/0.0.region.bin");
    EXPECT_EQ(find("w").worlds.front().provider.type, Provider::Type::indexed_storage);
    EXPECT_EQ(find("w").worlds.front().notes.size(), 1U);
}

TEST_F(PlaceTest, DeepJsonIsAnErrorAndNotAStackOverflow) {
    put("w/config.json", std::string(100000, '['));
    EXPECT_EQ(find("w").worlds.front().notes.at(0).code, Errc::too_deep);
}

TEST_F(PlaceTest, ChangingTheProviderKeepsEverythingElse) {
    put("w/config.json",
        R"({"B":1.5,"ChunkStorage":{"Type":"Hytale"},"A":[true,"ü"],"Seed":9007199254740993})");
    const auto place = find("w");
    const auto& world = place.worlds.front();
    EXPECT_EQ(with_provider(world.folder, world.config, Provider::Type::rocks_db).value(),
              "{\n  \"B\": 1.5,\n  \"ChunkStorage\": {\n    \"Type\": \"RocksDb\"\n  },\n  \"A\": [\n    "
              "true,\n    "
              "\"ü\"\n  ],\n  \"Seed\": 9007199254740993\n}");
    EXPECT_NE(
        with_provider(world.folder, world.config, Provider::Type::indexed_storage).value().find("Hytale"),
        std::string::npos)
        << "Hytale means region files already";
}

TEST_F(PlaceTest, AnUnfinishedConversionIsSaid) {
    put("w/config.json", "{}");
    EXPECT_TRUE(find("w").worlds.front().notes.empty());
    put(fs::path("w") / k_unfinished_note, "x");
    EXPECT_EQ(find("w").worlds.front().notes.size(), 1U);
}

TEST_F(PlaceTest, NarrowingKeepsOnlyTheChosenWorldOfAUniverse) {
    put("u/worlds/a/config.json", "{}");
    put("u/worlds/b/config.json", "{}");
    const auto only = narrow_to_world(find("u"), "b").value();
    EXPECT_EQ(only.kind, Place::Kind::world);
    EXPECT_EQ(only.worlds.size(), 1U);
    EXPECT_EQ(only.path, (folder_ / "u/worlds/b").string());
    put_region("chunks/0.0.region.bin");
    EXPECT_EQ(narrow_to_world(find("chunks"), "chunks").value().kind, Place::Kind::chunks_folder);
    EXPECT_EQ(narrow_to_world(find("u"), "c").error().code, Errc::not_found);
}

} // namespace
} // namespace orbis::world
