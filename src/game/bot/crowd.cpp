#include "game/bot/crowd.hpp"

#include "net/fingerprint.hpp"
#include "net/identity.hpp"
#include "net/time.hpp"

#include <cerrno>
#include <cmath>
#include <sys/resource.h>

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

/// Bots tick as often as the game's worlds. They take turns within a tick, so that a server sees players and
/// not volleys.
constexpr net::Duration k_crowd_tick = 33'333'333ns;
constexpr std::size_t k_slices = 8;
constexpr net::Duration k_session_tick = 50ms;
/// So long the answers to the last edits may take.
constexpr net::Duration k_answer_time = 1s;
/// How long all have to leave.
constexpr net::Duration k_leave_time = 5s;

/// Every bot has a socket.
void allow_files(std::size_t count) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto wanted = static_cast<rlim_t>(count + 64);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

Crowd::~Crowd() = default;

Result<std::unique_ptr<Crowd>> Crowd::make(CrowdRules rules, std::shared_ptr<net::Loop> loop) {
    std::unique_ptr<Crowd> crowd(new Crowd(std::move(rules), std::move(loop)));
    TRY_DO(crowd->begin());
    return crowd;
}

Result<void> Crowd::begin() {
    allow_files(rules_.count);
    TRY(const auto addresses, net::resolve(rules_.server));
    server_ = addresses.front();
    const auto wall = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    TRY(const auto identity, net::make_self_signed(net::KeyKind::ecdsa_p256, wall));
    TRY(tls_, net::TlsContext::client(&identity, {rules_.build.protocol}));
    if (!loop_) {
        TRY(loop_, net::Loop::make());
    }
    context_.emplace(*loop_);
    driver_.emplace(*loop_, net::EndpointSettings{});
    for (std::size_t i = 0; i < rules_.count; ++i) {
        BotRules rules;
        rules.client.name = rules_.count == 1 ? rules_.name : fmt::format("{}{}", rules_.name, i + 1);
        rules.client.build = rules_.build;
        net::fill_random(rules.client.uuid);
        rules.client.password = rules_.password;
        rules.client.view_radius = rules_.view_radius;
        rules.keeps_world = rules_.keeps_world;
        rules.keeps_chat = rules_.keeps_chat;
        rules.seed = rules_.seed * 1'000'003 + i;
        bots_.push_back(std::make_unique<Bot>(std::move(rules), pool_, *context_));
        bots_.back()->walk(rules_.walk);
    }
    has_chatted_.resize(rules_.count);
    servers_.resize(rules_.count, rules_.server);
    return {};
}

Result<void> Crowd::join(Bot& bot, const net::Address& server, const std::string& name,
                         net::ClientRules rules) {
    net::ClientSettings settings{.server = server, .server_name = name, .tls = tls_};
    settings.capture = rules_.capture;
    return bot.join(*driver_, settings, std::move(rules));
}

void Crowd::start_some() {
    if (!may_join_ || is_leaving_) return;
    if (joining_since_ == net::Time{}) joining_since_ = now();
    const auto due =
        static_cast<std::size_t>(net::seconds_of(now() - joining_since_) * rules_.per_second) + 1;
    for (; started_ < std::min(due, bots_.size()); ++started_) {
        auto& bot = *bots_[started_];
        const auto joined = join(bot, server_, rules_.server.host, bot.rules().client);
        if (!joined) {
            failure_ = joined.error();
            return;
        }
    }
}

void Crowd::follow_referrals() {
    for (std::size_t i = 0; i < bots_.size(); ++i) {
        const auto& bot = bots_[i];
        auto referral = bot->take_referral();
        if (!referral) continue;
        auto rules = bot->rules().client;
        rules.referral_data = std::move(referral->data);
        rules.referral_source = std::exchange(servers_[i], referral->to);
        const auto addresses = net::resolve(referral->to);
        const auto joined = addresses ? join(*bot, addresses->front(), referral->to.host, std::move(rules))
                                      : Result<void>(std::unexpected(addresses.error()));
        if (!joined) bot->give_up(fmt::format("referral: {}", joined.error().text()));
    }
}

