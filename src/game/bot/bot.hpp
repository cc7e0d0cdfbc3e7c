#pragma once

#include "game/bot/bot_hands.hpp"
#include "game/bot/walk.hpp"
#include "game/bot/world_view.hpp"
#include "net/client.hpp"

#include <deque>
#include <functional>

namespace orbis::game {

/// Who a bot is and what it keeps.
struct BotRules {
    net::ClientRules client{};
    bool keeps_world = true; ///< decodes blocks, fluids, heights, environments, and other entities
    bool keeps_chat = false; ///< remembers what others said
    std::uint64_t seed = 0;
};

/// What happened to a bot since it began.
struct BotCounts {
    std::uint64_t bytes = 0; ///< of frames, as they came
    std::uint64_t packets = 0;
    std::uint64_t chunks = 0; ///< that came for the first time or again after they were unloaded
    std::uint64_t unloaded = 0;
    std::uint64_t moves = 0;
    std::uint64_t chats = 0; ///< that it received
    std::uint64_t edits = 0;
    std::uint64_t edits_confirmed = 0;
    std::uint64_t edits_refused = 0;
    std::uint64_t referrals = 0;
    std::uint64_t teleports = 0;
};

/// When a bot got how far, since it began to connect.
struct BotTimes {
    std::optional<net::Duration> join{};  ///< it was in the world
    std::optional<net::Duration> first{}; ///< and had a chunk
    std::optional<net::Duration> last{};  ///< and had all that the server sends at first
};

struct Referral {
    net::HostPort to;
    Buffer data;
};

/// A headless player. It outlives its sessions: a referral ends one and begins another. All functions belong
/// to the thread of the session.
class Bot {
public:
    Bot(BotRules rules, StatePool& pool, net::ClientContext& context);

    /// The handler of its next session; the bot must outlive it.
    std::unique_ptr<net::ClientHandler> make_handler();
    /// No session came of it: the bot is over, and this is why.
    void give_up(std::string why) { is_over_ = true, failure_ = std::move(why); }
    /// Begins its next session. It can be left from the first datagram on.
    Result<void> join(net::UdpDriver& driver, const net::ClientSettings& settings, net::ClientRules rules);
    [[nodiscard]] const BotRules& rules() const { return rules_; }

    /// `watcher` sees every packet before the bot does.
    using Watcher = std::function<void(const protocol::Frame&)>;
    void watch(Watcher watcher) { watcher_ = std::move(watcher); }

    /// Moves and keeps times; to be called 30 times a second.
    void tick(double seconds);

    void walk(WalkRules rules);
    [[nodiscard]] const Walk& walking() const { return walk_; }
    /// Goes to a point at once, or as soon as it is ready to play. Servers do not check speed.
    void go_to(const Point& place);
    void look(float yaw, float pitch);
    void chat(std::string_view text);
    /// Puts a block of this name there. Fails where the server has not announced the name.
    Result<void> place(BlockPos pos, std::string_view name);
    /// Takes the block away (docs/formats/edits.md).
    void take_away(BlockPos pos);
    /// Says goodbye, or gives up where it is still connecting.
    void leave();

    [[nodiscard]] bool is_in_world() const { return in_world_; }
    [[nodiscard]] bool is_over() const { return is_over_; }
    [[nodiscard]] bool has_left() const { return has_left_; }
    /// Why the last session ended, where the bot did not leave on its own.
    [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }
    /// Where a server has sent it, once its session there is over. Taken once.
    std::optional<Referral> take_referral();

    [[nodiscard]] const WorldView& world() const { return world_; }
    /// In the world that it is in; nothing until the server has said it.
    [[nodiscard]] const std::optional<Point>& place() const { return place_; }
    /// Other entities in view.
    [[nodiscard]] const std::unordered_map<std::int32_t, Point>& entities() const { return entities_; }
    /// Players that the server lists, this one included.
    [[nodiscard]] std::size_t players() const { return players_.size(); }
    [[nodiscard]] const std::deque<std::string>& heard() const { return heard_; }

    /// How far the server lets players see, in blocks; 0 if it has not said.
    [[nodiscard]] std::int32_t server_radius() const { return server_radius_; }

    [[nodiscard]] const BotCounts& counts() const { return counts_; }
    /// Sections with blocks above and below those that world files can have.
    [[nodiscard]] std::uint64_t sections_outside() const;
    [[nodiscard]] const BotTimes& times() const { return times_; }
    /// Round trips that the server has measured, in microseconds, since they were taken last.
    std::vector<std::int32_t> take_pings() { return std::exchange(pings_, {}); }
    /// From sending an edit to seeing it.
    std::vector<net::Duration> take_edit_times() { return std::exchange(edit_times_, {}); }
    [[nodiscard]] std::uint64_t bad_packets() const { return bad_packets_; }
    [[nodiscard]] const std::string& last_problem() const { return last_problem_; }

private:
    class Session;
    struct Edit {
        BlockPos pos;
        std::int32_t id;
        net::Time sent;
        std::int32_t chain; ///< by which it was asked for
    };

    void on_packet(net::ClientSession& session, const protocol::Frame& frame);
    void on_world_packet(const protocol::Frame& frame);
    void on_joined(net::ClientSession& session, const protocol::Frame& frame);
    void on_entities(net::ClientSession& session, const protocol::Frame& frame);
    void on_teleport(net::ClientSession& session, const protocol::Frame& frame);
    void on_section();
    void say_ready();
    void on_change(net::ClientSession& session, const protocol::Frame& frame);
    void settle_edit(BlockPos pos, std::int32_t id);
    void on_cancelled(std::int32_t chain);
    void note_edit(BlockPos pos, std::int32_t id, std::int32_t chain);
    void on_closed(const net::Close& close, const std::optional<std::string>& reason);
    void send_movement(std::optional<std::int8_t> teleport);
    void be_at(const Point& place);
    /// Until the server says where it is, unless it was told where to go.
    void forget_place();
    void stand_on_ground(Point& place) const;
    [[nodiscard]] net::Duration since_start() const;

    BotRules rules_;
    Watcher watcher_;
    net::ClientContext& context_;
    WorldView world_;
    Walk walk_;
    bool walks_ = false;
    net::ClientSession* connection_ = nullptr; ///< from the first datagram on
    net::ClientSession* session_ = nullptr;    ///< once the server has answered
    std::optional<net::Time> start_;
    bool in_world_ = false;
    bool is_ready_ = false; ///< has said that it is ready to play
    bool is_over_ = false;
    bool has_left_ = false;
    std::optional<std::string> failure_;
    std::optional<Referral> referral_;
    bool is_sent_in_circles_ = false;

    std::int32_t own_id_ = -1;
    std::optional<Point> place_;
    float yaw_ = 0;
    float pitch_ = 0;
    bool has_moved_ = false;      ///< on its own, in this world
    std::optional<Point> target_; ///< where it was told to be before it could go there
    std::unordered_map<std::int32_t, Point> entities_;
    std::vector<protocol::Uuid> players_; ///< sorted
    std::deque<std::string> heard_;

    BotCounts counts_;
    std::uint64_t sections_outside_ = 0; ///< on servers that it has left
    BotTimes times_;
    std::uint64_t sections_ = 0; ///< SetChunk packets since the join
    net::Time last_section_{};
    std::int32_t server_radius_ = 0; ///< blocks, 0: not said
    std::vector<std::int32_t> pings_;
    std::vector<Edit> edits_; ///< that were not seen yet
    std::vector<net::Duration> edit_times_;
    BotHands hands_;
    std::uint64_t bad_packets_ = 0;
    std::string last_problem_;
};

} // namespace orbis::game
