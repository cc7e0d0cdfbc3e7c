#include "game/content/content_pack.hpp"
#include "game/content/made_pack_test.hpp"
#include "game/content/registries.hpp"
#include "game/content/registry_frames.hpp"
#include "game/content/weather.hpp"
#include "packets/assets.hpp"
#include "packets/registry.hpp"
#include "protocol/frame.hpp"
#include "protocol/packet_codec.hpp"
#include "world/asset_pack.hpp"

#include <deque>

namespace orbis::game {
namespace {

using namespace test_pack;

/// A packet as clients get it; it points into memory that stays.
template <typename P>
P told(Registries& registries) {
    net::FrameTools<protocol::Side::server> tools;
    const auto done = registries.prepare(tools);
    EXPECT_TRUE(done) << done.error().text();
    for (const auto& frame : registries.frames()) {
        if (frame.packet() != P::k_info.id) continue;
        static std::deque<protocol::FrameDecoder> decoders;
        static protocol::Arena arena;
        auto& decoder =
            decoders.emplace_back(packets::registry(), protocol::FrameRules{protocol::Side::client, {}});
        decoder.feed(frame.frame().bytes());
        const auto next = decoder.next();
        P packet;
        EXPECT_TRUE(next && *next && protocol::decode((*next)->payload, arena, packet));
        return packet;
    }
    ADD_FAILURE() << P::k_info.name << " is missing";
    return {};
}

TEST(ServeContentPack, OffersEveryFileBelowCommonByItsHash) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    std::vector<Error> problems;
    const auto pack = open(folder.path(), problems);
    ASSERT_TRUE(pack) << pack.error().text();
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].text().find("Broken.json"), std::string::npos);
    ASSERT_EQ(pack->assets().size(), 6U);
    ASSERT_EQ(pack->required_assets().size(), 6U);
    EXPECT_EQ(pack->required_assets()[0].name, "BlockTextures/My_Rock.png");
    EXPECT_EQ(pack->required_assets()[0].hash, sha256_hex("rock"));
    const auto* same = pack->find(sha256_hex("rock"), "Sounds/Same.ogg");
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->name, "Sounds/Same.ogg");
    EXPECT_NE(pack->find(sha256_hex("rock")), nullptr);
    EXPECT_EQ(pack->find(std::string(64, '0')), nullptr);
    EXPECT_EQ(pack->find_name("Music/Long.ogg")->parts.size(), 4U);
    EXPECT_EQ(pack->bytes(), 15U + 3 * ContentPack::k_part + 5);
}

TEST(ServeContentPack, AZipSaysTheSameAsItsFolder) {
    const test::TemporaryFolder folder;
    write(folder / "plain", k_mod);
    Files deeper;
    for (const auto& [name, text] : k_mod) deeper["MyMod/" + name] = text;
    write_zip(folder / "mod.zip", deeper);
    const auto plain = open(folder / "plain");
    const auto zipped = open(folder / "mod.zip");
    ASSERT_EQ(plain.assets().size(), zipped.assets().size());
    for (std::size_t i = 0; i < plain.assets().size(); ++i) {
        EXPECT_EQ(plain.assets()[i].name, zipped.assets()[i].name);
        EXPECT_EQ(plain.assets()[i].hash, zipped.assets()[i].hash);
    }
    EXPECT_TRUE(zipped.facts().documents().find(PackKind::block, "My_Rock"));
}

