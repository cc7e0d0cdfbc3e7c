#include "support/pack_files.hpp"
#include "support/region_images.hpp"
#include "support/shared.hpp"
#include "world/location.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace orbis::world {
namespace {

namespace fs = std::filesystem;
using storage::Provider;

class LocationTest : public testing::Test {
protected:
    void put(const fs::path& name, std::string_view text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    void put_region(const fs::path& name) const {
        const Buffer document(10, 1);
        put(name, as_text(test::region_v1_image({{0, test::compressed_blob(document)}})));
    }
    [[nodiscard]] Location find(const fs::path& name) const { return find_location(folder_ / name).value(); }
    [[nodiscard]] Error problem(const fs::path& name) const { return find_location(folder_ / name).error(); }

    test::TemporaryFolder folder_;
};

TEST_F(LocationTest, LengthsOfDaysAreWholeSecondsAboveZero) {
    const auto day = [&](std::string_view value) {
        put("w/config.json", fmt::format(R"({{"DaytimeDurationSeconds": {}}})", value));
        return find("w").worlds.at(0).config.day_seconds;
    };
    EXPECT_EQ(day("1"), 1);
    EXPECT_EQ(day("2147483647"), 2147483647);
    for (const auto* none : {"0", "-1", "2147483648", "1.5", "\"1\"", "null", "9223372036854775807"})
        EXPECT_EQ(day(none), std::nullopt) << none;
}

TEST_F(LocationTest, AConfigurationOfANewerGameIsNoted) {
    for (const int version : {1, 4, 5}) {
        put("w/config.json", fmt::format(R"({{"Version": {}}})", version));
        const auto world = find("w").worlds.at(0);
        EXPECT_EQ(world.config.version, version);
        EXPECT_EQ(std::ranges::count(world.notes, Errc::unsupported, &Error::code), version > 4 ? 1 : 0)
            << version;
    }
}

TEST_F(LocationTest, ProvidersNestExactlyAsDeepAsTheyMay) {
    std::string provider = R"({"Type": "Hytale"})";
    for (int depth = 1; depth <= 10; ++depth) {
        provider = fmt::format(R"({{"Type": "Migration", "Loaders": [{}], "Saver": {{"Type": "Hytale"}}}})",
                               provider);
        put("w/config.json", fmt::format(R"({{"Version": 4, "ChunkStorage": {}}})", provider));
        EXPECT_EQ(find("w").worlds.at(0).config.has_provider, depth <= 8) << depth;
    }
}

TEST_F(LocationTest, AConfigurationIsReadUpToTheDepthThatIsAllowed) {
    for (const int depth : {199, 200, 201}) { // the object itself is one of them
        const auto lists = static_cast<std::size_t>(depth - 1);
        put("w/config.json",
            R"({"DisplayName": "x", "Other": )" + std::string(lists, '[') + std::string(lists, ']') + "}");
        EXPECT_EQ(find("w").worlds.at(0).config.display_name, depth <= 200 ? "x" : "") << depth;
    }
}

TEST_F(LocationTest, EveryKindOfPlaceIsFound) {
    put("server/universe/worlds/a/config.json", "{}");
    put("server/universe/worlds/b/config.json", "{}");
    put("server/universe/players/x.json", "{}");
    put_region("server/universe/worlds/a/chunks/0.0.region.bin");
    EXPECT_EQ(find("server").kind, Location::Kind::universe);
    EXPECT_EQ(find("server").players, 1U);
    EXPECT_EQ(find("server/universe").worlds.size(), 2U);
    EXPECT_EQ(find("server/universe/worlds/a").kind, Location::Kind::world);
    EXPECT_EQ(find("server/universe/worlds/a/chunks").kind, Location::Kind::chunks_folder);
    EXPECT_EQ(find("server/universe/worlds/a/chunks/0.0.region.bin").kind, Location::Kind::region_file);
    put("db/CURRENT", "x");
    put("db/IDENTITY", "x");
    EXPECT_EQ(find("db").kind, Location::Kind::rocksdb);
}

TEST_F(LocationTest, WhatIsNoWorldSaysWhatWasExpectedAndFound) {
    fs::create_directories(folder_ / "nothing");
    EXPECT_EQ(problem("nothing").code, Errc::unknown_kind);
    EXPECT_EQ(problem("missing").code, Errc::not_found);
    put("noise", "noise");
    EXPECT_EQ(problem("noise").code, Errc::unknown_kind);
    put("half.zip", "PK\x03\x04");
    EXPECT_EQ(problem("half.zip").code, Errc::bad_value);
}

TEST_F(LocationTest, AWorldIsChosenByNameOrWhenItIsTheOnlyOne) {
    put("u/worlds/a/config.json", "{}");
    EXPECT_EQ(choose_world(find("u"), "").value()->name, "a");
    put("u/worlds/b/config.json", "{}");
    EXPECT_EQ(choose_world(find("u"), "b").value()->name, "b");
    EXPECT_NE(choose_world(find("u"), "").error().text().find("a, b"), std::string::npos);
    EXPECT_EQ(choose_world(find("u"), "c").error().code, Errc::not_found);
}

TEST_F(LocationTest, TheBackupIsUsedWhereTheConfigurationIsMissingEmptyOrBroken) {
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

TEST_F(LocationTest, ProvidersAreReadFromTheConfiguration) {
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

TEST_F(LocationTest, AFolderThatHoldsSomethingElseThanConfiguredIsUsedAndSaid) {
    put("w/config.json", R"({"ChunkStorage":{"Type":"RocksDb"}})");
    put_region("w/chunks/0.0.region.bin");
    EXPECT_EQ(find("w").worlds.front().provider.type, Provider::Type::indexed_storage);
    EXPECT_EQ(find("w").worlds.front().notes.size(), 1U);
}

TEST_F(LocationTest, DeepJsonIsAnErrorAndNotAStackOverflow) {
    put("w/config.json", std::string(100000, '['));
    EXPECT_EQ(find("w").worlds.front().notes.at(0).code, Errc::too_deep);
}

TEST_F(LocationTest, ChangingTheProviderKeepsEverythingElse) {
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

TEST_F(LocationTest, AnUnfinishedConversionIsSaid) {
    put("w/config.json", "{}");
    EXPECT_TRUE(find("w").worlds.front().notes.empty());
    put(fs::path("w") / k_unfinished_note, "x");
    EXPECT_EQ(find("w").worlds.front().notes.size(), 1U);
}

TEST_F(LocationTest, NarrowingKeepsOnlyTheChosenWorldOfAUniverse) {
    put("u/worlds/a/config.json", "{}");
    put("u/worlds/b/config.json", "{}");
    const auto only = narrow_to_world(find("u"), "b").value();
    EXPECT_EQ(only.kind, Location::Kind::world);
    EXPECT_EQ(only.worlds.size(), 1U);
    EXPECT_EQ(only.path, (folder_ / "u/worlds/b").string());
    put_region("chunks/0.0.region.bin");
    EXPECT_EQ(narrow_to_world(find("chunks"), "chunks").value().kind, Location::Kind::chunks_folder);
    EXPECT_EQ(narrow_to_world(find("u"), "c").error().code, Errc::not_found);
}

TEST_F(LocationTest, EveryFieldOfAConfigurationIsRead) {
    put("w/config.json",
        R"({"Version": 3, "DisplayName": "Home", "Seed": -7, "WorldGen": {"Type": "Hytale", "Name": "Big"},
        "GameMode": "Creative", "GameTime": "0001-01-01T05:30:00Z", "IsGameTimePaused": true,
        "DaytimeDurationSeconds": 11, "NighttimeDurationSeconds": 12, "ForcedWeather": "Rain",
        "ClientEffects": {"SunHeightPercent": 50, "SunAngleDegrees": 90, "BloomIntensity": 0.5,
        "BloomPower": 6, "SunIntensity": 0.75, "SunshaftIntensity": 0.125, "SunshaftScaleFactor": 2},
        "UUID": {"$binary": "AAECAwQFBgcICQoLDA0O/w==", "$type": "04"}})");
    const auto config = find("w").worlds.at(0).config;
    EXPECT_EQ(config.file, (folder_ / "w/config.json").string());
    EXPECT_EQ(config.version, 3);
    EXPECT_EQ(config.display_name, "Home");
    EXPECT_EQ(config.seed, -7);
    EXPECT_EQ(config.world_gen, "Hytale Big");
    EXPECT_EQ(config.game_mode, "Creative");
    EXPECT_EQ(config.game_time, "0001-01-01T05:30:00Z");
    EXPECT_TRUE(config.is_time_paused);
    EXPECT_EQ(config.day_seconds, 11);
    EXPECT_EQ(config.night_seconds, 12);
    EXPECT_EQ(config.forced_weather, "Rain");
    EXPECT_EQ(config.uuid, "00010203-0405-0607-0809-0a0b0c0d0eff");
    EXPECT_EQ(config.effects.sun_height_percent, 50);
    EXPECT_EQ(config.effects.sun_angle_degrees, 90);
    EXPECT_EQ(config.effects.bloom_intensity, 0.5F);
    EXPECT_EQ(config.effects.bloom_power, 6);
    EXPECT_EQ(config.effects.sun_intensity, 0.75F);
    EXPECT_EQ(config.effects.sunshaft_intensity, 0.125F);
    EXPECT_EQ(config.effects.sunshaft_scale, 2);
    put("w/config.json",
        R"({"DisplayName": 5, "Seed": "x", "WorldGen": {"Type": "Flat"}, "IsGameTimePaused": 1,
        "ClientEffects": {"BloomPower": "much", "BloomIntensity": 1e300},
        "UUID": {"$binary": "AAEC", "$type": "04"}})");
    const auto odd = find("w").worlds.at(0).config;
    EXPECT_EQ(odd.display_name, "");
    EXPECT_EQ(odd.seed, std::nullopt);
    EXPECT_EQ(odd.world_gen, "Flat");
    EXPECT_FALSE(odd.is_time_paused);
    EXPECT_EQ(odd.uuid, "");
    EXPECT_EQ(odd.effects.bloom_power, 8);
    EXPECT_EQ(odd.effects.bloom_intensity, 0.3F);
}

TEST_F(LocationTest, AConfigurationIsReadUpToFourMegabytes) {
    constexpr std::size_t most = 4 << 20;
    const std::string text = R"({"DisplayName": "x"})";
    for (const auto size : {most, most + 1}) {
        put("w/config.json", text + std::string(size - text.size(), ' '));
        const auto world = find("w").worlds.at(0);
        EXPECT_EQ(world.config.display_name, size == most ? "x" : "");
        EXPECT_EQ(world.notes.size(), size == most ? 0U : 1U);
    }
}

TEST_F(LocationTest, OldNamesOfTheConfigurationAreTakenWithoutAWord) {
    for (const char* name : {"instance.bson", "config.bson"}) { // the later one of these wins over the first
        put(fs::path("w") / name, fmt::format(R"({{"DisplayName": "{}"}})", name));
        const auto world = find("w").worlds.at(0);
        EXPECT_EQ(world.config.display_name, name);
        EXPECT_TRUE(world.notes.empty());
    }
    put("w/config.json.bak", R"({"DisplayName": "copy"})");
    EXPECT_EQ(find("w").worlds.at(0).config.display_name, "copy");
    EXPECT_EQ(find("w").worlds.at(0).notes.size(), 1U);
    put("w/config.json", R"({"DisplayName": "own"})");
    EXPECT_EQ(find("w").worlds.at(0).config.display_name, "own");
    EXPECT_TRUE(find("w").worlds.at(0).notes.empty());
}

TEST_F(LocationTest, AWorldOfABackupIsFoundByItsIdThenByItsName) {
    const auto id = [](char last) {
        return fmt::format(R"({{"UUID": {{"$binary": "AAAAAAAAAAAAAAAAAAAA{}A==", "$type": "04"}}}})", last);
    };
    put("u/worlds/home/config.json", id('A'));
    put("b/worlds/home/config.json", id('B'));
    put("b/worlds/moved/config.json", id('A'));
    const auto own = find("u").worlds.at(0);
    ASSERT_FALSE(own.config.uuid.empty());
    EXPECT_EQ(choose_counterpart(find("b"), "", own).value()->name, "moved");
    EXPECT_EQ(choose_counterpart(find("b"), "home", own).value()->name, "home") << "what was asked for";
    put("b/worlds/copy/config.json", id('A')); // two have the id now
    EXPECT_EQ(choose_counterpart(find("b"), "", own).value()->name, "home");
    fs::remove_all(folder_ / "b/worlds/home");
    const auto none = choose_counterpart(find("b"), "", own);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().advice.find("--from-world"), std::string::npos) << none.error().advice;
    fs::remove_all(folder_ / "b/worlds/copy");
    put("b/worlds/moved/config.json", id('C'));
    EXPECT_EQ(choose_counterpart(find("b"), "", own).value()->name, "moved") << "the only one";
}

TEST_F(LocationTest, AWorldWithoutAnIdIsNotFoundByThat) {
    put("u/worlds/home/config.json", "{}");
    put("b/worlds/home/config.json", R"({"UUID": {"$binary": "AAECAwQFBgcICQoLDA0O/w==", "$type": "04"}})");
    put("b/worlds/other/config.json", "{}");
    EXPECT_EQ(choose_counterpart(find("b"), "", find("u").worlds.at(0)).value()->name, "home");
}

TEST_F(LocationTest, SomeOfWhatAFolderHoldsInsteadIsNamed) {
    for (int i = 1; i <= 5; ++i) put(fmt::format("odd/f{}", i), "x");
    EXPECT_TRUE(problem("odd").problem.ends_with("it contains f1, f2, f3, f4, f5")) << problem("odd").problem;
    for (int i = 6; i <= 7; ++i) put(fmt::format("odd/f{}", i), "x");
    EXPECT_TRUE(problem("odd").problem.ends_with("it contains f1, f2, f3, f4, f5 and 2 more"))
        << problem("odd").problem;
    fs::create_directory(folder_ / "none");
    EXPECT_TRUE(problem("none").problem.ends_with("it contains nothing")) << problem("none").problem;
}

TEST_F(LocationTest, AnUnfinishedPlaceSaysTheCommandThatFinishesIt) {
    put("w/config.json", "{}");
    put(fs::path("w") / k_unfinished_note, "source\nformat\norbis convert a b --continue\nmore\n");
    const auto world = find("w").worlds.at(0);
    EXPECT_TRUE(world.unfinished.has_value());
    ASSERT_EQ(world.notes.size(), 1U);
    EXPECT_TRUE(world.notes[0].advice.ends_with("with: orbis convert a b --continue"))
        << world.notes[0].advice;
    put(fs::path("w") / k_unfinished_note, "source\nformat\n");
    EXPECT_NE(find("w").worlds.at(0).notes.at(0).advice.find("--continue"), std::string::npos);
    EXPECT_EQ(find("w").worlds.at(0).notes.at(0).advice.find("format"), std::string::npos);
    put(fs::path("w") / k_unfinished_note, "source\nformat\norbis convert " + std::string(65536, 'a') + "\n");
    EXPECT_TRUE(find("w").worlds.at(0).finishing_command.empty()) << "nobody writes notes like that";
}

TEST_F(LocationTest, AZipOfAFolderIsOpenedInsideAndOneOfAUniverseIsNot) {
    test::write_zip(folder_ / "packed.zip", {{"some folder/worlds/a/config.json", "{}"}});
    EXPECT_EQ(find("packed.zip").kind, Location::Kind::universe);
    test::write_zip(folder_ / "universe.zip", {{"worlds/a/config.json", "{}"}});
    const auto universe = find("universe.zip");
    EXPECT_EQ(universe.kind, Location::Kind::universe);
    ASSERT_EQ(universe.worlds.size(), 1U);
    EXPECT_EQ(universe.worlds[0].name, "a");
}

TEST_F(LocationTest, AWorldThatIsALinkIsNamedWithTheReasonWhyItIsNotRead) {
    put("elsewhere/config.json", R"({"DisplayName": "private"})");
    put("u/worlds/a/config.json", "{}");
    fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "u/worlds/b");
    const auto worlds = find("u").worlds;
    ASSERT_EQ(worlds.size(), 2U);
    EXPECT_EQ(worlds[1].name, "b");
    EXPECT_EQ(worlds[1].notes.size(), 1U);
    EXPECT_TRUE(worlds[1].config.display_name.empty());
}

TEST_F(LocationTest, StoragesThatContradictTheFolderAreNoted) {
    put("e/config.json", R"({"ChunkStorage":{"Type":"Empty"}})");
    EXPECT_TRUE(find("e").worlds.at(0).notes.empty());
    put_region("e/chunks/0.0.region.bin");
    EXPECT_EQ(find("e").worlds.at(0).notes.size(), 1U);
    EXPECT_EQ(find("e").worlds.at(0).provider.type, Provider::Type::empty);
    for (const char* type : {"Hytale", "IndexedStorage"}) {
        put("d/config.json", fmt::format(R"({{"ChunkStorage":{{"Type":"{}"}}}})", type));
        put("d/db/CURRENT", "x");
        put("d/db/IDENTITY", "x");
        EXPECT_EQ(find("d").worlds.at(0).provider.type, Provider::Type::rocks_db);
        EXPECT_EQ(find("d").worlds.at(0).notes.size(), 1U);
        fs::create_directories(folder_ / "d/chunks");
        EXPECT_NE(find("d").worlds.at(0).provider.type, Provider::Type::rocks_db) << "both are there";
        fs::remove(folder_ / "d/chunks");
    }
}

TEST_F(LocationTest, ARegionFileIsKnownByItsNameOrByItsMark) {
    put_region("0.0.region.bin");
    put("1.0.region.bin", "cut");
    put("empty.bin", "");
    EXPECT_EQ(find("1.0.region.bin").kind, Location::Kind::region_file) << "verify has to say what is wrong";
    put("other.bin", "HytaleIndexedStorage");
    EXPECT_EQ(find("other.bin").kind, Location::Kind::region_file);
    put("almost.bin", "Hyta");
    EXPECT_EQ(find("almost.bin").kind, Location::Kind::region_file);
    put("no.bin", "Hytb");
    EXPECT_EQ(problem("no.bin").code, Errc::unknown_kind);
    EXPECT_EQ(problem("empty.bin").code, Errc::unknown_kind);
    const auto world = find("0.0.region.bin").worlds.at(0);
    EXPECT_EQ(world.name, "0.0.region.bin");
    EXPECT_EQ(world.region_file, folder_ / "0.0.region.bin");
}

TEST_F(LocationTest, PlayersAreTheirFilesAndWorldsAreFolders) {
    put("u/worlds/a/config.json", "{}");
    put("u/worlds/readme.txt", "x");
    for (const char* name : {"1.json", "2.json", "2.json.bak", "note.txt", "folder.json/x"})
        put(fs::path("u/players") / name, "{}");
    const auto place = find("u");
    EXPECT_EQ(place.players, 2U);
    EXPECT_EQ(place.worlds.size(), 1U);
    EXPECT_EQ(narrow_to_world(place, "").value().kind, Location::Kind::universe);
    EXPECT_EQ(name(Location::Kind::universe), "universe");
    EXPECT_EQ(name(Location::Kind::world), "world");
    EXPECT_EQ(name(Location::Kind::chunks_folder), "folder of region files");
    EXPECT_EQ(name(Location::Kind::region_file), "region file");
    EXPECT_EQ(name(Location::Kind::rocksdb), "RocksDB folder");
    fs::remove_all(folder_ / "u/worlds/a");
    EXPECT_EQ(choose_world(find("u"), "").error().code, Errc::not_found);
}

TEST_F(LocationTest, AProviderIsWrittenWhereThereWasNone) {
    put("w/config.json", R"({"Seed": 1})");
    const auto world = find("w").worlds.at(0);
    EXPECT_EQ(with_provider(world.folder, world.config, Provider::Type::indexed_storage).value(),
              "{\n  \"Seed\": 1,\n  \"ChunkStorage\": {\n    \"Type\": \"IndexedStorage\"\n  }\n}");
    EXPECT_EQ(with_provider(world.folder, {}, Provider::Type::rocks_db).value(),
              "{\n  \"Version\": 4,\n  \"ChunkStorage\": {\n    \"Type\": \"RocksDb\"\n  }\n}");
}

} // namespace
} // namespace orbis::world
