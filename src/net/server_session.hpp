#pragma once

#include "bytes/self.hpp"
#include "net/authentication.hpp"
#include "net/password.hpp"
#include "net/ping_tracker.hpp"
#include "net/roster.hpp"
#include "net/server_rules.hpp"
#include "net/session_handler.hpp"
#include "packets/connection.hpp"
#include "packets/fwd.hpp"

#include <set>

namespace orbis::net {

class ServerSession;

/// What sessions of one thread share.
struct ServerContext {
    const Clock& clock;
    FrameTools<Side::server>& tools;
    const ServerRules& rules;
    ServerHandler& handler;
    Roster& roster;
    /// Runs a task in this thread, later; may be called from any.
    std::function<void(std::move_only_function<void()>)> post;
    /// All that exist; they enter and leave by themselves, the latter a moment after they are over.
    std::set<ServerSession*> sessions{};

    /// Ticks all of them: to be called several times a second.
    void tick();
};

/// The server's side of a connection from its first packet to its last: phases, their times, checks of
/// identity and password, pings and the limit of packets (docs/design/session.md).
class ServerSession final : public LinkUser {
public:
    ServerSession(ServerContext& context, Link& link);
    ~ServerSession() override;

    enum class Phase : std::uint8_t { initial, authenticating, password, setup, play, closed };
    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] const Player& player() const { return player_; }
    /// Whether the player has said goodbye.
    [[nodiscard]] bool has_left() const { return has_left_; }
    /// What `disconnect` has told the player; empty when it was not called.
    [[nodiscard]] const std::string& farewell() const { return farewell_; }
    [[nodiscard]] Link& link() { return link_; }
    [[nodiscard]] const ServerContext& context() const { return context_; }
    [[nodiscard]] const PingTracker& pings() const { return pings_; }

    /// Sends a packet on its channel. Fails when the packet cannot be written, or when its channel is not
    /// open before `begin_play`; when the connection is over, nothing happens.
    template <protocol::SentBy<Side::server> P>
    Result<void> send(const P& packet) {
        TRY_DO(check_channel(P::k_info.channel));
        TRY_DO(link_.send(context_.tools.writer, packet));
        note_sent(P::k_info.id);
        return {};
    }
    /// The same for a frame that was made before, such as one for many players.
    Result<void> send(const OutgoingFrame& frame) {
        TRY_DO(check_channel(frame.channel()));
        link_.send(frame);
        note_sent(frame.packet());
        return {};
    }
    /// The same for frames that belong together: some builds have fewer packets for them.
    Result<void> send(std::span<const OutgoingFrame* const> together) {
        for (const auto* frame : together) TRY_DO(check_channel(frame->channel()));
        link_.send(together);
        for (const auto* frame : together) note_sent(frame->packet());
        return {};
    }

    /// Reads the packet of a frame; null when it is broken, and the connection is over then. Valid until the
    /// next frame.
    template <protocol::ReceivedBy<Side::server> P>
    const P* read(const protocol::Frame& frame) {
        auto* packet = context_.tools.arena.template take<P>(1);
        new (packet) P;
        if (protocol::decode(frame.payload, context_.tools.arena, *packet)) return packet;
        violate();
        return nullptr;
    }

    /// Opens Chunks and WorldMap and lets the pings begin: the player has been added to a world.
    Result<void> begin_play();
    /// Tells the client to go to another server.
    Result<void> refer(const HostPort& to, Bytes data);
    /// Says why, and closes when that has arrived.
    void disconnect(std::string_view reason, CloseCode code = CloseCode::none,
                    packets::DisconnectType type = packets::DisconnectType::disconnect);

    /// Keeps the times; `ServerContext::tick` calls it.
    void tick();

private:
    /// Parts of the phases that have times of their own.
    struct Stage {
        std::string_view name;
        Duration time{};
        bool has_deadline = false; ///< must be left in time; else only silence is limited
    };

    void on_open() override;
    bool on_first_bytes() override;
    void on_frame(const protocol::Frame& frame) override;
    void on_foreign_frame() override;
    void on_bad_frame(const protocol::FrameFailure& failure) override;
    void on_end() override;
    void on_delivered(Channel channel) override;
    void on_closed(const Close& close) override;

    /// Finds out of which build the client is, from what it says in the words of that build.
    void on_first_packet(const protocol::Frame& frame);
    void on_connect(const packets::Connect& connect);
    void choose_flow(const packets::Connect& connect);
    /// Takes over what a checked token says of the player; false, and the session is over, where that is not
    /// enough.
    bool take_player(const TokenFacts& facts);
    void accept_insecurely();
    void begin_authentication(std::string identity_token);
    void ask_for_grant(std::string identity_token);
    void on_auth_token(const packets::AuthToken& token);
    void exchange_grant(std::string grant);
    void on_password_response(const packets::PasswordResponse& response);
    void on_pong(const packets::Pong& pong);
    void on_setup_packet(const protocol::Frame& frame);
    void hand_to_handler(const protocol::Frame& frame);

    /// The challenge for this player, when there is a password to ask for.
    std::optional<PasswordChallenge> challenge_player();
    void leave_authentication();
    void begin_setup();
    void enter(Stage stage);
    void note_sent(std::int32_t packet);
    [[nodiscard]] Result<void> check_channel(Channel channel) const;
    /// Whether the client can still receive anything.
    [[nodiscard]] bool is_alive() const {
        return phase_ != Phase::closed && link_.is_open() && !link_.is_closing();
    }
    /// Runs something of the program behind the session. What it throws ends this session alone.
    void guard(const std::function<void()>& act);
    void send_ping();
    /// Broken framing: closes without a word.
    void violate();
    /// A packet that does not belong here.
    void refuse_packet(const protocol::Frame& frame);
    /// For answers that come when the session may be gone: runs `act` if it is not.
    template <typename T>
    Answered<T> when_alive(std::move_only_function<void(T)> act, std::string_view what);
    [[nodiscard]] Moment moment() const;

    ServerContext& context_;
    Link& link_;
    Phase phase_ = Phase::initial;
    Stage stage_;
    Time stage_start_;
    Time last_packet_;
    Time next_check_;
    Time next_ping_ = k_never;
    Time ready_deadline_ = k_never;
    TokenBucket bucket_;
    bool is_outdated_ = false;       ///< negotiated an old protocol
    bool has_build_ = false;         ///< it is known how the client speaks
    bool is_named_by_token_ = false; ///< `Connect` does not say who the player is, and the account does
    bool waits_for_token_ = false;
    bool has_left_ = false;
    std::string farewell_;
    bool has_requested_assets_ = false;
    Player player_;
    std::optional<PasswordChallenge> challenge_;
    int attempts_left_ = k_password_attempts;
    std::optional<Roster::Ticket> ticket_;
    std::unique_ptr<SessionHandler> handler_;
    std::optional<Close> close_;
    PingTracker pings_;
    Self<ServerSession> self_{this};
};

} // namespace orbis::net
