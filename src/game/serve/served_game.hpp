#pragma once

#include "bytes/position.hpp"
#include "game/player/player_world.hpp"
#include "game/serve/game_rules.hpp"
#include "game/serve/histogram.hpp"
#include "net/loop.hpp"
#include "net/session_handler.hpp"

#include <set>

namespace orbis::world {
struct World;
}

namespace orbis::game {

class ServedWorld;
struct EditOutcome;
struct SaveReport;

/// What happens on a server, for logs. Called in the thread of the game.
class GameEvents {
public:
    virtual ~GameEvents() = default;
    virtual void on_join(Player&) {}
    virtual void on_leave(Player&, std::string_view /*why*/) {}
    virtual void on_chat(Player&, std::string_view /*text*/) {}
    virtual void on_world_change(Player&, const PlayerWorld& /*from*/) {}
    virtual void on_saved(const ServedWorld&, const SaveReport&) {}
    /// An edit has changed something; the numbers of a world count up.
    virtual void on_edit(const ServedWorld&, const protocol::Uuid& /*player*/, const EditOutcome&) {}
    /// A world that is left out; the others are served.
    virtual void on_unopened(const world::World&, const Error&) {}
    /// Players will see nothing in it: it has no chunk, or none that can be found.
    virtual void on_empty(const ServedWorld&, std::span<const Error> /*problems*/) {}
    /// A client that is not in yet gave a wrong password, or gave one too early after others.
    virtual void on_password_trouble(const net::Player&, const net::PeerFacts&, const net::PasswordTrouble&) {
    }
    /// Once for each chunk, however often it is tried.
    virtual void on_unreadable(const ServedWorld&, ChunkPos, const Error&) {}
};

/// The game behind the sessions of a server: worlds, players, ticks. All of it happens in the thread of its
/// loop; other threads `post` there.
class ServedGame final : public net::ServerHandler, private PlayerServer {
public:
    ServedGame(net::Loop& loop, GameRules rules, GameEvents& events);
    ~ServedGame() override;

    /// To be called before the loop runs. The first world is where players begin. One that cannot be opened
    /// is left out, unless it is the only one, or players are to edit: then it is an error.
    Result<void> open(const std::vector<world::World>& worlds);

    // For the owner of the server.
    /// A line for everybody.
    void say(std::string_view text);
    /// A line for one.
    void tell(Player& player, std::string_view text) override;
    /// Puts a player into another world.
    void move(Player& player, ServedWorld& world);
    /// Sends a player to another server.
    void refer(Player& player, const net::HostPort& to, Bytes data = {});
    void kick(Player& player, std::string_view reason);
    /// Lets no player in any more, tells the others how much time is left, and calls `done` when it is over;
    /// at once if no player is online. A second call can only shorten the time.
    void begin_stop(std::chrono::seconds notice, std::string reason, std::function<void()> done);
    /// How long that takes from now; nothing if it does not stop.
    [[nodiscard]] std::optional<std::chrono::seconds> stops_in() const;
    /// Changes what can be changed while players are here; they are told.
    void change(ServerFacts facts, bool is_unlimited);
    /// Null if no player of that name is online.
    [[nodiscard]] Player* find_player(std::string_view name) const;
    [[nodiscard]] ServedWorld* find_world(std::string_view name) const;
    [[nodiscard]] const std::vector<Player*>& players() const { return players_; }
    [[nodiscard]] const std::vector<std::unique_ptr<ServedWorld>>& worlds() const { return worlds_; }

    struct Counters {
        std::uint64_t joined = 0;
        std::uint64_t ticks = 0;
        std::uint64_t skipped_ticks = 0; ///< that were so late that the next was due
        std::uint64_t chat_lines = 0;
        std::uint64_t refused = 0; ///< who came when the server was full
        std::uint64_t chunks_sent = 0;
        std::uint64_t entity_updates = 0;
        /// Players who are gone, by who ended it: themselves, the server, neither.
        enum Leave : std::uint8_t { left, sent_away, silent, broken };
        std::array<std::uint64_t, 4> gone{};
        Histogram lateness{}; ///< of ticks
        Histogram duration{}; ///< of ticks
        Histogram done{};     ///< of ticks, from when they were due until they were done
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

    /// Since it was made.
    [[nodiscard]] net::Duration uptime() const { return loop_.now() - started_; }

    [[nodiscard]] const GameRules& rules() const { return rules_; }
    [[nodiscard]] const ItemTable& items() const override;
    [[nodiscard]] EntityUpdater& updater() override;

    std::optional<std::string> closed_because() override;
    std::optional<std::string> refuse(const net::Player& player, const net::PeerFacts& peer) override;
    void on_password_trouble(const net::Player& player, const net::PeerFacts& peer,
                             const net::PasswordTrouble& trouble) override;
    std::unique_ptr<net::SessionHandler> welcome(net::ServerSession& session) override;

private:
    [[nodiscard]] net::Time now() const override { return loop_.now(); }
    [[nodiscard]] const ServerFacts& facts() const override { return rules_.facts; }
    [[nodiscard]] bool is_unlimited() const override { return rules_.is_unlimited; }
    [[nodiscard]] const ContentPack* pack() const override { return rules_.pack; }
    [[nodiscard]] std::span<const net::OutgoingFrame> registry_frames() const override;
    [[nodiscard]] const net::OutgoingFrame* texts(std::string_view language) const override;
    [[nodiscard]] const Person& person() const override;
    void add(Player& player) override { players_.push_back(&player); }
    void remove(Player& player) override;
    void note_gone() override { has_gone_players_ = true; }
    void admit(Player& player) override;
    void tell_world_of(Player& player) override;
    void announce(Player& player) override;
    void greet(Player& player) override;
    void chat(Player& from, const std::string& text) override;
    void count_sent_chunk() override { ++counters_.chunks_sent; }
    void count_entity_update() override { ++counters_.entity_updates; }

    void tick();
    /// Tells clients of names that got numbers since they were last told.
    void announce_names();
    void clear_up();
    static Counters::Leave leave_of(Player& player);
    static std::string farewell_of(Player& player);
    void count_down();
    void send_pings();
    template <typename P>
    void broadcast(const P& packet, const Player* except = nullptr);

    net::Loop& loop_;
    GameRules rules_;
    GameEvents& events_;
    struct Parts;
    std::unique_ptr<Parts> parts_; ///< what worlds and players share
    std::vector<std::unique_ptr<ServedWorld>> worlds_;
    std::set<std::pair<const ServedWorld*, ChunkPos>> unreadable_; ///< that were reported
    std::vector<Player*> players_;                                 ///< from setup on
    std::vector<Player*> listed_;                                  ///< those whom the others know of
    Counters counters_;
    net::Loop::Timer tick_timer_;
    net::Time started_;
    net::Time next_tick_;
    net::Time next_pings_;
    bool has_gone_players_ = false;

    struct Stop {
        net::Time at;
        net::Time next_notice;
        std::string reason;
        std::function<void()> done;
    };
    std::optional<Stop> stop_;
};

} // namespace orbis::game
