#pragma once

#include "bytes/self.hpp"
#include "net/authentication.hpp"
#include "net/fingerprint.hpp"
#include "net/game_build.hpp"
#include "net/link.hpp"
#include "packets/fwd.hpp"

#include <deque>
#include <set>

namespace orbis::net {

class ClientSession;

/// Who a client says it is, and how far it goes on its own.
struct ClientRules {
    GameBuild build = GameBuild::current();
    protocol::Uuid uuid{};
    std::string name = "orbis";
    std::string language = "en-US";
    bool is_editor = false;
    std::optional<std::string> identity_token{};
    Buffer referral_data{};
    std::optional<HostPort> referral_source{};
    std::string password{};         ///< for a server that asks; empty: none is known
    std::int32_t view_radius = 192; ///< blocks
    /// Asks for no assets and joins the world as soon as the server allows. Otherwise the handler does.
    bool joins = true;
    /// A server that sends nothing for this long is given up.
    Duration silence_limit = std::chrono::seconds(60);

    /// For servers that ask for an account.
    struct Authentication {
        SessionService* service = nullptr;
        std::string audience;    ///< the client's own id
        Fingerprint certificate; ///< of the client
    };
    std::optional<Authentication> authentication{};
};

/// The program behind a client's session: a bot, a proxy, a check.
class ClientHandler {
public:
    virtual ~ClientHandler() = default;
    /// The session has come further.
    virtual void on_phase(ClientSession&) {}
    /// The server asks for a password and has refused those before; nothing to give up.
    virtual std::optional<std::string> on_password_refused(int /*attempts_left*/) { return {}; }
    /// Every packet that comes, those that the session answers included. Valid during the call only; `read`
    /// it, for its payload may be compressed.
    virtual void on_packet(ClientSession&, const protocol::Frame&) {}
    /// Whether it reads this packet; of others of another build it sees the id alone.
    [[nodiscard]] virtual bool reads(const protocol::PacketInfo&) const { return true; }
    virtual void on_delivered(ClientSession&, Channel) {}
    /// The server sends the client elsewhere; it should leave and connect there.
    virtual void on_referral(ClientSession&, const HostPort&, Bytes /*data*/) {}
    /// The last call. The reason is that of a Disconnect packet, if there was one.
    virtual void on_closed(ClientSession&, const Close&, const std::optional<std::string>& /*reason*/) {}
};

/// What the clients of one thread share.
struct ClientContext {
    explicit ClientContext(const Clock& time) : clock(time) {}

    const Clock& clock;
    FrameTools<Side::client> tools;
    /// All that exist; they enter and leave by themselves, the latter a moment after they are over.
    std::set<ClientSession*> sessions;

    /// Ticks all of them: to be called several times a second.
    void tick();
};

/// The client's side of a connection: from `Connect` to the world.
class ClientSession final : public LinkUser {
public:
    enum class Phase : std::uint8_t {
        connecting,     ///< the connection is not established yet
        connect_sent,   ///< the server has not answered `Connect`
        authenticating, ///< tokens are exchanged
        password,       ///< a password was asked for
        setup,          ///< let in
        joining,        ///< all is loaded, the world comes next
        play,
        closed,
    };

    ClientSession(ClientContext& context, ClientRules rules, Link& link,
                  std::unique_ptr<ClientHandler> handler);
    ~ClientSession() override;

    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] Link& link() { return link_; }
    [[nodiscard]] ClientHandler& handler() { return *handler_; }
    [[nodiscard]] const ClientRules& rules() const { return rules_; }
    /// Whether the server has asked for a password.
    [[nodiscard]] bool was_asked_for_password() const { return was_asked_; }

    template <protocol::SentBy<Side::client> P>
    Result<void> send(const P& packet) {
        return link_.send(context_.tools.writer, packet);
    }

    /// Reads the packet of a frame; null when it is broken, and the connection is over then. Valid until the
    /// next frame.
    template <protocol::ReceivedBy<Side::client> P>
    const P* read(const protocol::Frame& frame) {
        const auto opened = link_.open(frame);
        if (!opened) return nullptr;
        auto* packet = context_.tools.arena.template take<P>(1);
        new (packet) P;
        if (protocol::decode(opened->payload, context_.tools.arena, *packet)) return packet;
        violate();
        return nullptr;
    }

    /// Says why and leaves.
    void leave(std::string_view reason = "Player leave");
    /// `ClientContext::tick` calls it.
    void tick();

private:
    void on_open() override;
    void on_frame(const protocol::Frame& frame) override;
    void on_foreign_frame() override;
    [[nodiscard]] bool reads(const protocol::PacketInfo& packet) const override;
    void on_bad_frame(const protocol::FrameFailure& failure) override;
    void on_end() override;
    void on_delivered(Channel channel) override;
    void on_closed(const Close& close) override;

    void on_default_frame(const protocol::Frame& frame);
    void on_challenge(const protocol::Opt<Bytes>& challenge);
    void answer_challenge(Bytes challenge, std::string_view password);
    void on_auth_grant(const packets::AuthGrant& grant);
    void on_server_token(const packets::ServerAuthToken& token);
    void on_ping(const packets::Ping& ping);
    void send_pong(std::int32_t id, packets::PongType type);
    void enter(Phase phase);
    void violate();

    ClientContext& context_;
    const Clock& clock_;
    ClientRules rules_;
    Link& link_;
    std::unique_ptr<ClientHandler> handler_;
    Phase phase_ = Phase::connecting;
    Time last_packet_;
    Time close_deadline_ = k_never;
    bool was_asked_ = false;
    std::optional<std::string> reason_;
    std::deque<std::int32_t> pings_; ///< to be answered by the next tick
    Self<ClientSession> self_{this};
};

} // namespace orbis::net
