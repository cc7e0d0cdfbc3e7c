#pragma once

#include "bytes/result.hpp"
#include "net/address.hpp"
#include "protocol/catalogue.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace orbis::net {
class Loop;
}

namespace orbis::game {

/// Which player of which capture goes to which server.
struct ClientSideRules {
    std::filesystem::path capture{};
    net::HostPort server{};
    std::optional<std::uint64_t> player{};      ///< none: the first who joins a world
    const protocol::BuildInfo* build = nullptr; ///< of frames that do not say theirs
    std::string password{};
    std::optional<std::string> name{}; ///< none: that of the player
    bool is_at_once = false;           ///< as fast as the server takes it, not at the times of the capture
};

/// How it went.
struct ClientSideReport {
    std::uint64_t player = 0;
    std::string name{};
    std::uint64_t sent = 0;               ///< frames
    std::uint64_t left_out = 0;           ///< frames that belong to the connection of then
    std::uint64_t received = 0;           ///< frames, from the server
    double seconds = 0;                   ///< from the world to the last frame
    std::optional<std::string> problem{}; ///< why it ended early
    std::optional<Error> damage{};        ///< where the capture could not be read further

    [[nodiscard]] bool is_fine() const { return !problem && !damage; }
};

/// Joins a server as a player of a capture did and says again what that player said in the world. What
/// belongs to a connection is new: login, password, answers to pings. An error if nobody joins a world in
/// the capture, or nothing listens. Without a loop it makes its own.
Result<ClientSideReport> replay_client_side(const ClientSideRules& rules,
                                            const std::function<bool()>& is_stopped,
                                            std::shared_ptr<net::Loop> loop = nullptr);

} // namespace orbis::game
