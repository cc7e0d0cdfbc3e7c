#include "net/authentication.hpp"

namespace orbis::net {
namespace {

/// Gets the keys for a token and lets `check` look at it.
template <typename Check>
void with_keys(SessionService& service, std::string token, Moment moment, std::string_view subject,
               Answered<TokenFacts> answered, Check check) {
    auto parsed = parse_token(token);
    if (!parsed) {
        answered(fail(std::move(parsed.error()).about(subject)));
        return;
    }
    service.keys(std::move(parsed->key_id), moment.now,
                 [token = std::move(token), issuer = service.issuer(), wall = moment.wall,
                  answered = std::move(answered),
                  check = std::move(check)](const Result<std::shared_ptr<const KeySet>>& keys) mutable {
                     if (!keys) {
                         answered(std::unexpected(keys.error()));
                         return;
                     }
                     answered(check(token, TokenRules{**keys, issuer, wall}));
                 });
}

} // namespace

void check_identity(SessionService& service, std::string token, IdentityWanted wanted, Moment moment,
                    Answered<TokenFacts> answered) {
    with_keys(service, std::move(token), moment, "identity token", std::move(answered),
              [wanted = std::move(wanted)](std::string_view text, const TokenRules& rules) {
                  return check_identity_token(text, rules, wanted);
              });
}

void check_access(SessionService& service, std::string token, AccessWanted wanted, Moment moment,
                  Answered<TokenFacts> answered) {
    with_keys(service, std::move(token), moment, "access token", std::move(answered),
              [wanted = std::move(wanted)](std::string_view text, const TokenRules& rules) {
                  return check_access_token(text, rules, wanted);
              });
}

namespace {

/// The two answers of the service that make one of ours; the first failure decides.
struct Halves {
    Answered<GrantAnswer> answered;
    GrantAnswer answer;
    int missing = 2;

    void take(Result<std::string> text, std::string GrantAnswer::* half) {
        if (missing == 0) return; // failed already
        if (!text) {
            missing = 0;
            answered(fail(std::move(text.error())));
            return;
        }
        answer.*half = *std::move(text);
        if (--missing == 0) answered(std::move(answer));
    }
};

} // namespace

void answer_grant(SessionService& service, GrantReceived received, Answered<GrantAnswer> answered) {
    const auto halves = std::make_shared<Halves>(Halves{std::move(answered), {}, 2});
    service.exchange(
        std::move(received.authorization_grant), received.certificate,
        [halves](Result<std::string> token) { halves->take(std::move(token), &GrantAnswer::access_token); });
    service.grant(std::move(received.server_identity_token), std::move(received.audience),
                  [halves](Result<std::string> grant) {
                      halves->take(std::move(grant), &GrantAnswer::server_authorization_grant);
                  });
}

} // namespace orbis::net
