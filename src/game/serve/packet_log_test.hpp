#pragma once

#include "game/serve/game_server_test.hpp"
#include "protocol/packet_codec.hpp"

#include <deque>

namespace orbis::game::test_server {

/// All that a client was sent, in its order.
struct PacketLog {
    struct Packet {
        std::string_view name;
        Buffer payload;
    };
    net::ClientSession* session = nullptr;
    std::vector<Packet> packets;
    std::string reason; ///< why its session is over

    [[nodiscard]] std::size_t count(std::string_view name) const {
        return static_cast<std::size_t>(std::ranges::count(packets, name, &Packet::name));
    }
    /// The payload of a packet that came; the first by default. Nothing where it did not.
    [[nodiscard]] Bytes payload(std::string_view name, std::size_t number = 0) const {
        for (const auto& packet : packets)
            if (packet.name == name && number-- == 0) return packet.payload;
        return {};
    }
    /// All packets of a kind, decoded. They point into this.
    template <typename P>
    std::vector<P> all() {
        std::vector<P> found;
        for (const auto& packet : packets)
            if (packet.name == P::k_info.name) {
                EXPECT_TRUE(protocol::decode(packet.payload, arena, found.emplace_back()));
            }
        return found;
    }

    protocol::Arena arena;
};

/// A server of worlds, and clients who note what they are sent.
class PacketLogTest : public GameServerTest {
protected:
    explicit PacketLogTest(std::initializer_list<std::string_view> names) : GameServerTest(names) {}

    void start(GameRules rules) {
        rules.facts.view_radius = std::min(rules.facts.view_radius, 2);
        GameServerTest::start(rules, events_);
    }
    PacketLog& join(std::size_t number, const net::GameBuild& build = net::GameBuild::current()) {
        struct Handler final : net::ClientHandler {
            Handler(PacketLog& to, Decompressor& with) : log(to), decompressor(with) {}
            void on_packet(net::ClientSession&, const protocol::Frame& frame) override {
                auto payload = frame.payload;
                if (frame.is_compressed)
                    payload = protocol::decompress_payload(decompressor, *frame.packet, payload, k_largest)
                                  .value_or(Bytes());
                log.packets.push_back({frame.packet->name, Buffer(payload.begin(), payload.end())});
            }
            void on_closed(net::ClientSession&, const net::Close&,
                           const std::optional<std::string>& why) override {
                log.session = nullptr;
                log.reason = why.value_or("closed");
            }
            PacketLog& log;
            Decompressor& decompressor;
        };
        auto& log = logs_.emplace_back();
        const net::ClientSettings settings{
            .server = address(),
            .server_name = "localhost",
            .tls = net::TlsContext::client(&net::test::identity(), {build.protocol}).value()};
        auto rules = net::test::player(number);
        rules.build = build;
        log.session = net::join(clients_.driver, clients_.context, settings, std::move(rules),
                                std::make_unique<Handler>(log, clients_.context.tools.decompressor))
                          .value();
        return log;
    }

    static constexpr std::uint32_t k_largest = 128 << 20;
    std::deque<PacketLog> logs_;
    net::test::Clients clients_{loop_};
};

} // namespace orbis::game::test_server