TEST(ServeContentPack, WhatIsNoPackIsRefused) {
    const test::TemporaryFolder folder;
    write(folder.path(), {{"Server/x.json", "{}"}, {"Bare/x.json", "{}"}, {"file.zip", "not a zip"}});
    std::vector<Error> problems;
    const auto bare = open(folder / "Bare", problems);
    ASSERT_FALSE(bare) << "there is nothing for clients in it";
    EXPECT_EQ(bare.error().code, Errc::unknown_kind);
    EXPECT_NE(bare.error().text().find("no folder 'Common'"), std::string::npos) << bare.error().text();
    write_zip(folder / "bare.zip", {{"Mod/x.json", "{}"}, {"Common", "a file"}});
    EXPECT_EQ(open(folder / "bare.zip", problems).error().code, Errc::unknown_kind);
    const auto rules = open(folder.path(), problems);
    ASSERT_TRUE(rules) << "what its files say counts without anything to download";
    EXPECT_TRUE(rules->assets().empty());
    EXPECT_FALSE(open(folder / "missing", problems));
    EXPECT_FALSE(open(folder / "file.zip", problems));
    write(folder.path(), {{"Only/Common/a.txt", "a"}});
    const auto found = open(folder / "Only", problems);
    ASSERT_TRUE(found) << "textures alone are a pack";
    EXPECT_EQ(found->assets().size(), 1U);
}

TEST(ServeContentPack, NamesHaveALimit) {
    const test::TemporaryFolder folder;
    const auto folders = std::string(200, 'a') + '/' + std::string(200, 'b') + '/'; // 402 of 512 bytes
    write(folder.path(), {{"Common/" + folders + std::string(110, 'x'), "longest"},
                          {"Common/" + folders + std::string(111, 'y'), "too long"}});
    std::vector<Error> problems;
    const auto pack = open(folder.path(), problems);
    ASSERT_TRUE(pack);
    ASSERT_EQ(pack->assets().size(), 1U);
    EXPECT_EQ(pack->assets()[0].name.size(), 512U);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].code, Errc::too_large);
}

TEST(ServeContentPack, FilesOfAnotherFormAreHarmless) {
    const test::TemporaryFolder folder;
    const auto deep = std::string(5000, '[') + std::string(5000, ']');
    Files files{{"Common/a", "a"}, {"Server/Languages/en-US/x.lang", "=\n==\n a = \n=b\n# c = d\n #e=f"}};
    int number = 0;
    for (const auto& text :
         {std::string("[]"), std::string("5"), std::string(), "{\"Parent\":" + deep + "}",
          std::string(R"({"Parent": 5, "BlockType": [], "Textures": {}, "CustomModelTexture": [5, []]})"),
          std::string(R"({"BlockType": {"Textures": [5, {"All": 5}], "CustomModelTexture": 5}})"),
          std::string(R"({"WeatherForecasts": {"5": [5, {}, {"WeatherId": "x", "Weight": -1}], "x": []}})"),
          std::string(R"({"SunScales": [{"Hour": "x", "Value": 1}, {"Hour": 1}], "FogDistance": [1]})")})
        for (const auto* place : {"Item/Items/", "Item/Block/Blocks/", "Environments/", "Weathers/"})
            files["Server/" + std::string(place) + std::to_string(number++) + ".json"] = text;
    files["Server/Environments/Loop.json"] = R"({"Parent": "Pool"})";
    files["Server/Environments/Pool.json"] = R"({"Parent": "Loop"})";
    write(folder.path(), files);
    std::vector<Error> problems;
    const auto pack = open(folder.path(), problems);
    ASSERT_TRUE(pack);
    EXPECT_EQ(problems.size(), 23U)
        << "four texts that are no objects or too deep, in four places; a loop of two; five wrong members";
    EXPECT_TRUE(pack->facts().forecast("Loop", 5).empty());
    EXPECT_EQ(pack->facts().translations().size(), 1U);
    const Weathers weathers(&*pack);
    net::FrameTools<protocol::Side::server> tools;
    RegistryFrames frames(tools);
    weathers.add_to(frames);
    EXPECT_TRUE(frames.finish());
}

