#include "game/download/downloader.hpp"

#include "game/bot/bot.hpp"
#include "game/chunks/chunk_pace.hpp"
#include "game/chunks/spiral.hpp"
#include "game/download/pause_tracker.hpp"
#include "game/download/world_writer.hpp"
#include "net/client.hpp"
#include "net/fingerprint.hpp"
#include "net/identity.hpp"
#include "net/time.hpp"
#include "packets/connection.hpp"
#include "packets/player.hpp"

#include <cerrno>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

constexpr net::Duration k_download_tick = 33ms;
/// So long the server may take to let it in, or to send the first chunk.
constexpr net::Duration k_first_wait = 15s;
/// Chunks to which nothing was added for so long are written.
constexpr net::Duration k_quiet = 300ms;
constexpr net::Duration k_sync_every = 2s;
/// This many chunks tell how fast the server is.
constexpr std::uint64_t k_chunks_for_pace = 20;
/// How much slower than before a server may be while it looks for what does not exist.
constexpr double k_caution = 0.7;
/// So long a server that tells what does not exist may say nothing of a chunk at all.
constexpr net::Duration k_longest_thought = 5s;
/// At the end a chunk may still be on its way through a bad network: so long nothing must have come.
constexpr net::Duration k_quiet_end = 1s;
/// So long it waits then for a server that does not become quiet.
constexpr net::Duration k_longest_end = 30s;
constexpr double k_flying_height = 250;
/// This far from a stop it counts as sent back.
constexpr double k_near = 24;
constexpr int k_most_tries = 3;
constexpr std::size_t k_most_download_problems = 20;

/// How many chunks it is away, as servers count in their spiral.
std::int64_t ring(ChunkPos pos, ChunkPos middle) {
    return std::max(std::abs(std::int64_t{pos.x} - middle.x), std::abs(std::int64_t{pos.z} - middle.z));
}

/// One download, from the first datagram to the last chunk.
class Download {
public:
    Download(const DownloadRules& rules, std::unique_ptr<WorldWriter> writer, std::shared_ptr<net::Loop> loop)
        : rules_(rules),
          writer_(std::move(writer)),
          loop_(std::move(loop)),
          context_(*loop_),
          bot_(bot_rules(), pool_, context_),
          collector_(*writer_, rules.is_transparent, context_.tools.decompressor, context_.tools.arena, {}),
          driver_(*loop_, {}) {
        writer_->set_area(rules.area);
        bot_.watch([this](const protocol::Frame& frame) { on_frame(frame); });
    }

    Result<DownloadReport> run(const std::function<void(const DownloadStatus&)>& tell,
                               const std::function<bool()>& is_stopped);

private:
    [[nodiscard]] BotRules bot_rules() const {
        BotRules out;
        out.client.build = rules_.build;
        out.client.name = rules_.name;
        net::fill_random(out.client.uuid);
        out.client.password = rules_.password;
        out.client.view_radius = rules_.view_radius;
        out.keeps_world = rules_.speed && !rules_.flies; // to stand on the ground
        return out;
    }

    Result<void> join(const net::HostPort& to, Buffer referral);
    void on_frame(const protocol::Frame& frame);
    void tick();
    void begin_route();
    void go_on();
    void head_for(ChunkPos stop);
    [[nodiscard]] bool is_at_stop() const;
    void look_around();
    [[nodiscard]] bool is_decided(ChunkPos pos) const;
    [[nodiscard]] std::vector<ChunkPos> undecided() const;
    [[nodiscard]] net::Duration longest_quiet(std::span<const ChunkPos> missing) const;
    void note_chunk();
    void measure_pace();
    void leave_stop();
    void forget_answered();
    [[nodiscard]] bool has_all() const;
    void end(std::optional<std::string> problem);
    DownloadReport report();

    struct AllSeen { ///< all stops were visited
        net::Time at;
        ChunkPos last; ///< chunk that something came for
    };

