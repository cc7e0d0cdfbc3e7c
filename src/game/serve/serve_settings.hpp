#pragma once

#include "bytes/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::game {

/// The least and the most that a number may be.
struct Limits {
    int least;
    int most;
};
inline constexpr Limits k_player_limits{1, 10'000};
inline constexpr Limits k_view_limits{2, 64};       ///< chunks
inline constexpr Limits k_worker_limits{1, 64};     ///< threads
inline constexpr Limits k_cache_limits{1, 1 << 20}; ///< megabytes
inline constexpr Limits k_notice_limits{0, 3600};   ///< seconds
/// The longest text that a server says of itself, in bytes: a client shows it on a line.
inline constexpr std::size_t k_longest_text = 512;

/// How a server is run, as its owner says it on the command line or in a file (docs/serve.md). What is not
/// said is empty.
struct ServeSettings {
    std::optional<std::string> name{};
    std::optional<std::string> motd{};
    std::optional<std::string> welcome{};
    std::optional<int> max_players{};
    std::optional<int> view_radius{};
    std::optional<bool> unlimited{};
    std::optional<std::string> password_file{};
    std::optional<int> stop_notice{};
    // What only a new start can change.
    std::optional<std::string> bind{};
    std::optional<std::string> world{};
    std::optional<std::string> metrics{};
    std::optional<std::string> accept{}; ///< builds, separated by commas
    std::optional<int> workers{};
    std::optional<int> cache{};

    /// Reads a JSON object. What it does not know, or knows as something else, is an error that names the
    /// member.
    static Result<ServeSettings> parse(std::string_view text, std::string_view file);
    /// The same of a file; a relative `password_file` is one beside it.
    static Result<ServeSettings> load(const std::string& path);

    /// Whether all values are within their limits; the error names the member.
    [[nodiscard]] Result<void> check() const;
    /// These, and where they say nothing, the others.
    [[nodiscard]] ServeSettings over(const ServeSettings& others) const;
    /// The names of members that differ.
    [[nodiscard]] std::vector<std::string> changes_from(const ServeSettings& before) const;
    /// Those of them that take effect at the next start only.
    [[nodiscard]] std::vector<std::string> needing_restart_from(const ServeSettings& before) const;

    bool operator==(const ServeSettings&) const = default;
};

} // namespace orbis::game
