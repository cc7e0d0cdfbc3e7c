#include "capture/capture_reader.hpp"
#include "capture/record_decoder.hpp"
#include "net/capture_tap.hpp"
#include "net/server_test_support.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <map>

namespace orbis::net {
namespace {

using namespace test;
using Phase = ClientSession::Phase;

/// What went one way on one channel.
using Streams = std::map<std::pair<Side, Channel>, std::vector<Buffer>>;

struct Captured {
    Streams streams;
    std::map<std::uint64_t, std::string> builds; ///< by session
    std::vector<std::string> packets;
    std::vector<std::string> addresses;
    bool all_decode = true;
};

Captured read_capture(const std::filesystem::path& path) {
    auto reader = capture::CaptureReader::open(path).value();
    capture::RecordDecoder decoder;
    Captured out;
    for (;;) {
        const auto next = reader.next();
        EXPECT_TRUE(next) << next.error().text();
        if (!next || !*next) return out;
        const auto& record = **next;
        out.streams[{*record.to, *record.channel}].emplace_back(record.frame.begin(), record.frame.end());
        out.builds[record.session] = record.build_name;
        out.packets.push_back(capture::packet_name(record));
        out.addresses.push_back(record.source.text());
        if (const auto value = decoder.strict_value(record); !value) {
            out.all_decode = false;
            ADD_FAILURE() << capture::packet_name(record) << ": " << value.error().text();
        }
    }
}

std::shared_ptr<capture::Recorder> record_to(const std::filesystem::path& path, bool keeps_personal) {
    capture::RecorderSettings settings;
    settings.file = path;
    settings.keeps_personal = keeps_personal;
    return capture::Recorder::start(settings).value();
}

/// A server and a client in one loop, both recorded.
void capture_a_join(const orbis::test::TemporaryFolder& folder, ClientRules rules, bool keeps_personal,
                    std::string password = {}) {
    auto settings = settings_for(1, ServerSettings::Transport::quic);
    settings.capture = record_to(folder / "server.pcapng", keeps_personal);
    settings.rules.password = std::move(password);
    const auto at_client = record_to(folder / "client.pcapng", keeps_personal);
    {
        Worlds worlds;
        auto server = Server::start(settings, identity(), worlds.make()).value();
        Clients clients;
        clients.capture = at_client;
        clients.join(server->addresses().front(), std::move(rules));
        ASSERT_TRUE(clients.all(Phase::play));
        clients.visits.front().session->leave();
        ASSERT_TRUE(clients.all_closed());
    }
    ASSERT_TRUE(settings.capture->finish());
    ASSERT_TRUE(at_client->finish());
}

/// Each frame that came to a side is one that the other sent, in the same order.
void expect_received(const Captured& at, Side side, const Captured& sender) {
    std::size_t streams = 0;
    for (const auto& [stream, received] : at.streams) {
        if (stream.first != side) continue;
        ++streams;
        ASSERT_TRUE(sender.streams.contains(stream));
        const auto& sent = sender.streams.at(stream);
        ASSERT_LE(received.size(), sent.size());
        EXPECT_TRUE(std::equal(received.begin(), received.end(), sent.begin()));
    }
    EXPECT_GT(streams, 0U);
}

TEST(CaptureTap, BothSidesSeeTheSameFrames) {
    const orbis::test::TemporaryFolder folder;
    capture_a_join(folder, player(1), true);
    const auto server = read_capture(folder / "server.pcapng");
    const auto client = read_capture(folder / "client.pcapng");
    ASSERT_GE(server.packets.size(), 8U);
    EXPECT_EQ(server.packets.front(), "Connect");
    for (const auto* packet :
         {"ConnectAccept", "WorldSettings", "PlayerOptions", "JoinWorld", "ClientReady", "Disconnect"})
        EXPECT_NE(std::ranges::find(server.packets, packet), server.packets.end()) << packet;
    EXPECT_EQ(client.builds, (std::map<std::uint64_t, std::string>{{1, "2026.02.17"}}));
    // What was sent last may not have arrived before the end: what arrived is what was sent.
    expect_received(server, Side::server, client);
    expect_received(client, Side::client, server);
    EXPECT_TRUE(server.all_decode && client.all_decode);
    EXPECT_TRUE(server.addresses.front().starts_with("127.0.0.1:")) << server.addresses.front();
}

TEST(CaptureTap, FramesOfOtherBuildsAreAsTheyTravelled) {
    for (const auto* build : {"2026.01.17", "0.5.1", "b242"}) {
        const orbis::test::TemporaryFolder folder;
        auto rules = player(1);
        rules.build = GameBuild::find(build).value();
        capture_a_join(folder, std::move(rules), true);
        const auto server = read_capture(folder / "server.pcapng");
        EXPECT_EQ(server.builds.at(1), build);
        EXPECT_TRUE(server.all_decode);
        expect_received(server, Side::server, read_capture(folder / "client.pcapng"));
    }
}

TEST(CaptureTap, PasswordsAndAddressesAreLeftOut) {
    const orbis::test::TemporaryFolder folder;
    auto rules = player(1);
    rules.password = "swordfish";
    rules.identity_token = "the-token-of-somebody";
    capture_a_join(folder, std::move(rules), false, "swordfish");
    const auto server = read_capture(folder / "server.pcapng");
    EXPECT_NE(std::ranges::find(server.packets, "PasswordResponse"), server.packets.end());
    EXPECT_TRUE(server.all_decode);
    for (const auto& frame : server.streams.at({Side::server, Channel::normal}))
        EXPECT_EQ(as_text(frame).find("the-token"), std::string_view::npos);
    for (const auto& address : server.addresses)
        EXPECT_TRUE(address == "10.0.0.1:49152" || address == "192.0.2.1:5520") << address;
}

TEST(CaptureTap, PlainTcpIsCapturedToo) {
    const orbis::test::TemporaryFolder folder;
    auto settings = settings_for(1, ServerSettings::Transport::tcp);
    settings.capture = record_to(folder / "tcp.pcapng", true);
    {
        Worlds worlds;
        auto server = Server::start(settings, identity(), worlds.make()).value();
        Clients clients;
        clients.join_tcp(server->addresses().front(), player(1));
        clients.join_tcp(server->addresses().front(), player(2));
        ASSERT_TRUE(clients.all(Phase::play));
    }
    ASSERT_TRUE(settings.capture->finish());
    const auto captured = read_capture(folder / "tcp.pcapng");
    EXPECT_EQ(captured.builds.size(), 2U);
    EXPECT_TRUE(captured.all_decode);
}

} // namespace
} // namespace orbis::net
