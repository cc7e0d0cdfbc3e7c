#include "net/token.hpp"

#include "bytes/json_writer.hpp"
#include "net/base64url.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

using protocol::JsonTree;

constexpr std::size_t k_shortest_signature = 80; // characters
constexpr std::size_t k_longest_signature = 90;
constexpr std::size_t k_longest_key_id = 256;

Result<JsonTree> json_part(std::string_view text, std::string_view part) {
    const auto bytes = from_base64url(text);
    if (!bytes) return fail(Errc::bad_text, "no base64url without padding in its {}", part);
    auto tree = JsonTree::parse(as_text(*bytes));
    // The parser's own words quote the text.
    if (!tree) return fail(tree.error().code, "no JSON in its {}", part);
    if (tree->as<JsonTree::Object>() == nullptr)
        return fail(Errc::bad_value, "expected an object in its {}, found {}", part, tree->kind());
    return tree;
}

Result<std::string> check_header(const JsonTree& header) {
    const auto* algorithm = header.find("alg");
    if (algorithm == nullptr || header.text("alg") != "EdDSA")
        return fail(Errc::unsupported, "expected the algorithm EdDSA, found {}",
                    algorithm == nullptr ? "none"
                    : algorithm->as<std::string>() == nullptr
                        ? std::string(algorithm->kind())
                        : json_quoted(header.text("alg").substr(0, 32)));
    if (header.find("crit") != nullptr)
        return fail(Errc::unsupported, "extensions are not supported: the token has \"crit\"");
    const auto* key_id = header.find("kid");
    if (key_id == nullptr) return std::string();
    const auto* id = key_id->as<std::string>();
    if (id == nullptr || id->empty() || id->size() > k_longest_key_id)
        return fail(Errc::bad_value, "expected a key id of 1 to {} bytes, found {}", k_longest_key_id,
                    id == nullptr ? std::string(key_id->kind()) : fmt::format("{} bytes", id->size()));
    return *id;
}

} // namespace

Result<Token> parse_token(std::string_view text) {
    if (text.size() > k_largest_token)
        return fail(Errc::too_large, "expected a token of at most {} bytes, found {}", k_largest_token,
                    text.size());
    const auto dots = std::ranges::count(text, '.');
    if (dots != 2)
        return fail(Errc::bad_text, "expected a token of three parts with a dot between, found {}",
                    text.empty() ? "nothing" : fmt::format("{} dots", dots));
    const auto first = text.find('.');
    const auto second = text.find('.', first + 1);
    const auto signature = text.substr(second + 1);
    if (signature.size() < k_shortest_signature || signature.size() > k_longest_signature)
        return fail(Errc::bad_value, "expected a signature of {} to {} characters, found {}",
                    k_shortest_signature, k_longest_signature, signature.size());
    Token token;
    const auto proof = from_base64url(signature);
    if (!proof || proof->size() != token.signature.size())
        return fail(Errc::bad_text, "expected a signature of {} bytes in base64url, found {}",
                    token.signature.size(), proof ? fmt::format("{}", proof->size()) : "other characters");
    std::ranges::copy(*proof, token.signature.begin());
    TRY(const auto header, json_part(text.substr(0, first), "header"));
    TRY(token.key_id, check_header(header));
    TRY(token.claims, json_part(text.substr(first + 1, second - first - 1), "claims"));
    token.signed_text = text.substr(0, second);
    return token;
}

Result<void> check_signature(const Token& token, const KeySet& keys) {
    const auto* key = keys.find(token.key_id);
    if (key == nullptr) {
        if (token.key_id.empty())
            return fail(Errc::not_found, "the service has {} keys, but the token has no key id",
                        keys.keys().size());
        return fail(Errc::not_found, "the service does not have the key {}", json_quoted(token.key_id));
    }
    if (!is_signed_by(*key, as_bytes(token.signed_text), token.signature))
        return fail(Errc::mismatch, "the signature does not match the service's key {}",
                    json_quoted(token.key_id));
    return {};
}

} // namespace orbis::net
