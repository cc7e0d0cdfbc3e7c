#pragma once

#include "capture/capture_reader.hpp"
#include "game/replay/captured_connection.hpp"

#include <optional>
#include <string>
#include <unordered_map>

namespace orbis::game {

/// One thing that a server does in a captured connection.
struct ServerStep {
    enum class Kind : std::uint8_t {
        say,  ///< sends a frame
        wait, ///< hears from the client
    } kind = Kind::say;
    std::int64_t time = 0;   ///< of the capture
    std::int32_t packet = 0; ///< its id

    // What is said.
    std::int64_t stream = 0;
    Bytes frame{};           ///< valid until the next step
    bool is_named = false;   ///< other streams speak about what it names: it must arrive before they go on
    bool is_world = false;   ///< another world begins: everything before must have arrived
    bool is_goodbye = false; ///< the last that a server says

    // What is waited for.
    std::uint64_t count = 0;  ///< so many of this packet must have come
    bool is_required = false; ///< no client goes on without it
};

/// Reads what a server said in a connection, step by step, in memory that does not grow with the capture. The
/// login is that of a server that asks for neither account nor password, whatever the captured one asked for:
/// nobody can answer the questions of then.
class ServerScript {
public:
    static Result<ServerScript> open(const ConnectionWanted& wanted, const CapturedConnection& connection);

    /// The next step; nothing at the end of the connection, of the capture, or at its first damage.
    std::optional<ServerStep> next();

    /// Frames that cannot be said again, or that belong to the login of then.
    [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
    /// Where the capture could not be read further.
    [[nodiscard]] const std::optional<Error>& damage() const { return damage_; }
    /// Whether the server sent the player on to another server, which is left out too.
    [[nodiscard]] bool has_referral() const { return has_referral_; }
    /// A packet of this connection for people: `ChatMessage`, or `packet 211`.
    [[nodiscard]] std::string packet_name(std::int32_t id) const;

private:
    ServerScript(capture::CaptureReader reader, CapturedConnection connection)
        : reader_(std::move(reader)), connection_(std::move(connection)) {}
    std::optional<ServerStep> heard(const capture::Record& record);
    std::optional<ServerStep> said(const capture::Record& record);

    capture::CaptureReader reader_;
    CapturedConnection connection_;
    std::unordered_map<std::int32_t, std::uint64_t> heard_; ///< by packet
    bool is_accepted_ = false;
    bool is_over_ = false;
    bool has_referral_ = false;
    std::uint64_t left_out_ = 0;
    std::optional<Error> damage_;
};

} // namespace orbis::game