    const DownloadRules& rules_;
    std::unique_ptr<WorldWriter> writer_;
    std::shared_ptr<net::Loop> loop_;
    net::ClientContext context_;
    StatePool pool_;
    Bot bot_;
    ChunkCollector collector_;
    net::UdpDriver driver_;
    std::shared_ptr<net::TlsContext> tls_;
    net::HostPort place_; ///< of the server that it is at
    net::Address server_;
    net::Time start_{};
    net::Time next_sync_{};
    std::optional<Route> route_;
    std::optional<ChunkPos> stop_;
    std::optional<AllSeen> all_seen_;
    std::vector<ChunkPos> wanted_;   ///< at this stop
    std::optional<ChunkPos> before_; ///< the stop before
    int radius_ = 1;                 ///< of the view, in chunks
    PauseTracker pauses_;
    std::int64_t furthest_ = 0;       ///< ring around the stop that something new has come of
    std::set<ChunkPos> unanswered_;   ///< chunks that it left without knowing whether they exist
    double pace_ = rules_.least_pace; ///< chunks per second
    bool is_first_stop_ = true;
    net::Time pace_since_{}; ///< the first chunk came
    std::uint64_t pace_chunks_ = 0;
    bool is_travelling_ = false;
    int tries_ = 0;
    protocol::Uuid world_{};
    bool is_over_ = false;
    std::optional<Error> failure_; ///< the folder cannot be written, or nothing listens
    DownloadReport report_;
};

Result<void> Download::join(const net::HostPort& to, Buffer referral) {
    TRY(const auto addresses, net::resolve(to));
    server_ = addresses.front();
    // What the game sends to clients that are as near as this one, at thirty ticks with four chunks each.
    pace_ = std::max(rules_.least_pace, std::min(chunks_per_second(server_), 120) * k_caution);
    auto rules = bot_.rules().client;
    if (bot_.counts().referrals > 0) {
        rules.referral_data = std::move(referral);
        rules.referral_source = place_;
    }
    place_ = to;
    const net::ClientSettings settings{.server = server_, .server_name = to.host, .tls = tls_};
    return bot_.join(driver_, settings, std::move(rules));
}

void Download::on_frame(const protocol::Frame& frame) {
    if (is_over_) return;
    pauses_.note_packet(loop_->now());
    if (frame.id == packets::Ping::k_info.id) pauses_.note_ping();
    if (frame.id == packets::JoinWorld::k_info.id && frame.payload.size() >= 18) {
        // Another world than before is not for this folder.
        protocol::Uuid uuid{};
        std::copy_n(frame.payload.end() - 16, 16, uuid.begin());
        if (route_ && uuid != world_) return end("the server has moved the player to another world");
        world_ = uuid;
    }
    const auto taken = collector_.take(frame, loop_->now());
    if (taken && *taken) note_chunk();
    if (taken) return;
    const auto code = taken.error().code;
    if (code == Errc::io || code == Errc::no_space || code == Errc::busy || code == Errc::read_only) {
        failure_ = taken.error();
        return;
    }
    if (report_.problems.size() < k_most_download_problems)
        report_.problems.push_back(fmt::format("{}: {}", frame.packet->name, taken.error().text()));
}

void Download::begin_route() {
    const bool is_late = loop_->now() - start_ > k_first_wait;
    if (!bot_.is_in_world() || !bot_.place()) {
        if (is_late) end("the server did not let the player into a world in time");
        return;
    }
    if (!bot_.times().first && !collector_.absences().are_told() && !is_late) return;
    const auto& place = *bot_.place();
    if (std::abs(place.x) > 1e9 || std::abs(place.z) > 1e9) return end("the player is outside of the world");
    auto radius = rules_.view_radius;
    if (bot_.server_radius() > 0) radius = std::min(radius, bot_.server_radius());
    const auto here =
        BlockPos{static_cast<int>(std::floor(place.x)), 0, static_cast<int>(std::floor(place.z))}.chunk();
    auto start = here;
    if (rules_.area)
        start = {std::midpoint(rules_.area->least.x, rules_.area->most.x),
                 std::midpoint(rules_.area->least.z, rules_.area->most.z)};
    radius_ = std::max(1, (radius + 31) / 32);
    collector_.absences().go_to(here, radius_);
    route_.emplace(start, radius_, rules_.area);
    if (const auto written = writer_->write_config(fmt::format("From {}", rules_.server.host), world_, place);
        !written) {
        failure_ = written.error();
        return;
    }
    if (const auto noted = writer_->note_begin(rules_.server.host, rules_.command); !noted) {
        failure_ = noted.error();
        return;
    }
    go_on();
}

