#include "net/session_service_client.hpp"

#include "bytes/json_writer.hpp"
#include "net/token.hpp"
#include "protocol/json_tree.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

using protocol::JsonTree;

/// The sentence of a service that refuses, where it has one.
std::string reason_in(const std::string& body) {
    constexpr std::size_t k_longest = 200;
    const auto tree = JsonTree::parse(body);
    if (!tree) return {};
    for (const auto* member : {"message", "error"})
        if (const auto text = tree->text(member); !text.empty())
            return ": " + json_quoted(text.substr(0, k_longest));
    return {};
}

Result<std::string> expect_success(Result<HttpAnswer> answer, const std::string& url) {
    if (!answer) return fail(std::move(answer.error()));
    if (answer->status == 200 || answer->status == 201) return std::move(answer->body);
    auto refusal =
        error(answer->status >= 500 ? Errc::io : Errc::bad_value,
              "the session service answered with status {}{}", answer->status, reason_in(answer->body))
            .in_file(url);
    if (answer->status == 401 || answer->status == 403)
        return fail(std::move(refusal).advise("check the session token: it may have expired"));
    return fail(std::move(refusal));
}

/// Tokens and grants are plain characters without spaces.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c > 32 && c < 127; });
}

} // namespace

SessionServiceClient::SessionServiceClient(SessionServiceSettings settings, std::string base)
    : settings_(std::move(settings)), base_(std::move(base)), http_(settings_.http) {}

Result<SessionServiceClient> SessionServiceClient::make(SessionServiceSettings settings) {
    TRY(auto base, service_base(settings.url));
    for (const auto* path : {&settings.keys_path, &settings.grant_path, &settings.exchange_path}) {
        // The rest of the address must not change what stands before it.
        if (!path->starts_with('/') || path->starts_with("//") || !is_plain(*path))
            return fail(error(Errc::usage, "the path must start with one slash, not {}", json_quoted(*path))
                            .about("address of the session service"));
    }
    return SessionServiceClient(std::move(settings), std::move(base));
}

Result<KeySet> SessionServiceClient::keys(const std::stop_token& stop) {
    const auto url = base_ + settings_.keys_path;
    TRY(const auto body, expect_success(http_.send({url, {}, {}}, stop), url));
    auto set = KeySet::parse(body);
    if (!set) return fail(std::move(set.error()).in_file(url));
    return set;
}

Result<std::string> SessionServiceClient::grant(std::string_view identity_token, std::string_view audience,
                                                const std::stop_token& stop) {
    JsonWriter json;
    json.object().member("identityToken", identity_token).member("aud", audience).end();
    return post(settings_.grant_path, json.take(), "authorizationGrant", k_largest_grant, stop);
}

Result<std::string> SessionServiceClient::exchange(std::string_view grant, const Fingerprint& certificate,
                                                   const std::stop_token& stop) {
    JsonWriter json;
    json.object().member("authorizationGrant", grant).member("x509Fingerprint", certificate.text()).end();
    return post(settings_.exchange_path, json.take(), "accessToken", k_largest_token, stop);
}

Result<std::string> SessionServiceClient::post(const std::string& path, std::string json,
                                               std::string_view member, std::size_t limit,
                                               const std::stop_token& stop) {
    const auto url = base_ + path;
    TRY(const auto body,
        expect_success(http_.send({url, settings_.session_token, std::move(json)}, stop), url));
    // The parser's own words would quote the answer, which holds a secret.
    const auto tree = JsonTree::parse(body);
    if (!tree) return fail(error(Errc::bad_text, "the answer is not JSON").in_file(url));
    const auto text = tree->text(member);
    if (text.empty() || text.size() > limit || !is_plain(text))
        return fail(error(Errc::bad_value, "expected \"{}\" with 1 to {} plain characters, found {}", member,
                          limit, text.empty() ? "none" : fmt::format("{} bytes", text.size()))
                        .in_file(url));
    return std::string(text);
}

} // namespace orbis::net
