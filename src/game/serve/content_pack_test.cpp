#include "game/serve/asset_transfer.hpp"
#include "game/serve/content_pack.hpp"
#include "game/serve/registries.hpp"
#include "game/serve/weather.hpp"
#include "net/server_session.hpp"
#include "support/shared.hpp"
#include "world/asset_pack.hpp"

#include <gtest/gtest.h>
#include <zip.h>

#include <fstream>
#include <map>

namespace orbis::game {
namespace {

namespace fs = std::filesystem;
using net::Channel;
using Files = std::map<std::string, std::string>;

void write(const fs::path& root, const Files& files) {
    for (const auto& [path, text] : files) {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path, std::ios::binary) << text;
    }
}

void write_zip(const fs::path& path, const Files& files) {
    int code = 0;
    auto* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    ASSERT_NE(archive, nullptr);
    for (const auto& [name, text] : files)
        zip_file_add(archive, name.c_str(), zip_source_buffer(archive, text.data(), text.size(), 0),
                     ZIP_FL_OVERWRITE);
    ASSERT_EQ(zip_close(archive), 0);
}

/// Text that does not repeat, of any length.
std::string long_text(std::size_t length) {
    std::string text;
    for (std::uint32_t i = 0; text.size() < length; ++i) text += std::to_string(i * 2'654'435'761U) + ",";
    text.resize(length);
    return text;
}

const Files k_mod{
    {"Common/BlockTextures/My_Rock.png", "rock"},
    {"Common/BlockTextures/My_Rock_Top.png", "top"},
    {"Common/Icons/ItemsGenerated/My_Rock.png", "icon"},
    {"Common/Sounds/Same.ogg", "rock"},
    {"Common/Empty.txt", ""},
    {"Common/Music/Long.ogg", long_text(3 * ContentPack::k_part + 5)},
    {"Server/Item/Items/My_Rock.json",
     R"({"BlockType": {"Textures": [{"All": "BlockTextures/My_Rock.png", "Up": "BlockTextures/My_Rock_Top.png"}]}})"},
    {"Server/Item/Items/My_Mossy_Rock.json", R"({"Parent": "My_Rock", "BlockType": {"Group": "Stone"}})"},
    {"Server/Item/Block/Blocks/My_Lamp.json",
     R"({"DrawType": "Model", "CustomModel": "Blocks/L.blockymodel", "CustomModelTexture": [{"Texture": "Blocks/L.png"}]})"},
    {"Server/Environments/Env_My.json",
     R"({"WeatherForecasts": {"6": [{"WeatherId": "My_Sun", "Weight": 3}, {"WeatherId": "My_Rain", "Weight": 1}],
         "18": [{"WeatherId": "My_Night"}], "99": [{"WeatherId": "Never"}], "7": "wrong"}})"},
    {"Server/Environments/Env_Below.json", R"({"Parent": "Env_My"})"},
    {"Server/Weathers/My_Sun.json", "{}"},
    {"Server/Weathers/Broken.json", "{"},
    {"Server/Languages/en-US/server.lang", "# words\nitems.My_Rock.name = The Rock\r\nbroken line\n"},
};

Result<ContentPack> open(const fs::path& path, std::vector<Error>& problems, std::size_t threads = 3) {
    care::NoProgress silent;
    return ContentPack::open(path, silent, problems, threads);
}

ContentPack open(const fs::path& path) {
    std::vector<Error> problems;
    auto pack = open(path, problems);
    EXPECT_TRUE(pack) << pack.error().text();
    return *std::move(pack);
}

/// A connection to a client that reads only when it is told to.
class SlowLink final : public net::Link {
public:
    SlowLink(const net::Clock& clock, Decompressor& decompressor) : Link(clock, {}, decompressor) {
        is_open_ = true;
    }
    bool open_play_channels() override { return true; }
    std::size_t unsent(Channel) const override { return held_; }
    std::size_t held(Channel) const override { return held_; }
    void pause(Channel) override {}
    void resume(Channel) override {}
    void set_largest_payload(std::uint32_t) override {}
    void close(net::Close) override { is_open_ = false; }

    void read_all() { held_ = 0; }
    std::string stream;
    std::size_t most_held = 0;

private:
    void send_bytes(Channel, Bytes bytes) override {
        stream += as_text(bytes);
        held_ += bytes.size();
        most_held = std::max(most_held, held_);
    }
    void send_frame(Channel channel, const protocol::SharedFrame& frame) override {
        send_bytes(channel, frame.bytes());
    }
    std::size_t held_ = 0;
};

class NoHost final : public net::Host {
    std::unique_ptr<net::Guest> welcome(net::ServerSession&) override { return nullptr; }
};
class StoppedClock final : public net::Clock {
    net::Time now() const override { return net::Time{std::chrono::hours(1)}; }
};