TEST(ServeContentPack, SaysHowBlocksLookAndWhatTheyAreCalled) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    EXPECT_EQ(pack.facts().translations().at("server.items.My_Rock.name"), "The Rock");
    auto assets = world::Assets::built_in();
    ASSERT_TRUE(world::load_assets(folder.path(), assets));
    WireIds ids(assets);
    Registries registries(assets, ids, &pack);
    const auto update = told<packets::UpdateBlockTypes>(registries);
    const auto block = [&](std::string_view key) {
        return (*update.block_types)[static_cast<std::size_t>(*ids.blocks.find(key))].value;
    };
    ASSERT_EQ(block("My_Rock").cube_textures->size(), 1U);
    EXPECT_EQ(*(*block("My_Rock").cube_textures)[0].top, "BlockTextures/My_Rock_Top.png");
    EXPECT_EQ(*(*block("My_Rock").cube_textures)[0].bottom, "BlockTextures/My_Rock.png");
    EXPECT_EQ(*(*block("My_Mossy_Rock").cube_textures)[0].top, "BlockTextures/My_Rock_Top.png")
        << "from its parent";
    EXPECT_EQ(*block("My_Lamp").model, "Blocks/L.blockymodel");
}

TEST(ServeWeather, FollowsTheForecastOfTheHour) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    const Weathers weathers(&pack);
    const auto hour = [](std::int64_t day, std::int64_t of_day) {
        return GameTime{day, of_day * 3'600'000'000'000};
    };
    EXPECT_EQ(weathers.at("Env_Unheard_Of", hour(0, 12), 1), Weathers::k_clear);
    EXPECT_EQ(Weathers(nullptr).at("Env_My", hour(0, 12), 1), Weathers::k_clear);
    EXPECT_EQ(weathers.at("Env_My", hour(0, 20), 1), weathers.find("My_Night"));
    EXPECT_EQ(weathers.at("Env_My", hour(0, 3), 1), weathers.find("My_Night")) << "on past midnight";
    std::map<std::int32_t, int> seen;
    for (std::int64_t day = 0; day < 400; ++day) {
        const auto weather = weathers.at("Env_My", hour(day, 12), 7);
        EXPECT_EQ(weathers.at("env_MY", hour(day, 12), 7), weather) << "the same for everybody";
        ++seen[weather];
    }
    EXPECT_EQ(seen.size(), 2U);
    EXPECT_NEAR(seen[weathers.find("My_Sun")], 300, 45);
    EXPECT_NEAR(seen[weathers.find("My_Rain")], 100, 45);
    EXPECT_NE(weathers.find("My_Rain"), Weathers::k_unknown) << "named in a forecast alone";
    EXPECT_EQ(weathers.find("Never"), Weathers::k_unknown);
    EXPECT_EQ(weathers.at("Env_Below", hour(0, 20), 1), weathers.find("My_Night")) << "from its parent";
}

TEST(ServeWeather, SkiesAreThoseOfTheFiles) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    WireIds ids(world::Assets::built_in());
    Registries registries(world::Assets::built_in(), ids, &pack);
    const auto update = told<packets::UpdateWeathers>(registries);
    const auto& weathers = registries.weathers();
    const auto id = weathers.find("My_Sun");
    const auto& sun = (*update.weathers)[static_cast<std::size_t>(id)].value;
    EXPECT_EQ(*sun.id, "My_Sun");
    EXPECT_EQ(*sun.stars, "Sky/Stars.png");
    EXPECT_EQ(sun.fog->far, 200);
    ASSERT_EQ(sun.sky_top_colors->size(), 2U);
    EXPECT_EQ((*sun.sky_top_colors)[0].value.alpha, static_cast<std::int8_t>(128));
    EXPECT_EQ((*sun.sky_top_colors)[0].value.blue, 3);
    EXPECT_EQ((*sun.sky_top_colors)[1].key, 12);
    EXPECT_EQ((*sun.sun_scales)[0].value, 2.5F) << "from its parent";
    EXPECT_EQ(sun.fog_colors->size(), 6U) << "ours, where the file says nothing";
}

} // namespace
} // namespace orbis::game
