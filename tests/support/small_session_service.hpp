#pragma once

#include "net/fingerprint.hpp"
#include "net/identity.hpp"
#include "protocol/json_tree.hpp"
#include "support/token_signer.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <microhttpd.h>
#include <mutex>
#include <netinet/in.h>
#include <optional>

namespace orbis::test {

/// A session service on loopback, small but whole: it hands out its keys, grants for identity tokens of its
/// own, and access tokens for grants. A test can put other answers in the way.
class SmallSessionService {
public:
    struct Reply {
        unsigned status = 200;
        std::string body;
        std::string location{}; ///< for redirects
        bool hold = false;      ///< until the service goes
    };
    struct Call {
        std::string method, path, authorization, body;
    };

    /// With a certificate it speaks TLS.
    explicit SmallSessionService(const net::Identity* identity = nullptr) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
        if (identity != nullptr)
            daemon_ = MHD_start_daemon(flags | MHD_USE_TLS, 0, nullptr, nullptr, &on_request, this,
                                       MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, &on_end,
                                       nullptr, MHD_OPTION_HTTPS_MEM_CERT, identity->certificate_pem.c_str(),
                                       MHD_OPTION_HTTPS_MEM_KEY, identity->key_pem.c_str(), MHD_OPTION_END);
        else
            daemon_ =
                MHD_start_daemon(flags, 0, nullptr, nullptr, &on_request, this, MHD_OPTION_SOCK_ADDR,
                                 &address, MHD_OPTION_NOTIFY_COMPLETED, &on_end, nullptr, MHD_OPTION_END);
        if (daemon_ == nullptr) throw std::runtime_error("cannot start the small session service");
        const auto port = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port;
        url_ = fmt::format("{}:{}", identity != nullptr ? "https://localhost" : "http://127.0.0.1", port);
    }
    ~SmallSessionService() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
        MHD_stop_daemon(daemon_);
    }
    SmallSessionService(const SmallSessionService&) = delete;
    SmallSessionService& operator=(const SmallSessionService&) = delete;

    [[nodiscard]] const std::string& url() const { return url_; }
    /// Who asks for grants and tokens must say this.
    [[nodiscard]] static std::string session_token() { return "session-token-of-the-test"; }

    /// An identity token for a player (or a server).
    [[nodiscard]] std::string identity_token(std::string_view uuid, std::string_view name,
                                             std::string_view scope, std::int64_t expires) {
        const std::lock_guard lock(mutex_);
        return signer_.sign(fmt::format(R"({{"iss":"{}","sub":"{}","username":"{}","scope":"{}","exp":{}}})",
                                        url_, uuid, name, scope, expires));
    }

    /// From now on signs with another key.
    void change_key(std::string key_id) {
        const std::lock_guard lock(mutex_);
        signer_ = TokenSigner(std::move(key_id));
    }

    /// Answers all requests for a path.
    void answer(std::string path, Reply reply) {
        const std::lock_guard lock(mutex_);
        replies_[std::move(path)] = std::move(reply);
    }

    [[nodiscard]] std::vector<Call> calls() {
        const std::lock_guard lock(mutex_);
        return calls_;
    }

private:
    static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                                 const char*, const char* data, std::size_t* size, void** state) {
        if (*state == nullptr) {
            *state = new std::string();
            return MHD_YES;
        }
        auto& body = *static_cast<std::string*>(*state);
        if (*size > 0) {
            body.append(data, *size);
            *size = 0;
            return MHD_YES;
        }
        const char* authorization = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
        const auto reply = static_cast<SmallSessionService*>(self)->reply(
            {method, url, authorization != nullptr ? authorization : "", body});
        auto* response = MHD_create_response_from_buffer(
            reply.body.size(), const_cast<char*>(reply.body.data()), MHD_RESPMEM_MUST_COPY);
        if (!reply.location.empty()) MHD_add_response_header(response, "Location", reply.location.c_str());
        const auto done = MHD_queue_response(connection, reply.status, response);
        MHD_destroy_response(response);
        return done;
    }
    static void on_end(void*, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
        delete static_cast<std::string*>(*state);
        *state = nullptr;
    }

    Reply reply(Call call) {
        std::unique_lock lock(mutex_);
        calls_.push_back(call);
        if (const auto other = replies_.find(call.path); other != replies_.end()) {
            const auto reply = other->second;
            if (reply.hold) changed_.wait(lock, [this] { return over_; });
            return reply;
        }
        if (call.path == "/.well-known/jwks.json") return {200, signer_.key_set_json()};
        if (call.authorization != "Bearer " + session_token()) return {401, R"({"message":"who are you?"})"};
        const auto body = protocol::JsonTree::parse(call.body);
        if (!body) return {400, R"({"error":"no JSON"})"};
        if (call.path == "/server-join/auth-grant") return grant(*body);
        if (call.path == "/server-join/auth-token") return exchange(*body);
        return {404, "{}"};
    }

    /// Trusts the identity token: whether it is good is not what is tested here.
    Reply grant(const protocol::JsonTree& body) {
        const auto token = body.text("identityToken");
        const auto first = token.find('.');
        const auto second = token.find('.', first + 1);
        const auto bytes = second != token.npos
                               ? net::from_base64url(token.substr(first + 1, second - first - 1))
                               : std::nullopt;
        const auto claims = protocol::JsonTree::parse(as_text(bytes.value_or(Buffer{})));
        if (!claims) return {400, R"({"error":"no token"})"};
        auto name = fmt::format("grant-{}", grants_.size());
        grants_[name] = {std::string(claims->text("sub")), std::string(claims->text("username")),
                         std::string(body.text("aud"))};
        return {200, fmt::format(R"({{"authorizationGrant":"{}"}})", name)};
    }

    Reply exchange(const protocol::JsonTree& body) {
        const auto found = grants_.find(std::string(body.text("authorizationGrant")));
        if (found == grants_.end()) return {403, R"({"message":"no such grant"})"};
        const auto& [subject, username, audience] = found->second;
        const auto token = signer_.sign(fmt::format(
            R"({{"iss":"{}","sub":"{}","username":"{}","aud":["{}"],"cnf":{{"x5t#S256":"{}"}},"exp":4000000000}})",
            url_, subject, username, audience, body.text("x509Fingerprint")));
        return {200, fmt::format(R"({{"accessToken":"{}"}})", token)};
    }

    struct Grant {
        std::string subject, username, audience;
    };

    MHD_Daemon* daemon_ = nullptr;
    std::string url_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    TokenSigner signer_;
    std::map<std::string, Reply> replies_;
    std::map<std::string, Grant> grants_;
    std::vector<Call> calls_;
};

} // namespace orbis::test