/// A session with such a client.
struct Player {
    StoppedClock clock;
    net::FrameTools<protocol::Side::server> tools;
    net::ServerRules rules;
    NoHost host;
    net::Roster roster;
    net::ServerContext context{clock, tools, rules, host, roster, [](auto) {}};
    SlowLink link{clock, tools.decompressor};
    net::ServerSession session{context, link};

    /// What has come: names of assets with their bytes, and the ids of all packets.
    struct Got {
        Files files;
        std::vector<std::int32_t> ids;
        std::vector<std::int32_t> percents;
    };
    Got got() const {
        Got all;
        protocol::FrameDecoder decoder(packets::registry(), {protocol::Side::client, {}});
        decoder.feed(as_bytes(link.stream));
        protocol::Arena arena;
        std::string name;
        std::size_t size = 0;
        for (auto next = decoder.next(); next && *next; next = decoder.next()) {
            const auto& frame = **next;
            all.ids.push_back(frame.id);
            if (frame.id == packets::AssetInitialize::k_info.id) {
                packets::AssetInitialize packet;
                EXPECT_TRUE(protocol::decode(frame.payload, arena, packet));
                name = packet.asset.name;
                size = static_cast<std::size_t>(packet.size);
                all.files[name].clear();
            } else if (frame.id == packets::AssetPart::k_info.id) {
                packets::AssetPart packet;
                EXPECT_TRUE(protocol::decode(frame.payload, arena, packet));
                all.files[name] += as_text(*packet.part);
            } else if (frame.id == packets::WorldLoadProgress::k_info.id) {
                packets::WorldLoadProgress packet;
                EXPECT_TRUE(protocol::decode(frame.payload, arena, packet));
                all.percents.push_back(packet.percent_complete);
            } else if (frame.id == packets::AssetFinalize::k_info.id) {
                EXPECT_EQ(all.files[name].size(), size);
            }
        }
        return all;
    }
};

packets::RequestAssets ask(std::vector<packets::Asset>& list) {
    packets::RequestAssets request;
    request.assets = protocol::List<packets::Asset>(list);
    return request;
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
    EXPECT_EQ(pack->required_assets()[0].hash, care::sha256_hex("rock"));
    const auto* same = pack->find(care::sha256_hex("rock"), "Sounds/Same.ogg");
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->name, "Sounds/Same.ogg");
    EXPECT_NE(pack->find(care::sha256_hex("rock")), nullptr);
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
    EXPECT_NE(zipped.facts().look("My_Rock"), nullptr);
}

TEST(ServeContentPack, WhatIsNoPackIsRefused) {
    const test::TemporaryFolder folder;
    write(folder.path(), {{"Server/x.json", "{}"}, {"file.zip", "not a zip"}});
    std::vector<Error> problems;
    EXPECT_FALSE(open(folder.path(), problems));
    EXPECT_FALSE(open(folder / "missing", problems));
    EXPECT_FALSE(open(folder / "file.zip", problems));
    write(folder.path(), {{"Only/Common/a.txt", "a"}});
    const auto found = open(folder / "Only", problems);
    ASSERT_TRUE(found) << "textures alone are a pack";
    EXPECT_EQ(found->assets().size(), 1U);
}

TEST(ServeContentPack, SaysHowBlocksLookAndWhatTheyAreCalled) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    const auto* rock = pack.facts().look("my_rock");
    ASSERT_NE(rock, nullptr);
    ASSERT_EQ(rock->cubes.size(), 1U);
    EXPECT_EQ(rock->cubes[0][0], "BlockTextures/My_Rock_Top.png");
    EXPECT_EQ(rock->cubes[0][1], "BlockTextures/My_Rock.png");
    ASSERT_NE(pack.facts().look("My_Mossy_Rock"), nullptr) << "from its parent";
    EXPECT_EQ(pack.facts().look("My_Mossy_Rock")->cubes, rock->cubes);
    EXPECT_EQ(pack.facts().look("My_Lamp")->model, "Blocks/L.blockymodel");
    EXPECT_EQ(pack.facts().translations().at("server.items.My_Rock.name"), "The Rock");

    auto assets = world::Assets::built_in();
    ASSERT_TRUE(world::load_assets(folder.path(), assets));
    WireIds ids(assets);
    Registries registries(assets, ids, &pack);
    net::FrameTools<protocol::Side::server> tools;
    ASSERT_TRUE(registries.prepare(tools));
    RegistryMemory memory;
    const auto id = *ids.blocks.find("My_Rock");
    const auto entries = BlockEntries(assets, ids, &pack).blocks(id, id + 1, memory);
    EXPECT_EQ(*(*entries.at(0).value.cube_textures)[0].top, "BlockTextures/My_Rock_Top.png");
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

