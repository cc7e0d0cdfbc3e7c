#include "net/token_checks.hpp"

#include "bytes/json_writer.hpp"
#include "protocol/uuid.hpp"

#include <cmath>

namespace orbis::net {
namespace {

using protocol::JsonTree;
using std::chrono::sys_seconds;

/// A claim for a message: short, and printable whatever the peer wrote.
std::string shown(const JsonTree* claim) {
    constexpr std::size_t k_longest = 100;
    if (claim == nullptr) return "none";
    const auto* text = claim->as<std::string>();
    if (text == nullptr) return std::string(claim->kind());
    return json_quoted(std::string_view(*text).substr(0, k_longest)) + (text->size() > k_longest ? "…" : "");
}

/// Seconds since 1970, whole or not. What is out of every calendar is none.
Result<std::optional<std::int64_t>> time_claim(const JsonTree& claims, std::string_view name) {
    const auto* claim = claims.find(name);
    if (claim == nullptr) return std::nullopt;
    if (const auto* whole = claim->as<std::int64_t>()) return *whole;
    if (const auto* real = claim->as<double>(); real != nullptr && std::fabs(*real) < 1e15)
        return static_cast<std::int64_t>(std::floor(*real));
    return fail(Errc::bad_value, "expected a time in seconds as \"{}\", found {}", name,
                claim->kind() == "a number" ? "a number out of range" : shown(claim));
}

/// Fails where a token is too old or not valid yet; gives the last moment.
Result<sys_seconds> check_times(const JsonTree& claims, sys_seconds now) {
    const auto today = now.time_since_epoch().count();
    const auto tolerance = k_clock_tolerance.count();
    TRY(const auto expires, time_claim(claims, "exp"));
    if (!expires) return fail(Errc::bad_value, "the token has no end time \"exp\"");
    if (*expires < today - tolerance)
        return fail(Errc::out_of_range, "the token expired at {1}; the time is {0}", today, *expires);
    for (const auto* name : {"nbf", "iat"}) {
        TRY(const auto from, time_claim(claims, name));
        if (from && *from > today + tolerance)
            return fail(Errc::out_of_range, "the token is valid from {1} on (\"{2}\"); the time is {0}",
                        today, *from, name);
    }
    return sys_seconds(std::chrono::seconds(*expires));
}

Result<void> check_text(const JsonTree& claims, std::string_view name, std::string_view wanted) {
    const auto* claim = claims.find(name);
    const auto* text = claim != nullptr ? claim->as<std::string>() : nullptr;
    if (text == nullptr || *text != wanted)
        return fail(Errc::mismatch, "expected \"{}\" to be {}, found {}", name, json_quoted(wanted),
                    shown(claim));
    return {};
}

/// One word among those of `scope`, which have a space between.
Result<void> check_scope(const JsonTree& claims, std::string_view wanted) {
    auto rest = claims.text("scope");
    while (!rest.empty()) {
        const auto end = std::min(rest.find(' '), rest.size());
        if (rest.substr(0, end) == wanted) return {};
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return fail(Errc::mismatch, "expected \"scope\" to contain {}, found {}", wanted,
                shown(claims.find("scope")));
}

Result<void> check_audience(const JsonTree& claims, std::string_view wanted) {
    const auto* claim = claims.find("aud");
    const auto* list = claim != nullptr ? claim->as<JsonTree::Array>() : nullptr;
    if (list != nullptr) claim = list->empty() ? nullptr : &list->front();
    const auto* text = claim != nullptr ? claim->as<std::string>() : nullptr;
    if (text == nullptr || *text != wanted)
        return fail(Errc::mismatch, "expected the first \"aud\" to be {}, found {}", json_quoted(wanted),
                    shown(claim));
    return {};
}

Result<void> check_certificate(const JsonTree& claims, const Fingerprint& wanted) {
    const auto* confirmation = claims.find("cnf");
    const auto* claim = confirmation != nullptr ? confirmation->find("x5t#S256") : nullptr;
    const auto* text = claim != nullptr ? claim->as<std::string>() : nullptr;
    if (text == nullptr || *text != wanted.text())
        return fail(Errc::mismatch, "\"cnf\" must name the certificate of this connection, {}, not {}",
                    wanted.text(), shown(claim));
    return {};
}

std::optional<protocol::Uuid> subject_of(const JsonTree& claims) {
    return protocol::parse_uuid(claims.text("sub"));
}

Result<void> check_subject(const JsonTree& claims, const std::optional<protocol::Uuid>& wanted) {
    const auto subject = subject_of(claims);
    if (!subject)
        return fail(Errc::bad_value, "expected a UUID as \"sub\", found {}", shown(claims.find("sub")));
    if (wanted && *subject != *wanted)
        return fail(Errc::mismatch, "expected \"sub\" to be {}, found {}", protocol::uuid_text(*wanted),
                    protocol::uuid_text(*subject));
    return {};
}

/// What a token says once all of it was checked.
TokenFacts facts_of(const JsonTree& claims, sys_seconds expires) {
    return {subject_of(claims), std::string(claims.text("username")), expires};
}

/// Signature first: nothing else of a token means anything before that.
Result<JsonTree> genuine_claims(std::string_view text, const TokenRules& rules) {
    TRY(auto token, parse_token(text));
    TRY_DO(check_signature(token, rules.keys));
    TRY_DO(check_text(token.claims, "iss", rules.issuer));
    return std::move(token.claims);
}

Result<TokenFacts> identity(std::string_view text, const TokenRules& rules, const IdentityWanted& wanted) {
    TRY(const auto claims, genuine_claims(text, rules));
    TRY(const auto expires, check_times(claims, rules.now));
    TRY_DO(check_subject(claims, wanted.subject));
    if (!wanted.scope.empty()) TRY_DO(check_scope(claims, wanted.scope));
    return facts_of(claims, expires);
}

Result<TokenFacts> access(std::string_view text, const TokenRules& rules, const AccessWanted& wanted) {
    TRY(const auto claims, genuine_claims(text, rules));
    if (wanted.audience) TRY_DO(check_audience(claims, *wanted.audience));
    TRY(const auto expires, check_times(claims, rules.now));
    TRY_DO(check_certificate(claims, wanted.certificate));
    if (wanted.subject) TRY_DO(check_subject(claims, wanted.subject));
    if (wanted.username) TRY_DO(check_text(claims, "username", *wanted.username));
    return facts_of(claims, expires);
}

} // namespace

Result<TokenFacts> check_identity_token(std::string_view text, const TokenRules& rules,
                                        const IdentityWanted& wanted) {
    auto facts = identity(text, rules, wanted);
    if (!facts) return fail(std::move(facts.error()).about("identity token"));
    return facts;
}

Result<TokenFacts> check_access_token(std::string_view text, const TokenRules& rules,
                                      const AccessWanted& wanted) {
    auto facts = access(text, rules, wanted);
    if (!facts) return fail(std::move(facts.error()).about("access token"));
    return facts;
}

} // namespace orbis::net
