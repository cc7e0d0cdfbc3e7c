#include "game/content/asset_transfer.hpp"
#include "game/content/made_pack_test.hpp"
#include "net/server_session.hpp"
#include "packets/registry.hpp"
#include "packets/setup.hpp"
#include "protocol/packet_codec.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

using namespace test_pack;
using net::Channel;

/// A connection to a client that reads only when it is told to.
class SlowLink final : public net::Link {
public:
    SlowLink(const net::Clock& clock, Decompressor& decompressor)
        : Link(net::Side::server, clock, {}, decompressor) {
        is_open_ = true;
    }
    bool open_play_channels() override { return true; }
    std::size_t unsent(Channel) const override { return held_; }
    std::size_t held(Channel) const override { return held_; }
    std::uint64_t sent(Channel) const override { return stream.size(); }
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
    void set_registry(protocol::Registry) override {}
    void send_frame(Channel channel, const protocol::SharedFrame& frame) override {
        send_bytes(channel, frame.bytes());
    }
    std::size_t held_ = 0;
};

class NoHandler final : public net::ServerHandler {
    std::unique_ptr<net::SessionHandler> welcome(net::ServerSession&) override { return nullptr; }
};
class StoppedClock final : public net::Clock {
    net::Time now() const override { return net::Time{std::chrono::hours(1)}; }
};

/// A session with such a client.
struct PackPlayer {
    StoppedClock clock;
    net::FrameTools<protocol::Side::server> tools;
    net::ServerRules rules;
    NoHandler handler;
    net::Roster roster;
    net::ServerContext context{clock, tools, rules, handler, roster, [](auto) {}};
    SlowLink link{clock, tools.decompressor};
    net::ServerSession session{context, link};

    /// What has come: names of assets with their bytes, and the ids of all packets.
    struct Got {
        Files files;
        std::vector<std::int32_t> ids;
        std::vector<std::int32_t> percents;
        std::vector<std::int32_t> of_asset; ///< percents of the one that is sent
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
                all.of_asset.push_back(packet.percent_complete_subitem);
                EXPECT_EQ(packet.status->message_id.value_or({}), "client.general.worldLoad.loadingAsset");
                for (const auto& param : packet.status->params.value_or({})) {
                    EXPECT_EQ(param.key, "assetName");
                    EXPECT_EQ(std::get<packets::StringParamValue>(param.value).value.value_or({}), name);
                }
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

TEST(ServeAssetTransfer, SendsWhatIsAskedForAsFastAsItIsRead) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    PackPlayer player;
    AssetTransfer transfer(&pack);
    ASSERT_TRUE(transfer.request(packets::RequestAssets{})) << "no list: everything";
    int pumps = 1;
    for (; !transfer.pump(player.session) && pumps < 100; ++pumps) player.link.read_all();
    EXPECT_TRUE(transfer.is_done());
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
    PackPlayer player;
    AssetTransfer transfer(&pack);
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(transfer.pump(player.session));
    EXPECT_LE(player.link.most_held, 3 * ContentPack::k_part);
    for (int i = 0; i < 1000 && !transfer.pump(player.session); ++i) player.link.read_all();
    EXPECT_EQ(player.got().files.size(), 20U);
}

TEST(ServeAssetTransfer, UnknownHashesAreRefusedAndRepeatedOnesSentOnce) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    PackPlayer player;
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

TEST(ServeAssetTransfer, ARequestInTheMiddleOfATransferJoinsIt) {
    const test::TemporaryFolder folder;
    auto files = k_mod;
    files["Common/Sounds/Longest.ogg"] = long_text(16 * ContentPack::k_part);
    write(folder.path(), files);
    const auto pack = open(folder.path());
    PackPlayer player;
    AssetTransfer transfer(&pack);
    std::vector<packets::Asset> list{pack.required_assets()[0]};
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    EXPECT_FALSE(transfer.pump(player.session)) << "the first is sent, others are under way";
    ASSERT_TRUE(transfer.request(ask(list))) << "sent before, and asked for again";
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    for (int i = 0; i < 100 && !transfer.pump(player.session); ++i) player.link.read_all();
    const auto got = player.got();
    EXPECT_EQ(got.files.size(), 7U);
    for (const auto& [name, text] : got.files) EXPECT_EQ(text, files.at("Common/" + name)) << name;
    EXPECT_EQ(std::ranges::count(got.ids, packets::RequestCommonAssetsRebuild::k_info.id), 1);
}

TEST(ServeAssetTransfer, FilesThatChangedOrVanishedAreLeftOutAndTold) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    const auto pack = open(folder.path());
    fs::remove(folder / "Common/BlockTextures/My_Rock_Top.png");
    write(folder.path(), {{"Common/Sounds/Same.ogg", "ROCK"}, {"Common/Empty.txt", "no more"}});
    PackPlayer player;
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

TEST(ServeAssetTransfer, ProgressIsOfWhatIsReallySent) {
    const test::TemporaryFolder folder;
    write(folder.path(), {{"Common/A.ogg", 'a' + long_text(10 * ContentPack::k_part - 1)},
                          {"Common/B.ogg", 'b' + long_text(10 * ContentPack::k_part - 1)}});
    const auto pack = open(folder.path());
    ASSERT_EQ(pack.assets().size(), 2U);
    fs::remove(folder / "Common" / pack.assets().front().name);
    PackPlayer player;
    AssetTransfer transfer(&pack, [](const Error&) {});
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    for (int i = 0; i < 100 && !transfer.pump(player.session); ++i) player.link.read_all();
    EXPECT_EQ(player.got().percents, (std::vector<std::int32_t>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}));
}

TEST(ServeAssetTransfer, ProgressIsToldOfAllAndOfEachAsset) {
    const test::TemporaryFolder folder;
    write(folder.path(), {{"Common/A.ogg", 'a' + long_text(4 * ContentPack::k_part - 1)},
                          {"Common/B.ogg", 'b' + long_text(4 * ContentPack::k_part - 1)}});
    const auto pack = open(folder.path());
    PackPlayer player;
    AssetTransfer transfer(&pack);
    ASSERT_TRUE(transfer.request(packets::RequestAssets{}));
    for (int i = 0; i < 100 && !transfer.pump(player.session); ++i) player.link.read_all();
    EXPECT_EQ(player.got().percents, (std::vector<std::int32_t>{0, 12, 25, 37, 50, 62, 75, 87}));
    EXPECT_EQ(player.got().of_asset, (std::vector<std::int32_t>{0, 25, 50, 75, 0, 25, 50, 75}));
}

TEST(ServeAssetTransfer, AFileThatChangesInTheMiddleEndsTheSession) {
    const test::TemporaryFolder folder;
    const auto text = long_text(20 * ContentPack::k_part);
    write(folder.path(), {{"Common/Long.ogg", text}});
    const auto pack = open(folder.path());
    PackPlayer player;
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
