#pragma once

#include "app/console.hpp"
#include "app/line_output.hpp"
#include "game/serve/console.hpp"
#include "game/serve/served_game.hpp"

#include <map>
#include <mutex>

namespace orbis::app {

/// Prints what happens on a server: a line for people, or a JSON object, for each event. Any thread may print
/// through it. What happens before it begins is printed after the beginning.
class ServeEvents final : public game::GameEvents {
public:
    explicit ServeEvents(Console& console, bool tells_edits = false)
        : console_(console), tells_edits_(tells_edits), output_(console) {}

    /// The server answers now.
    struct Ready {
        std::vector<std::string> addresses;
        std::string certificate; ///< fingerprint
        std::vector<std::string> worlds;
        bool has_password = false;
        bool can_edit = false;
        game::ServerFacts facts{};
        std::string metrics{}; ///< URL; empty for none
    };
    void on_ready(const Ready& ready);
    struct Stopping {
        std::string why;    ///< what ends it
        std::string reason; ///< that players are told
        std::size_t players = 0;
        std::chrono::seconds notice{0};
    };
    void on_stopping(const Stopping& stopping);
    struct Stopped {
        std::chrono::seconds uptime{0};
        std::uint64_t joined = 0;
        std::uint64_t chunks_sent = 0;
        std::uint64_t unsaved = 0; ///< edits that could not be written, and are lost now
    };
    void on_stopped(const Stopped& stopped);
    /// What came of a line on the console.
    void on_answer(std::string_view command, const game::ConsoleAnswer& answer);

    void on_join(game::Player& player) override;
    void on_leave(game::Player& player, std::string_view why) override;
    void on_chat(game::Player& player, std::string_view text) override;
    void on_world_change(game::Player& player, const game::PlayerWorld& from) override;
    void on_saved(const game::ServedWorld& world, const game::SaveReport& report) override;
    void on_edit(const game::ServedWorld& world, const protocol::Uuid& player,
                 const game::EditOutcome& outcome) override;
    void on_password_trouble(const net::Player& player, const net::PeerFacts& peer,
                             const net::PasswordTrouble& trouble) override;
    void on_unopened(const world::World& world, const Error& error) override;
    void on_empty(const game::ServedWorld& world, std::span<const Error> problems) override;
    void on_unreadable(const game::ServedWorld& world, ChunkPos pos, const Error& error) override;

    /// The first lines, where those are not of `on_ready`; may be none.
    void begin(std::vector<std::string> lines);
    /// Drops what was told so far: the server did not start.
    void forget();

private:
    void print(std::string_view text, JsonWriter& json);
    void print(std::vector<std::string> lines, JsonWriter& json);
    /// `{"event":…,` and so on; stays open.
    static JsonWriter event(std::string_view name);
    static JsonWriter event(std::string_view name, game::Player& player);

    Console& console_;
    bool tells_edits_;
    LineOutput output_;
    std::mutex mutex_;
    std::optional<std::vector<std::string>> early_ = std::vector<std::string>(); ///< none once it has begun
    std::map<std::string, std::uint64_t> saved_;                                 ///< edits by world
    std::string last_problem_;                                                   ///< not repeated
    std::string last_unreadable_;                                                ///< nor is this
};

} // namespace orbis::app