void Download::go_on() {
    while (const auto next = route_->next()) {
        wanted_ = route_->chunks_of(*next);
        const bool is_known = std::ranges::all_of(wanted_, [&](ChunkPos pos) {
            return writer_->contains(pos) || collector_.absences().contains(pos);
        });
        if (is_known) { // of an earlier run, or seen from the stops before
            route_->arrive(
                std::ranges::any_of(wanted_, [&](ChunkPos pos) { return writer_->contains(pos); }));
            continue;
        }
        tries_ = 0;
        return head_for(*next);
    }
    all_seen_ = AllSeen{loop_->now(), collector_.last_chunk()};
}

/// The sections of the last chunk are here; what else belongs to it may still come, until another chunk
/// begins. A server that sends the same one again and again is not waited for.
bool Download::has_all() const {
    const auto last = collector_.last_chunk();
    if (last != all_seen_->last || (rules_.area && !rules_.area->contains(last))) return true;
    const auto now = loop_->now();
    return pauses_.quiet(now) >= pauses_.least(k_quiet_end) || now - all_seen_->at > k_longest_end;
}

void Download::head_for(ChunkPos stop) {
    if (stop_ != stop) before_ = std::exchange(stop_, stop);
    ++tries_;
    collector_.absences().go_to(stop, radius_);
    const Point target{stop.x * 32.0 + 16, rules_.flies ? k_flying_height : bot_.place()->y,
                       stop.z * 32.0 + 16};
    is_travelling_ = true;
    pauses_.begin(loop_->now());
    furthest_ = 0;
    if (!rules_.speed) return bot_.go_to(target);
    WalkRules walk;
    walk.kind = WalkRules::Kind::to;
    walk.speed = *rules_.speed;
    walk.points.push_back(target);
    if (rules_.flies) bot_.go_to({bot_.place()->x, k_flying_height, bot_.place()->z});
    bot_.walk(std::move(walk));
}

bool Download::is_at_stop() const {
    const auto& place = *bot_.place();
    return std::hypot(place.x - (stop_->x * 32.0 + 16), place.z - (stop_->z * 32.0 + 16)) < k_near;
}

void Download::look_around() {
    const auto now = loop_->now();
    if (is_travelling_) {
        if (rules_.speed && !bot_.walking().has_arrived()) return;
        is_travelling_ = false;
        pauses_.begin(now);
    }
    if (!is_at_stop()) { // the server has put it elsewhere
        if (tries_ < k_most_tries) return head_for(*stop_);
        ++report_.unreachable;
        return leave_stop();
    }
    const auto missing = undecided();
    if (missing.empty()) return leave_stop();
    if (pauses_.quiet(now) < longest_quiet(missing)) return;
    if (unanswered_.size() < rules_.most_unanswered) unanswered_.insert(missing.begin(), missing.end());
    leave_stop();
}

bool Download::is_decided(ChunkPos pos) const {
    return collector_.has(pos) || collector_.absences().contains(pos);
}

std::vector<ChunkPos> Download::undecided() const {
    std::vector<ChunkPos> out;
    std::ranges::copy_if(wanted_, std::back_inserter(out), [&](ChunkPos pos) { return !is_decided(pos); });
    return out;
}

