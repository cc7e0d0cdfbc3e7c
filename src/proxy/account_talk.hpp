#pragma once

#include "bytes/self.hpp"
#include "net/authentication.hpp"
#include "net/clock.hpp"
#include "protocol/value.hpp"
#include "proxy/frame_observer.hpp"
#include "proxy/login.hpp"

namespace orbis::proxy {

/// Gets a player who has shown no account into a server that asks for one, with the account of the proxy's
/// owner. The client sees a server without accounts: its `Connect` gets the account, the packets about tokens
/// are answered here, and `ConnectAccept` takes their place. Later questions of the server are answered the
/// same way.
class AccountTalk {
public:
    class User {
    public:
        virtual ~User() = default;
        virtual void to_server(Bytes frame) = 0;
        virtual void to_client(Bytes frame) = 0;
        virtual void on_account_problem(const std::string& why) = 0;
    };

    /// All of these must outlive this; answers of the service that come later find nothing.
    AccountTalk(const Login& login, net::SessionService& service, const net::Fingerprint& own,
                const net::Clock& clock, User& user)
        : login_(login), service_(service), own_(own), clock_(clock), user_(user) {}

    /// Whether a packet belongs to this.
    [[nodiscard]] static bool is_about_accounts(const PlayerFacts& player, End from, std::int32_t id);
    /// A frame that does. What takes its place goes to the user, now or later.
    void take(const PlayerFacts& player, End from, Bytes frame, const net::Fingerprint& server);
    /// Whether what the server says has to wait: its token is being checked.
    [[nodiscard]] bool is_holding() const { return is_holding_; }
    void hold(Bytes bytes) { held_.insert(held_.end(), bytes.begin(), bytes.end()); }

private:
    void answer(const PlayerFacts& player, const protocol::Value& grant);
    void check(const PlayerFacts& player, const protocol::Value& token, const net::Fingerprint& server);
    void accept(const PlayerFacts& player, std::optional<protocol::Value> challenge);

    const Login& login_;
    net::SessionService& service_;
    const net::Fingerprint own_;
    const net::Clock& clock_;
    User& user_;
    bool is_accepted_ = false; ///< the client was let in
    bool is_holding_ = false;
    Buffer held_;
    Self<AccountTalk> self_{this};
};

} // namespace orbis::proxy
