#include "inspect/desk.hpp"

#include "bytes/json_writer.hpp"
#include "inspect/packet_json.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sys/resource.h>
#include <utility>

namespace orbis::inspect {

namespace {

using namespace std::chrono_literals;

constexpr int k_niceness = 5;
constexpr auto k_rest = 100ms;
constexpr auto k_between_states = 250ms;
/// A filter that nobody asked for since then waits until somebody does.
constexpr auto k_view_life = 30s;
constexpr auto k_view_turn = 30ms;
constexpr auto k_file_turn = 50ms;
constexpr std::size_t k_packets_of_a_look = 64;
/// Nanoseconds. The game pings each player once a second.
constexpr std::int64_t k_silence_of_the_gone = 5'000'000'000;
constexpr std::size_t k_longest_player_name = 80;
constexpr std::size_t k_most_told_players = 200;

} // namespace

Desk::Desk(DeskSettings settings)
    : settings_(settings),
      inbox_(settings.inbox_bytes),
      ring_(std::make_unique<RingBook>(settings.ring_bytes)),
      book_(ring_.get()),
      colours_(world::Assets::built_in()),
      rates_(Rates::recent()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Desk::Desk(std::unique_ptr<FileBook> file, DeskSettings settings)
    : settings_(settings),
      file_(std::move(file)),
      book_(file_.get()),
      colours_(world::Assets::built_in()),
      rates_(Rates::whole()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Desk::~Desk() {
    thread_.request_stop();
    thread_.join();
    events_.close();
}

void Desk::run(const std::stop_token& stop) {
    // Of this thread alone: those of the proxy come first where processors are short.
    if (!file_) setpriority(PRIO_PROCESS, 0, k_niceness);
    while (!stop.stop_requested()) {
        if (turn()) continue;
        if (!settings_.clock->rest(stop, k_rest)) return;
    }
}

bool Desk::turn() {
    const bool has_more = file_ ? read_file() : take_letters();
    draw(file_ != nullptr && !has_more);
    advance_views();
    tell();
    return has_more;
}

bool Desk::take_letters() {
    auto batch = inbox_.take();
    if (batch.dropped > 0) ring_->note_dropped(batch.dropped);
    for (auto& letter : batch.letters) {
        if (!settings_.keeps_personal) personal_.leave_out(letter.record);
        feed(letter.record);
        ring_->add(letter.record);
    }
    const std::lock_guard lock(mutex_);
    for (const auto& trip : batch.trips) latency_.add(trip.player, trip.sample);
    return false;
}

bool Desk::read_file() {
    if (file_->extent().is_complete) return false;
    const auto until = std::chrono::steady_clock::now() + k_file_turn;
    bool has_more = true;
    while (has_more && std::chrono::steady_clock::now() < until) {
        std::size_t fed = 0;
        has_more = file_->advance([&](std::uint64_t, const capture::Record& record) {
            feed(record);
            return ++fed < k_packets_of_a_look;
        });
    }
    return has_more;
}

/// Chunks are put together without the lock: that takes longest, and nobody else asks for it.
void Desk::feed(const capture::Record& record) {
    std::shared_ptr<ChunkPictures> pictures;
    bool is_elsewhere = false;
    {
        const std::lock_guard lock(mutex_);
        rates_.add(record);
        latency_.add(record, decoder_);
        feed_player(record);
        auto& session = session_of(record);
        session.heard = record.time;
        session.scene.add(record, decoder_);
        is_elsewhere = session.scene.worlds() > 1 && session.scene.worlds() != session.worlds;
        session.worlds = session.scene.worlds();
        pictures = session.pictures;
    }
    last_time_ = record.time;
    if (!pictures) return;
    if (is_elsewhere) pictures->begin_world();
    pictures->add(record);
}

void Desk::feed_player(const capture::Record& record) {
    if (!players_.contains(record.session) && players_.size() >= k_most_players) return;
    auto& player = players_[record.session];
    ++player.frames;
    player.bytes += record.length;
    if (player.build.empty()) player.build = record.build_name;
    if (!player.name.empty() || record.to != protocol::Side::server) return;
    const auto* packet = capture::packet_of(record);
    if (packet == nullptr || (packet->name != "Connect" && packet->name != "InsecurePlayerOptions")) return;
    const auto value = decoder_.value(record);
    const auto* name = value ? (*value)->find("username") : nullptr;
    const auto* text = name != nullptr ? name->as<std::string>() : nullptr;
    if (text != nullptr) player.name = cut_text(*text, k_longest_player_name);
}

Desk::Session& Desk::session_of(const capture::Record& record) {
    if (auto* known = sessions_.find(record.session)) return *known;
    const auto dropped = [this](const Session& session) {
        if (session.pictures) --drawn_;
    };
    auto& made = sessions_.put(record.session, {}, 1, dropped);
    if (drawn_ >= k_most_drawn) make_room_to_draw(record.time);
    if (drawn_ < k_most_drawn) {
        made.pictures = std::make_shared<ChunkPictures>(
            colours_, [](std::string_view key) { return world::Assets::built_in().is_transparent(key); },
            decompressor_);
        ++drawn_;
    }
    return made;
}

/// A player who left makes room for one who comes.
void Desk::make_room_to_draw(std::int64_t now) {
    std::optional<std::pair<std::int64_t, std::uint64_t>> oldest;
    sessions_.for_each([&](std::uint64_t player, const Session& session) {
        if (session.pictures && now - session.heard > k_silence_of_the_gone)
            oldest =
                std::min(oldest.value_or(std::pair(session.heard, player)), std::pair(session.heard, player));
    });
    if (!oldest) return;
    sessions_.find(oldest->second)->pictures.reset();
    --drawn_;
}

/// Tells pages which tiles are to be asked for again.
void Desk::draw(bool everything) {
    if (everything && std::exchange(was_drawn_to_end_, true)) return;
    std::vector<std::pair<std::uint64_t, std::shared_ptr<ChunkPictures>>> drawn;
    {
        const std::lock_guard lock(mutex_);
        sessions_.for_each([&](std::uint64_t player, const Session& session) {
            if (session.pictures) drawn.emplace_back(player, session.pictures);
        });
    }
    // While packets come, time is theirs; a player who gets none any more has nothing left to draw.
    const net::Time now{net::Duration(file_ ? last_time_ : capture::now_in_nanoseconds())};
    for (const auto& [player, pictures] : drawn) {
        pictures->draw(now, everything);
        const auto tiles = pictures->take_changed();
        if (tiles.empty()) continue;
        JsonWriter json;
        json.object().member("world", fmt::format("{}", player));
        json.key("layers").array().string("surface").end().key("tiles").object().key("0").array();
        for (const auto tile : tiles) json.string(fmt::format("{:n}", tile));
        json.end().end().end();
        events_.publish("tiles", json.text());
    }
}

void Desk::advance_views() {
    std::vector<std::shared_ptr<FilterView>> used;
    {
        const std::lock_guard lock(views_mutex_);
        const auto now = settings_.clock->now();
        views_.for_each([&](const std::string&, const UsedView& view) {
            if (now - view.used < k_view_life) used.push_back(view.view);
        });
    }
    for (const auto& view : used) view->advance(*book_, k_view_turn);
}

void Desk::tell() {
    const auto now = settings_.clock->now();
    if (now - told_at_ < k_between_states) return;
    auto state = state_json();
    if (state == told_) return;
    told_at_ = now;
    told_ = std::move(state);
    events_.publish("state", told_);
}

std::map<std::uint64_t, Desk::Player> Desk::players() const {
    const std::lock_guard lock(mutex_);
    return players_;
}

Rates::Table Desk::rates(std::size_t most_series) const {
    const std::lock_guard lock(mutex_);
    return rates_.table(most_series);
}

std::vector<Latency::Player> Desk::latency() const {
    const std::lock_guard lock(mutex_);
    return latency_.players();
}

Result<std::shared_ptr<FilterView>> Desk::view(const std::string& filter) {
    const std::lock_guard lock(views_mutex_);
    const auto now = settings_.clock->now();
    if (auto* known = views_.find(filter)) {
        known->used = now;
        return known->view;
    }
    std::optional<capture::Filter> parsed;
    if (!filter.empty()) {
        TRY(parsed, capture::Filter::parse(filter));
    }
    auto made = std::make_shared<FilterView>(std::move(parsed));
    views_.put(filter, {made, now});
    return made;
}

std::optional<Desk::SceneFacts> Desk::scene(std::uint64_t player) const {
    const std::lock_guard lock(mutex_);
    const auto* session = sessions_.find(player);
    if (session == nullptr) return std::nullopt;
    const auto& scene = session->scene;
    SceneFacts facts;
    facts.entities.assign(scene.entities().begin(), scene.entities().end());
    facts.place = scene.place();
    if (session->pictures) {
        facts.bounds = session->pictures->bounds();
        facts.drawn = session->pictures->size();
    }
    for (const auto& [pos, seen] : scene.chunks()) {
        if (facts.drawn.value_or(0) > 0 || !is_drawable(pos)) continue;
        auto& bounds = facts.bounds;
        if (!bounds) bounds = ChunkPictures::Bounds{pos, {pos.x + 1, pos.z + 1}};
        bounds->min = {std::min(bounds->min.x, pos.x), std::min(bounds->min.z, pos.z)};
        bounds->max = {std::max(bounds->max.x, pos.x + 1), std::max(bounds->max.z, pos.z + 1)};
    }
    facts.chunks = scene.chunks().size();
    facts.worlds = scene.worlds();
    facts.version = scene.version();
    facts.left_out = scene.left_out();
    return facts;
}

bool Desk::paint(std::uint64_t player, TilePos tile, map::TilePixels& out) const {
    std::shared_ptr<ChunkPictures> pictures;
    {
        const std::lock_guard lock(mutex_);
        if (const auto* session = sessions_.find(player)) pictures = session->pictures;
    }
    return pictures && pictures->paint(tile, out);
}

void Desk::set_title(std::string title, std::string program) {
    const std::lock_guard lock(mutex_);
    title_ = std::move(title);
    program_ = std::move(program);
}

std::string Desk::state_json() const {
    const auto extent = book_->extent();
    const std::lock_guard lock(mutex_);
    JsonWriter json;
    json.object().member("source", file_ ? "capture" : "proxy").member("title", title_);
    json.member("program", program_).member("start", fmt::format("{}", extent.start.value_or(0)));
    json.member("first", extent.first).member("end", extent.end).member("forgotten", extent.forgotten);
    json.member("dropped", extent.dropped).member("complete", extent.is_complete);
    if (extent.damage) json.member("damage", extent.damage->problem);
    json.member("personal", settings_.keeps_personal).member("bytes", extent.bytes);
    json.key("players").array();
    std::size_t told = 0;
    for (const auto& [number, player] : players_) {
        if (++told > k_most_told_players) break;
        json.object().member("player", number);
        if (!player.name.empty()) json.member("name", player.name);
        if (!player.build.empty()) json.member("build", player.build);
        json.member("frames", player.frames).member("bytes", player.bytes).end();
    }
    json.end().member("more_players", players_.size() - std::min(players_.size(), k_most_told_players)).end();
    return json.take();
}

} // namespace orbis::inspect