/// How long it waits for chunks of which nothing came.
///
/// Most servers say nothing of chunks that do not exist. They go through those around a player at some pace,
/// the nearest first: they must have had the time to come to the last one that is wanted here. Those that are
/// nearer than one that has come had their turn.
net::Duration Download::longest_quiet(std::span<const ChunkPos> missing) const {
    if (collector_.last_packet() == net::Time{}) return k_first_wait;
    const auto least = pauses_.least(rules_.settle);
    if (collector_.absences().are_told()) return std::max(least, k_longest_thought);
    const auto ahead =
        std::ranges::count_if(missing, [&](ChunkPos pos) { return ring(pos, *stop_) >= furthest_; });
    return least
           + std::chrono::duration_cast<net::Duration>(
               std::chrono::duration<double>(static_cast<double>(ahead) / pace_));
}

/// Something of a chunk has come. One that was in view from the stop before may have been on its way.
void Download::note_chunk() {
    if (collector_.last_packet() != loop_->now()) return;
    pauses_.note_chunk(loop_->now());
    if (!stop_ || is_travelling_) return;
    const auto pos = collector_.last_chunk();
    if (!before_ || !Spiral::is_inside(pos, *before_, radius_))
        furthest_ = std::max(furthest_, ring(pos, *stop_));
}

/// Only at the first stop: at later ones a server may first use up what it has saved while it was idle.
void Download::measure_pace() {
    const auto now = loop_->now();
    const auto chunks = bot_.counts().chunks;
    if (!is_first_stop_ || chunks == pace_chunks_) return;
    if (pace_chunks_ == 0) pace_since_ = now - k_download_tick;
    pace_chunks_ = chunks;
    if (chunks >= k_chunks_for_pace)
        pace_ = std::max(rules_.least_pace,
                         static_cast<double>(chunks) / net::seconds_of(now - pace_since_) * k_caution);
}

void Download::leave_stop() {
    // A player that begins beside the land sees it, but not from the square of the first stop.
    const bool sees_land = std::exchange(is_first_stop_, false) && bot_.counts().chunks > 0;
    const bool has_land = std::ranges::any_of(
        wanted_, [&](ChunkPos pos) { return collector_.has(pos) || writer_->contains(pos); });
    route_->arrive(has_land || sees_land);
    forget_answered();
    go_on();
}

/// A server may say later what does not exist; before the first time it is unknown whether it does.
void Download::forget_answered() {
    if (collector_.absences().are_told())
        std::erase_if(unanswered_, [this](ChunkPos pos) { return is_decided(pos); });
}

void Download::end(std::optional<std::string> problem) {
    is_over_ = true;
    if (problem) report_.problems.push_back(*std::move(problem));
}

void Download::tick() {
    const auto now = loop_->now();
    if (bot_.is_over()) {
        if (auto referral = bot_.take_referral()) {
            if (const auto joined = join(referral->to, std::move(referral->data)); !joined)
                end(joined.error().text());
            return;
        }
        return end(fmt::format("the connection ended: {}{}", bot_.failure().value_or("no reason given"),
                               bot_.counts().packets == 0 ? "; orbis ping says how far it gets" : ""));
    }
    if (driver_.take_failure() == ECONNREFUSED && bot_.counts().packets == 0) {
        failure_ = error(Errc::not_found, "nothing listens at UDP {}", server_.text())
                       .advise("start the server or check the port; orbis ping says more");
        return;
    }
    bot_.tick(net::seconds_of(k_download_tick));
    if (rules_.time && now - start_ >= *rules_.time) return end("the time limit was reached");
    if (auto handed = collector_.hand_out(now - k_quiet); !handed) {
        failure_ = handed.error();
        return;
    }
    if (now >= next_sync_) {
        next_sync_ = now + k_sync_every;
        if (auto synced = writer_->sync(); !synced) failure_ = synced.error();
    }
    measure_pace();
    if (all_seen_) {
        if (!has_all()) return;
        if (auto handed = collector_.hand_out_rest(now - k_quiet); !handed) {
            failure_ = handed.error();
            return;
        }
        report_.is_finished = true;
        if (collector_.finished() > 0 && writer_->stored() == 0) return end("there is no chunk in this area");
        if (writer_->stored() > 0 || !bot_.place()) return end({});
        return end(fmt::format("the server sent no chunk at all; the player is at {:.0f},{:.0f}{}",
                               bot_.place()->x, bot_.place()->z,
                               rules_.area ? "" : ": --around X,Z,BLOCKS goes where there is land"));
    }
    if (!route_)
        begin_route();
    else if (bot_.place())
        look_around();
}