void Crowd::act_alone(Bot& bot, std::size_t number) {
    if (!bot.is_in_world() || !bot.place()) return;
    if (rules_.chat && !has_chatted_[number]) {
        has_chatted_[number] = true;
        bot.chat(*rules_.chat);
    }
}

void Crowd::tick_slice() {
    for (auto i = slice_; i < bots_.size(); i += k_slices) {
        bots_[i]->tick(net::seconds_of(k_crowd_tick));
        if (!has_director_) act_alone(*bots_[i], i);
    }
    slice_ = (slice_ + 1) % k_slices;
}

void Crowd::collect() {
    for (const auto& bot : bots_) {
        for (const auto ping : bot->take_pings()) totals_.ping.add(ping / 1000.0);
        for (const auto time : bot->take_edit_times()) totals_.edit.add(net::milliseconds_of(time));
    }
}

CrowdReport Crowd::report() {
    collect();
    auto out = totals_;
    out.bots = bots_.size();
    out.seconds = start_ == net::Time{} ? 0 : net::seconds_of(now() - start_);
    for (std::size_t i = 0; i < bots_.size(); ++i) {
        const auto& bot = bots_[i];
        const auto& counts = bot->counts();
        const auto& times = bot->times();
        if (times.join) {
            ++out.joined;
            out.join.add(net::milliseconds_of(*times.join));
        }
        if (times.first) out.first_chunk.add(net::milliseconds_of(*times.first));
        if (times.last) out.last_chunk.add(net::milliseconds_of(*times.last));
        out.bytes += counts.bytes;
        out.packets += counts.packets;
        out.chunks += counts.chunks;
        out.unloaded += counts.unloaded;
        out.moves += counts.moves;
        out.chats += counts.chats;
        out.edits += counts.edits;
        out.edits_confirmed += counts.edits_confirmed;
        out.edits_refused += counts.edits_refused;
        out.referrals += counts.referrals;
        out.teleports += counts.teleports;
        out.bad_packets += bot->bad_packets();
        const auto& [host, port] = servers_[i];
        if (bot->failure() && counts.referrals > 0)
            ++out.errors[fmt::format("referred to {}:{}: {}", host, port, *bot->failure())];
        else if (bot->failure())
            ++out.errors[*bot->failure()];
        else if (counts.referrals > 0 && !bot->is_in_world() && !bot->is_over())
            ++out.errors[fmt::format("referred to {}:{}: not in the world at the end", host, port)];
        else if (!times.join && !bot->is_over())
            ++out.errors[i >= started_ ? "not started when the run ended"
                         : counts.packets == 0
                             ? "the server has not answered; orbis ping says how far it gets"
                             : "not in the world at the end"];
        if (bot->bad_packets() > 0)
            out.errors[fmt::format("bad packet: {}", bot->last_problem())] += bot->bad_packets();
    }
    for (auto* summary : {&out.join, &out.first_chunk, &out.last_chunk, &out.ping, &out.edit})
        summary->sort();
    return out;
}

