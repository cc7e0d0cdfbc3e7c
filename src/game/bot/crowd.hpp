#pragma once

#include "game/bot/bot.hpp"
#include "game/bot/crowd_report.hpp"
#include "net/client.hpp"

#include <functional>

namespace orbis::game {

/// A crowd of bots, and what they do where no scenario says it.
struct CrowdRules {
    net::HostPort server{};
    net::GameBuild build = net::GameBuild::current(); ///< of each
    std::size_t count = 1;
    std::string name = "bot"; ///< with a number after it if there are several
    std::string password{};
    std::int32_t view_radius = 192; ///< blocks
    double per_second = 50;         ///< bots that begin to connect
    WalkRules walk{};
    std::optional<std::string> chat{};        ///< each says it once it is in the world
    std::optional<std::string> place_block{}; ///< each puts one under its feet, every second
    net::Duration time = std::chrono::seconds(30);
    std::uint64_t seed = 1;
    bool keeps_world = true;
    bool keeps_chat = false;
    std::shared_ptr<capture::Recorder> capture{}; ///< where all frames are recorded; null: nowhere
};

/// What a live table shows.
struct CrowdStatus {
    double seconds = 0;
    std::size_t started = 0;
    std::size_t in_world = 0;
    std::size_t over = 0;
    std::uint64_t chunks = 0;
    double chunks_per_second = 0;
    double bytes_per_second = 0;
    double ping = 0; ///< median of the last second, milliseconds
    std::uint64_t errors = 0;
};

/// Many bots in one loop of one thread. They share what they decode.
class Crowd {
public:
    /// Resolves the server's name, which may take a moment. Without a loop it makes its own.
    static Result<std::unique_ptr<Crowd>> make(CrowdRules rules, std::shared_ptr<net::Loop> loop = nullptr);
    ~Crowd();
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    /// Called once per tick, with the crowd; true ends the run. In place of the time of the rules.
    using Director = std::function<bool(Crowd&)>;
    /// Called about once a second.
    using Tell = std::function<void(const CrowdStatus&)>;
    /// Whether the user wants it to end; asked about thirty times a second.
    using IsStopped = std::function<bool()>;
    /// Joins, lets all bots do what they should, leaves. An error only if nothing listens at the server's
    /// address or this machine cannot do its part.
    Result<CrowdReport> run(const Director& director, const Tell& tell, const IsStopped& is_stopped);

    [[nodiscard]] const CrowdRules& rules() const { return rules_; }
    [[nodiscard]] std::span<const std::unique_ptr<Bot>> bots() const { return bots_; }
    [[nodiscard]] net::Time now() const { return loop_->now(); }
    [[nodiscard]] const StatePool& pool() const { return pool_; }
    /// All bots begin to connect from now on.
    void allow_joining() { may_join_ = true; }
    /// Everything so far; may be asked at any time.
    CrowdReport report();

private:
    Crowd(CrowdRules rules, std::shared_ptr<net::Loop> loop)
        : rules_(std::move(rules)), loop_(std::move(loop)) {}
    Result<void> begin();
    Result<void> join(Bot& bot, const net::Address& server, const std::string& name, net::ClientRules rules);
    void tick_slice();
    void start_some();
    void follow_referrals();
    void act_alone(Bot& bot, std::size_t number);
    void look_back(const Tell& tell);
    void place_blocks();
    [[nodiscard]] bool are_edits_answered() const;
    void collect();
    void leave_all();
    [[nodiscard]] bool are_all_over() const;

    CrowdRules rules_;
    std::shared_ptr<net::Loop> loop_;
    std::optional<net::ClientContext> context_;
    StatePool pool_;
    std::vector<std::unique_ptr<Bot>> bots_;
    std::shared_ptr<net::TlsContext> tls_;
    std::optional<net::UdpDriver> driver_; ///< has the sessions, which refer to what stands above
    net::Address server_;
    std::vector<net::HostPort> servers_; ///< where each bot is, or has begun to connect
    std::vector<bool> has_chatted_;
    std::size_t started_ = 0;
    bool may_join_ = true;
    bool has_director_ = false;
    bool is_leaving_ = false;
    std::optional<Error> failure_;
    net::Time start_{};
    net::Time joining_since_{};
    net::Time next_look_{};
    std::size_t slice_ = 0;
    CrowdReport totals_; ///< what was taken from the bots so far, and the best seconds
    CrowdStatus last_;
    std::uint64_t last_bytes_ = 0;
};

} // namespace orbis::game