DownloadReport Download::report() {
    auto out = report_;
    out.chunks = writer_->stored();
    out.written = writer_->written();
    out.stops = route_ ? route_->visited() - route_->waiting() : 0;
    out.bytes = bot_.counts().bytes;
    out.seconds = net::seconds_of(loop_->now() - start_);
    out.unnamed = collector_.held();
    if (const auto count = bot_.sections_outside(); count > 0)
        out.problems.push_back(sections_left_out(count));
    for (const auto pos : collector_.incomplete())
        if (!rules_.area || rules_.area->contains(pos))
            if (!writer_->contains(pos)) out.incomplete.push_back(pos);
    // A server that says what does not exist has said nothing of these: it may not be able to read them.
    if (collector_.absences().are_told())
        for (const auto pos : unanswered_)
            if (!writer_->contains(pos) && !is_decided(pos)) out.unanswered.push_back(pos);
    out.reach = route_ && !rules_.area ? route_->side() : 0;
    return out;
}

Result<DownloadReport> Download::run(const std::function<void(const DownloadStatus&)>& tell,
                                     const std::function<bool()>& is_stopped) {
    const auto wall = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    TRY(const auto identity, net::make_self_signed(net::KeyKind::ecdsa_p256, wall));
    TRY(tls_, net::TlsContext::client(&identity, {rules_.build.protocol}));
    start_ = loop_->now();
    next_sync_ = start_ + k_sync_every;
    TRY_DO(join(rules_.server, {}));
    auto next_tell = start_ + 1s;
    net::Loop::Timer timer;
    const std::function<void()> turn = [&] {
        timer = loop_->after(k_download_tick, turn);
        context_.tick();
        if (is_over_) return;
        tick();
        if (!is_over_ && is_stopped && is_stopped()) end("it was interrupted");
        if (tell && loop_->now() >= next_tell) {
            next_tell = loop_->now() + 1s;
            const auto now = report();
            tell({now.seconds, now.chunks, now.stops, route_ ? route_->waiting() : 0, now.bytes,
                  net::seconds_of(pauses_.silence(loop_->now()))});
        }
    };
    turn();
    loop_->run_until([&] { return is_over_ || failure_.has_value(); }, std::chrono::hours(24 * 365));
    if (failure_) {
        loop_->cancel(timer);
        return std::unexpected(*failure_);
    }
    TRY_DO(collector_.hand_out_rest(loop_->now() - k_quiet));
    TRY_DO(writer_->sync());
    TRY_DO(writer_->note_end()); // the report says what is missing
    auto out = report();
    bot_.leave();
    loop_->run_until([&] { return bot_.is_over(); }, 3s);
    loop_->cancel(timer);
    return out;
}

} // namespace

Result<DownloadReport> download(const DownloadRules& rules,
                                const std::function<void(const DownloadStatus&)>& tell,
                                const std::function<bool()>& is_stopped, std::shared_ptr<net::Loop> loop) {
    TRY(auto writer, WorldWriter::open(rules.out, rules.goes_on));
    if (!loop) {
        TRY(loop, net::Loop::make());
    }
    auto out = Download(rules, std::move(writer), std::move(loop)).run(tell, is_stopped);
    // If nothing came, nothing is left that would be in the way of the next attempt. Only what is empty
    // goes, and what was written here.
    if (!rules.goes_on) WorldWriter::remove_empty(rules.out);
    return out;
}

} // namespace orbis::game
