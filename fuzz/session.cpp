// What a client sends to a server's session: bytes of the Default stream in pieces, pauses between them, and
// the frames of a good client to get further. Whatever comes, the session ends at most once, holds little,
// and its program hears of nothing before the player is let in.

#include "net/server_session.hpp"
#include "protocol/packets.hpp"
#include "support/imagined_link.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::net;
using test::HandClock;
using test::ImaginedLink;

namespace {

class Player0 final : public SessionHandler {
public:
    explicit Player0(ServerSession& session) : session_(session) {
        (void)session_.send(packets::WorldSettings{});
    }
    bool on_packet(const protocol::Frame& frame) override {
        fuzz::require(!is_over_ && session_.phase() >= ServerSession::Phase::setup);
        fuzz::require(!frame.is_compressed && frame.packet != nullptr);
        if (frame.id == packets::RequestAssets::k_info.id) (void)session_.read<packets::RequestAssets>(frame);
        if (frame.id == packets::ClientMovement::k_info.id)
            (void)session_.read<packets::ClientMovement>(frame);
        if (frame.id == packets::PlayerOptions::k_info.id && session_.read<packets::PlayerOptions>(frame))
            (void)session_.begin_play();
        return frame.id % 7 != 0;
    }
    void on_closed(const Close&) override {
        fuzz::require(!is_over_);
        is_over_ = true;
    }

private:
    ServerSession& session_;
    bool is_over_ = false;
};

class OneHandler final : public ServerHandler {
public:
    std::unique_ptr<SessionHandler> welcome(ServerSession& session) override {
        return std::make_unique<Player0>(session);
    }
};

template <typename P>
Buffer frame_of(const P& packet) {
    protocol::FrameWriter<Side::client> writer;
    const auto frame = writer.frame(packet).value();
    return {frame.begin(), frame.end()};
}

Buffer connect_frame() {
    packets::Connect connect;
    const auto build = GameBuild::current();
    connect.protocol_crc = build.crc;
    connect.client_version = build.version;
    connect.uuid[0] = 1;
    connect.username = "fuzz";
    connect.language = "en";
    return frame_of(connect);
}

Buffer assets_frame() { return frame_of(packets::RequestAssets{}); }
Buffer options_frame() { return frame_of(packets::PlayerOptions{}); }

} // namespace

std::vector<Buffer> fuzz::seeds() {
    Buffer all{4, 200};
    for (const auto& frame :
         {connect_frame(), assets_frame(), options_frame(), frame_of(packets::ClientMovement{})})
        all.insert(all.end(), frame.begin(), frame.end());
    return {all, {0, 1, 2, 3, 3, 3}, {0, 1, 2, 4, 20, 255, 255, 255, 255}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static FrameTools<Side::server> tools;
    static const ServerRules open_rules;
    static const auto closed_rules = [] {
        ServerRules rules;
        rules.password = "secret";
        return rules;
    }();
    HandClock clock;
    Roster roster;
    OneHandler handler;
    const bool asks = size > 0 && data[0] >= 128;
    ServerContext context{clock,   tools,  asks ? closed_rules : open_rules,
                          handler, roster, [](auto task) { task(); }};
    ImaginedLink link(Side::server, clock, tools.decompressor);
    const auto feed = [&](Bytes bytes) {
        link.feed(bytes);
        fuzz::require(link.pending() <= LinkLimits().largest_payload + protocol::k_frame_header);
    };
    link.set_user(std::make_unique<ServerSession>(context, link));
    auto& session = static_cast<ServerSession&>(*link.user());
    if (size > 0) {
        link.delivers = data[0] % 2 == 0;
        link.fails_at = data[0] / 2 % 8;
    }
    link.start();

    // Each step is a byte that says what, and bytes for it.
    for (std::size_t at = 0; at < size && link.is_open();) {
        switch (data[at++] % 6) {
        case 0: feed(connect_frame()); break;
        case 1: feed(assets_frame()); break;
        case 2: feed(options_frame()); break;
        case 3:
            clock.pass(std::chrono::milliseconds(700));
            session.tick();
            break;
        default: {
            const std::size_t wanted = at < size ? data[at++] : 0;
            const auto count = std::min(wanted, size - at);
            feed({data + at, count});
            at += count;
        }
        }
    }
    for (int turn = 0; turn < 200 && link.is_open(); ++turn) {
        clock.pass(std::chrono::seconds(1));
        session.tick();
    }
    fuzz::require(!link.is_open()); // silence ends everything
    fuzz::require(roster.size() == 0);
    return 0;
}
