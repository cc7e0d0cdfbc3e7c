#include "bytes/hex.hpp"
#include "bytes/writer.hpp"
#include "net/wire_test_support.hpp"
#include "packets/connection.hpp"
#include "packets/interface.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"
#include "packets/worldmap.hpp"

#include <gtest/gtest.h>

/// What clients may try against a session, each beside a healthy player who must not notice.
namespace orbis::net {
namespace {

using namespace test;
using Phase = ClientSession::Phase;

std::string raw_frame(std::int32_t length, std::int32_t id, std::string_view payload = {}) {
    Buffer frame;
    Writer out(frame);
    out.le(length);
    out.le(id);
    out.bytes(as_bytes(payload));
    return std::string(as_text(frame));
}

/// A world with a healthy player in it; it fails the test when the player was disturbed.
struct HealthyWire : Wire {
    Visit healthy;

    HealthyWire() {
        limits.most_held = {1 << 20, 1 << 20, 1 << 20};
        start();
        join(healthy, {.uuid = uuid_of(200)});
        EXPECT_TRUE(network.run_until([&] { return healthy.reached(Phase::play); }));
    }
    ~HealthyWire() {
        const auto pings = std::ranges::count(healthy.packets, packets::Ping::k_info.id);
        network.run_for(3s);
        EXPECT_TRUE(healthy.session) << "the healthy player was disconnected";
        EXPECT_GE(std::ranges::count(healthy.packets, packets::Ping::k_info.id), pings + 2);
    }
    HealthyWire(const HealthyWire&) = delete;
    HealthyWire& operator=(const HealthyWire&) = delete;

