#pragma once

#include "bytes/result.hpp"
#include "net/session_service_client.hpp"
#include "protocol/types.hpp"

#include <filesystem>

namespace orbis::proxy {

/// An account by which a proxy gets into servers that ask for one: tokens that its owner has put into a file.
struct Login {
    net::SessionServiceSettings service; ///< and the session token
    std::string identity_token;
    protocol::Uuid uuid{};  ///< of the player, as the identity token says
    std::string username{}; ///< the same

    /// Reads `{"service": URL, "session_token": …, "identity_token": …}`, with an optional "issuer". Messages
    /// never contain a token.
    static Result<Login> parse(std::string_view json);
    /// The same from a file, which only its owner may read.
    static Result<Login> load(const std::filesystem::path& path);
};

} // namespace orbis::proxy
