// What a stranger sends as a token, and what a session service answers as its key set. The first byte
// chooses: a token, a key set, or claims that are signed here, so that what stands behind the signature is
// reached too.

#include "net/token_checks.hpp"
#include "support/token_signer.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::net;

namespace {

constexpr std::string_view k_issuer = "https://sessions.example";
constexpr std::int64_t k_now = 1'800'000'000;

const test::TokenSigner& signer() {
    static const auto made = test::TokenSigner::fixed();
    return made;
}

Buffer seed(std::uint8_t kind, std::string_view text) {
    Buffer made{kind};
    const auto bytes = as_bytes(text);
    made.insert(made.end(), bytes.begin(), bytes.end());
    return made;
}

void look_at_token(std::string_view text) {
    const auto token = parse_token(text);
    if (token) fuzz::require(token->signed_text + "." + to_base64url(token->signature) == text);
    static const auto keys = KeySet::parse(signer().key_set_json()).value();
    const TokenRules rules{keys, k_issuer, std::chrono::sys_seconds(std::chrono::seconds(k_now))};
    const auto identity = check_identity_token(text, rules, {k_client_scope, {}});
    const auto access = check_access_token(text, rules, {fingerprint({}), {}, {}, {}});
    if (identity || access) fuzz::require(token && check_signature(*token, keys));
    if (identity) fuzz::require(identity->subject.has_value());
    for (const auto* facts : {&identity, &access})
        if (*facts) fuzz::require((*facts)->expires >= rules.now - k_clock_tolerance);
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    const auto claims = fmt::format(
        R"({{"iss":"{}","sub":"00112233-4455-6677-8899-aabbccddeeff","scope":"openid hytale:client","exp":{},)"
        R"("nbf":1,"iat":2.5,"aud":["a"],"username":"b","cnf":{{"x5t#S256":"{}"}}}})",
        k_issuer, k_now, fingerprint({}).text());
    return {seed(0, signer().sign(claims)), seed(1, signer().key_set_json()), seed(2, claims)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto text = as_text({data + 1, size - 1});
    switch (data[0] % 3) {
    case 0: look_at_token(text); break;
    case 1:
        if (const auto set = KeySet::parse(text)) {
            fuzz::require(!set->keys().empty() && set->keys().size() <= KeySet::k_most_keys);
            for (const auto& key : set->keys()) fuzz::require(key.id.empty() || set->find(key.id) != nullptr);
        }
        break;
    default: look_at_token(signer().sign(text));
    }
    return 0;
}