void Crowd::look_back(const Tell& tell) {
    CrowdStatus status;
    status.seconds = net::seconds_of(now() - start_);
    status.started = started_;
    std::uint64_t bytes = 0;
    for (const auto& bot : bots_) {
        status.in_world += bot->is_in_world() ? 1U : 0U;
        status.over += bot->is_over() ? 1U : 0U;
        status.errors += bot->failure() ? 1U : 0U;
        status.chunks += bot->counts().chunks;
        bytes += bot->counts().bytes;
    }
    const auto passed = status.seconds - last_.seconds;
    if (passed > 0) {
        status.chunks_per_second = static_cast<double>(status.chunks - last_.chunks) / passed;
        status.bytes_per_second = static_cast<double>(bytes - last_bytes_) / passed;
    }
    totals_.best_chunks_per_second = std::max(totals_.best_chunks_per_second, status.chunks_per_second);
    totals_.best_bytes_per_second = std::max(totals_.best_bytes_per_second, status.bytes_per_second);
    const auto known = totals_.ping.sorted.size();
    collect();
    Summary recent{
        {totals_.ping.sorted.begin() + static_cast<std::ptrdiff_t>(known), totals_.ping.sorted.end()}};
    recent.sort();
    status.ping = recent.percentile(50);
    last_ = status;
    last_bytes_ = bytes;
    if (tell) tell(status);
}

void Crowd::place_blocks() {
    for (const auto& bot : bots_) {
        if (!bot->is_in_world() || !bot->place()) continue;
        auto below = block_at(*bot->place());
        if (!below || --below->y < 0 || below->y >= k_world_height) continue;
        if (const auto placed = bot->place(*below, *rules_.place_block); !placed)
            ++totals_.errors[placed.error().text()];
    }
}

bool Crowd::are_edits_answered() const {
    return std::ranges::all_of(bots_, [](const auto& bot) {
        const auto& counts = bot->counts();
        return !bot->is_in_world() || counts.edits_confirmed + counts.edits_refused >= counts.edits;
    });
}

bool Crowd::are_all_over() const {
    return started_ == bots_.size()
           && std::ranges::all_of(bots_, [](const auto& bot) { return bot->is_over(); });
}

void Crowd::leave_all() {
    is_leaving_ = true;
    for (const auto& bot : bots_) bot->leave();
}

Result<CrowdReport> Crowd::run(const Director& director, const Tell& tell, const IsStopped& is_stopped) {
    has_director_ = static_cast<bool>(director);
    may_join_ = !has_director_;
    start_ = now();
    bool is_done = false;
    // Each of these asks for its next turn; the timers are gone before what they refer to.
    std::vector<net::Loop::Timer> timers(2);
    const std::function<void()> slice = [&] {
        timers[0] = loop_->after(k_crowd_tick / k_slices, slice);
        tick_slice();
        if (slice_ != 0 || is_done) return;
        start_some();
        follow_referrals();
        const auto system = driver_->take_failure();
        const bool any =
            std::ranges::any_of(bots_, [](const auto& bot) { return bot->counts().packets > 0; });
        if (system == ECONNREFUSED && !any && !is_leaving_)
            failure_ = error(Errc::not_found, "nothing listens at UDP {}", server_.text())
                           .advise("start the server or check the port; orbis ping says more");
        if (now() >= next_look_) {
            if (next_look_ != net::Time{}) {
                look_back(tell);
                if (rules_.place_block && !has_director_) place_blocks();
            }
            next_look_ = now() + 1s;
        }
        is_done = failure_ || (director ? director(*this) : now() - start_ >= rules_.time || are_all_over())
                  || (is_stopped && is_stopped());
    };
    const std::function<void()> sessions = [&] {
        timers[1] = loop_->after(k_session_tick, sessions);
        context_->tick();
    };
    slice();
    sessions();
    loop_->run_until([&] { return is_done; }, std::chrono::hours(24 * 365));
    // What was placed at the end is on its way.
    if (!failure_) loop_->run_until([&] { return are_edits_answered(); }, k_answer_time);
    look_back(nullptr);
    auto out = report();
    leave_all();
    loop_->run_until(
        [&] {
            return std::ranges::all_of(std::span(bots_).first(started_),
                                       [](const auto& bot) { return bot->is_over(); });
        },
        failure_ ? net::Duration(0) : k_leave_time);
    for (const auto& timer : timers) loop_->cancel(timer);
    if (failure_) return std::unexpected(*failure_);
    return out;
}

} // namespace orbis::game
