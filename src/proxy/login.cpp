#include "proxy/login.hpp"

#include "bytes/file.hpp"
#include "bytes/shell_quote.hpp"
#include "net/token.hpp"
#include "protocol/uuid.hpp"

#include <sys/stat.h>

namespace orbis::proxy {
namespace {

constexpr std::uint64_t k_largest_login = 64 << 10;

} // namespace

Result<Login> Login::parse(std::string_view json) {
    auto tree = protocol::JsonTree::parse(json);
    if (!tree) return fail(Errc::bad_text, "expected JSON, found text that does not parse");
    Login login;
    const auto take = [&](std::string_view key, std::string& into) -> Result<void> {
        into = tree->text(key);
        if (into.empty()) return fail(Errc::bad_value, "expected a text \"{}\", found none", key);
        return {};
    };
    TRY_DO(take("service", login.service.url));
    TRY_DO(take("session_token", login.service.session_token));
    TRY_DO(take("identity_token", login.identity_token));
    login.service.issuer = tree->text("issuer");
    // Who it is of can be read without a key; servers check it.
    auto token = net::parse_token(login.identity_token);
    if (!token) return fail(std::move(token).error().about("identity_token"));
    const auto uuid = protocol::parse_uuid(token->claims.text("sub"));
    if (!uuid) return fail(Errc::bad_value, "expected the id of a player in identity_token, found none");
    login.uuid = *uuid;
    login.username = token->claims.text("username");
    return login;
}

Result<Login> Login::load(const std::filesystem::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    struct stat facts{};
    if (stat(path.c_str(), &facts) == 0 && (facts.st_mode & 077) != 0)
        return fail(error(Errc::usage, "others can read this file, which has the tokens of an account")
                        .in_file(path.string())
                        .advise("chmod 600 " + shell_quoted(path.string())));
    TRY(const auto text, read_text(*file, k_largest_login));
    auto login = parse(text);
    if (!login) return fail(std::move(login).error().in_file(path.string()));
    return login;
}

} // namespace orbis::proxy