TEST(ServeAssetTransfer, SendsWhatIsAskedForAsFastAsItIsRead) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    Player player;
    AssetTransfer transfer(&pack);
    ASSERT_TRUE(transfer.request(packets::RequestAssets{})) << "no list: everything";
    int pumps = 1;
    for (; !transfer.pump(player.session) && pumps < 100; ++pumps) player.link.read_all();
    EXPECT_TRUE(transfer.is_done());
    EXPECT_EQ(transfer.bytes_sent(), pack.bytes());
    const auto got = player.got();
    ASSERT_EQ(got.files.size(), 6U);
    for (const auto& [name, text] : got.files) EXPECT_EQ(text, k_mod.at("Common/" + name)) << name;
    EXPECT_EQ(got.ids.back(), packets::RequestCommonAssetsRebuild::k_info.id);
    EXPECT_TRUE(std::ranges::is_sorted(got.percents));
    EXPECT_EQ(got.percents.front(), 0);
    EXPECT_TRUE(transfer.pump(player.session));
    EXPECT_EQ(player.got().ids.size(), got.ids.size()) << "told once to take them up";
}

TEST(ServeAssetTransfer, AClientThatDoesNotReadCostsAFewParts) {
    const test::TemporaryFolder folder;
    Files many;
    for (int i = 0; i < 20; ++i)
        many["Common/" + std::to_string(i)] = std::to_string(i) + long_text(2 * ContentPack::k_part);
    write(folder.path(), many);
    const auto pack = open(folder.path());
    Player player;
    AssetTransfer transfer(&pack);
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(transfer.pump(player.session));
    EXPECT_LE(player.link.most_held, 6 * ContentPack::k_part);
    for (int i = 0; i < 1000 && !transfer.pump(player.session); ++i) player.link.read_all();
    EXPECT_EQ(player.got().files.size(), 20U);
}

TEST(ServeAssetTransfer, UnknownHashesAreRefusedAndRepeatedOnesSentOnce) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    Player player;
    AssetTransfer transfer(&pack);
    const std::string unknown(64, 'f');
    std::vector<packets::Asset> list{pack.required_assets()[0], {.hash = unknown, .name = "x"}};
    EXPECT_FALSE(transfer.request(ask(list)));
    EXPECT_TRUE(transfer.is_done()) << "nothing of it is sent";
    list.clear();
    ASSERT_TRUE(transfer.request(ask(list)));
    EXPECT_TRUE(transfer.pump(player.session)) << "a client that wants nothing";
    EXPECT_TRUE(player.link.stream.empty());
    list.assign(50, pack.required_assets()[0]);
    ASSERT_TRUE(transfer.request(ask(list)));
    EXPECT_TRUE(transfer.pump(player.session));
    EXPECT_EQ(player.got().ids.size(), 5U) << "start, progress, part, end, and that this was all";
    ASSERT_TRUE(transfer.request(ask(list))) << "and again, in play";
    EXPECT_TRUE(transfer.pump(player.session));
    EXPECT_EQ(player.got().ids.size(), 10U);
    AssetTransfer none(nullptr);
    EXPECT_FALSE(none.request(ask(list)));
    EXPECT_TRUE(none.request(packets::RequestAssets{}));
}

TEST(ServeAssetTransfer, FilesThatChangedOrVanishedAreLeftOutAndTold) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    fs::remove(folder / "Common/BlockTextures/My_Rock_Top.png");
    write(folder.path(), {{"Common/Sounds/Same.ogg", "ROCK"}, {"Common/Empty.txt", "no more"}});
    Player player;
    std::vector<std::string> told;
    AssetTransfer transfer(&pack, [&](const Error& error) { told.push_back(error.text()); });
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    for (int i = 0; i < 100 && !transfer.pump(player.session); ++i) player.link.read_all();
    EXPECT_TRUE(transfer.is_done());
    EXPECT_EQ(told.size(), 3U);
    const auto got = player.got();
    EXPECT_EQ(got.files.size(), 3U);
    EXPECT_FALSE(got.files.contains("Sounds/Same.ogg"));
    EXPECT_EQ(got.files.at("Music/Long.ogg"), k_mod.at("Common/Music/Long.ogg"));
}

TEST(ServeAssetTransfer, AFileThatChangesInTheMiddleEndsTheSession) {
    const test::TemporaryFolder folder;
    const auto text = long_text(20 * ContentPack::k_part);
    write(folder.path(), {{"Common/Long.ogg", text}});
    const auto pack = open(folder.path());
    Player player;
    int told = 0;
    AssetTransfer transfer(&pack, [&](const Error&) { ++told; });
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    EXPECT_FALSE(transfer.pump(player.session));
    {
        std::fstream file(folder / "Common/Long.ogg", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(text.size() - 1));
        file << '!';
    }
    for (int i = 0; i < 100; ++i) {
        player.link.read_all();
        EXPECT_FALSE(transfer.pump(player.session)) << "never as if it were whole";
    }
    EXPECT_EQ(told, 1);
    const auto got = player.got();
    EXPECT_EQ(got.files.at("Long.ogg"), text.substr(0, 19 * ContentPack::k_part)) << "nothing wrong was sent";
    EXPECT_EQ(std::ranges::count(got.ids, packets::AssetFinalize::k_info.id), 0);
}

} // namespace
} // namespace orbis::game