    Close close_after(Raw& raw, std::string_view bytes, Duration limit = 10s) {
        write(raw, bytes);
        EXPECT_TRUE(network.run_until([&] { return raw.close.has_value(); }, limit));
        return raw.close.value_or(Close{});
    }
};

void expect_violation(const Close& close) {
    EXPECT_EQ(close.kind, Close::Kind::transport) << close.text();
    EXPECT_EQ(close.code, k_protocol_violation) << close.text();
    EXPECT_TRUE(close.by_peer);
}

TEST(HostileClient, FramesMayBeCutAnywhere) {
    HealthyWire wire;
    const auto frames = wire.joining_frames(1);
    for (std::size_t cut = 1; cut < frames.size(); ++cut) {
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        wire.write(raw, std::string_view(frames).substr(0, cut));
        wire.network.run_for(12ms);
        wire.write(raw, std::string_view(frames).substr(cut));
        ASSERT_TRUE(
            wire.network.run_until([&] { return wire.sessions_in(ServerSession::Phase::play) == 2; }, 2s))
            << cut;
        raw.connection->close(Close::application(CloseCode::none));
        wire.network.run_for(300ms);
    }
}

TEST(HostileClient, OneByteAtATimeIsSlowButRight) {
    HealthyWire wire;
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    for (const char byte : wire.joining_frames(1)) {
        wire.write(raw, std::string_view(&byte, 1));
        wire.network.run_for(1ms);
    }
    EXPECT_TRUE(
        wire.network.run_until([&] { return wire.sessions_in(ServerSession::Phase::play) == 2; }, 2s));
}

TEST(HostileClient, BrokenFramesAreViolationsInEveryPhase) {
    const auto zstd = [](std::size_t size) {
        const Buffer zeros(size);
        Compressor compressor;
        return std::string(as_text(compressor.compress(zeros).value()));
    };
    const auto assets = packets::RequestAssets::k_info.id;
    const auto bomb = zstd(100 << 20);
    // A frame whose header has no content size: magic, descriptor without the flags for it, a window, one
    // empty last block.
    const std::string no_size("\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00", 9);
    const std::vector<std::string> broken = {
        raw_frame(-1, 0),
        raw_frame(INT32_MIN, 0),
        raw_frame(0x64000001, 0),
        raw_frame(INT32_MAX, 0),
        raw_frame(0, 9999),                             // no such packet
        raw_frame(0, -1),                               //
        raw_frame(0, packets::Ping::k_info.id),         // not for servers
        raw_frame(0, packets::SetChunk::k_info.id),     // nor this, and of another channel
        raw_frame(38'014, packets::Connect::k_info.id), // one byte too long
        raw_frame(1, packets::Connect::k_info.id, "x"), // too short for its fixed block
        raw_frame(INT32_MAX / 2, assets),               // more than anybody holds
        raw_frame(static_cast<std::int32_t>(bomb.size()), assets, bomb),
        raw_frame(static_cast<std::int32_t>(no_size.size()), assets, no_size),
        raw_frame(4, assets, "junk"),
    };
    for (std::size_t at = 0; at < broken.size(); ++at) {
        SCOPED_TRACE(at);
        HealthyWire wire;
        auto& first = wire.new_raw();
        wire.connect_raw(first);
        expect_violation(wire.close_after(first, broken[at]));
        EXPECT_FALSE(first.disconnect_reason());
        // The same in setup, where a broken Connect is only a packet out of phase.
        if (at == 9) continue;
        auto& second = wire.new_raw();
        wire.connect_raw(second);
        wire.write(second, wire.connect_frame());
        wire.network.run_for(50ms);
        expect_violation(wire.close_after(second, broken[at]));
    }
}

/// A frame is refused by its head: nobody holds what it announces.
TEST(HostileClient, AnnouncesNoMoreThanIsReadBeforeAndAfterTheLogin) {
    HealthyWire wire;
    const auto head = [&](std::uint32_t length) {
        return raw_frame(static_cast<std::int32_t>(length), packets::RequestAssets::k_info.id);
    };
    EXPECT_EQ(wire.rules.largest_before, 65'536u);
    for (const bool logged_in : {false, true}) {
        const auto limit = logged_in ? wire.rules.largest_after : wire.rules.largest_before;
        for (const std::uint32_t more : {0u, 1u}) {
            SCOPED_TRACE(fmt::format("{} + {}", limit, more));
            auto& raw = wire.new_raw();
            wire.connect_raw(raw);
            if (logged_in) wire.write(raw, wire.connect_frame());
            wire.network.run_for(50ms);
            ASSERT_FALSE(raw.close);
            wire.write(raw, head(limit + more));
            wire.network.run_for(200ms);
            EXPECT_EQ(raw.close.has_value(), more > 0);
            if (raw.close) {
                expect_violation(*raw.close);
            } else {
                raw.connection->close(Close::application(CloseCode::none));
                wire.network.run_for(100ms);
            }
        }
    }
}

TEST(HostileClient, DataThatDoesNotDecompressIsAnInternalError) {
    HealthyWire wire;
    Buffer content(1000);
    for (std::size_t at = 0; at < content.size(); ++at) content[at] = static_cast<std::uint8_t>(at * at >> 3);
    Compressor compressor;
    auto data = std::string(as_text(compressor.compress(content).value()));
    data.resize(data.size() - 3);
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    const auto close = wire.close_after(
        raw, raw_frame(static_cast<std::int32_t>(data.size()), packets::RequestAssets::k_info.id, data));
    EXPECT_EQ(close.kind, Close::Kind::application);
    EXPECT_EQ(close.code, 4u);
    EXPECT_TRUE(raw.disconnect_reason());
    // To somebody who has not said who it is nothing is explained.
    auto& stranger = wire.new_raw();
    wire.connect_raw(stranger);
    expect_violation(wire.close_after(stranger, raw_frame(static_cast<std::int32_t>(data.size()),
                                                          packets::RequestAssets::k_info.id, data)));
    EXPECT_FALSE(stranger.disconnect_reason());
}

TEST(HostileClient, RandomBytesNeverHarm) {
    HealthyWire wire;
    std::mt19937_64 random(7);
    for (int turn = 0; turn < 300; ++turn) {
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        auto bytes =
            turn % 2 == 0 ? wire.joining_frames(static_cast<std::uint8_t>(turn % 100 + 1)) : std::string();
        for (auto count = random() % 200; count > 0; --count) bytes += static_cast<char>(random());
        if (turn % 3 == 0 && !bytes.empty()) bytes[random() % bytes.size()] ^= 0x10;
        wire.write(raw, bytes);
        wire.network.run_for(30ms);
        if (raw.connection) raw.connection->close(Close::application(CloseCode::none));
        wire.network.run_for(100ms);
    }
}

TEST(HostileClient, StreamsThatItMayNotOpenAreRefused) {
    HealthyWire wire;
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    EXPECT_FALSE(raw.connection->open_bidi());
    EXPECT_FALSE(raw.connection->open_uni());
    EXPECT_TRUE(wire.play_raw(wire.new_raw()));

    // Where the transport would allow more, the link does not.
    Wire generous;
    generous.settings.max_streams_bidi = 8;
    generous.start();
    auto& second = generous.new_raw();
    generous.connect_raw(second);
    EXPECT_EQ(second.connection->open_bidi(), 4);
    second.connection->write(4, as_bytes(generous.connect_frame()));
    ASSERT_TRUE(generous.network.run_until([&] { return second.close.has_value(); }));
    expect_violation(*second.close);
}

TEST(HostileClient, AClientThatDoesNotReadIsDropped) {
    HealthyWire wire;
    // Small windows, as those of a client that does not look.
    wire.client_settings.max_stream_data_uni = 10'000;
    wire.client_settings.max_stream_data_bidi_local = 10'000;
    FrameTools<protocol::Side::server> tools;
    for (const auto& [channel, is_shared] :
         {std::pair(Channel::normal, false), std::pair(Channel::normal, true),
          std::pair(Channel::chunks, false)}) {
        auto& raw = wire.new_raw();
        raw.consumes = false;
        wire.connect_raw(raw);
        wire.write(raw, wire.joining_frames(1));
        ASSERT_TRUE(
            wire.network.run_until([&] { return wire.sessions_in(ServerSession::Phase::play) == 2; }));
        ServerSession* session = nullptr;
        for (auto* each : wire.context.sessions)
            if (each->player().uuid == uuid_of(1) && each->phase() == ServerSession::Phase::play)
                session = each;
        ASSERT_TRUE(session);
        std::size_t most = 0;
        for (int count = 0; count < 100 && session->phase() == ServerSession::Phase::play; ++count) {
            const Buffer data(50'000, static_cast<std::uint8_t>(count));
            if (channel == Channel::normal) {
                const std::string text(50'000, 'x');
                packets::ServerInfo info;
                info.motd = protocol::Text(text);
                if (is_shared)
                    ASSERT_TRUE(session->send(OutgoingFrame::make(tools.writer, info).value()));
                else
                    ASSERT_TRUE(session->send(info));
            } else {
                ASSERT_TRUE(session->send(packets::UnloadChunk{}));
                session->link().forward(channel, data);
            }
            most = std::max(most, session->link().held(channel));
        }
        EXPECT_EQ(session->phase(), ServerSession::Phase::closed);
        EXPECT_LT(most, (1u << 20) + 60'000);
        ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }));
        EXPECT_NE(raw.close->reason.find("does not read"), std::string::npos);
    }
}

TEST(HostileClient, SmallWindowsAreEnoughForEverything) {
    HealthyWire wire;
    wire.client_settings.max_data = 65'536;
    wire.client_settings.max_stream_data_uni = 65'536;
    wire.client_settings.max_stream_data_bidi_local = 4'096;
    wire.client_settings.largest_window = wire.client_settings.largest_stream_window = 0;
    auto& visit = wire.new_player();
    ServerSession* session = nullptr;
    for (auto* each : wire.context.sessions)
        if (each->player().uuid == uuid_of(1)) session = each;
    ASSERT_TRUE(session);
    std::size_t sent = 0;
    for (int turn = 0; turn < 2000 && sent < 300; ++turn) {
        while (session->link().is_writable(Channel::chunks) && sent < 300) {
            const Buffer light(9'000, static_cast<std::uint8_t>(sent));
            packets::SetChunk chunk;
            chunk.local_light = Bytes(light);
            ASSERT_TRUE(session->send(chunk));
            ++sent;
        }
        wire.network.run_for(10ms);
    }
    EXPECT_TRUE(wire.network.run_until(
        [&] { return std::ranges::count(visit.packets, packets::SetChunk::k_info.id) == 300; }));
}

TEST(HostileClient, ClientsWithIdsOfNoLengthPlayLikeAllOthers) {
    HealthyWire wire;
    auto& raw = wire.new_raw();
    wire.connect_raw(raw, {"hytale/2"}, {.id_length = 0});
    wire.write(raw, wire.joining_frames(1));
    ASSERT_TRUE(wire.network.run_until([&] { return wire.sessions_in(ServerSession::Phase::play) == 2; }));
    wire.network.run_for(20s);
    EXPECT_TRUE(raw.connection);
}

TEST(HostileClient, AClientThatAllowsNoStreamsOfTheServerIsTold) {
    HealthyWire wire;
    wire.client_settings.max_streams_uni = 1;
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    const auto close = wire.close_after(raw, wire.joining_frames(1));
    EXPECT_EQ(close.kind, Close::Kind::application);
    EXPECT_NE(raw.disconnect_reason().value_or("").find("streams"), std::string::npos);
}

TEST(HostileServer, PacketsOnTheWrongStreamAreRefusedByClients) {
    for (const auto channel : {Channel::chunks, Channel::world_map}) {
        Wire wire;
        wire.start();
        auto& visit = wire.new_player();
        auto& session = wire.session();
        // A packet cannot be sent on another channel by mistake; this is on purpose.
        const auto other = channel == Channel::chunks ? frame_text<Side::server>(packets::ClearWorldMap{})
                                                      : frame_text<Side::server>(packets::UnloadChunk{});
        session.link().forward(channel, as_bytes(other));
        ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
        EXPECT_EQ(visit.close->kind, Close::Kind::transport);
        EXPECT_EQ(visit.close->code, k_protocol_violation);
        EXPECT_NE(visit.reason.value_or("").find("channel"), std::string::npos);
    }
}

TEST(HostileServer, StreamZeroIsTiedToNoChannel) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_player();
    auto& session = wire.session();
    session.link().forward(Channel::normal, as_bytes(frame_text<Side::server>(packets::UnloadChunk{})));
    wire.network.run_for(1s);
    EXPECT_TRUE(visit.session);
    EXPECT_EQ(std::ranges::count(visit.packets, packets::UnloadChunk::k_info.id), 1);
}

} // namespace
} // namespace orbis::net
