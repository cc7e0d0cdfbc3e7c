#include "game/serve/served_game.hpp"

#include "game/codec/wire_ids.hpp"
#include "game/content/item_table.hpp"
#include "game/content/registries.hpp"
#include "game/entities/entity_models.hpp"
#include "game/player/join_packets.hpp"
#include "game/player/person.hpp"
#include "game/player/player.hpp"
#include "game/serve/served_world.hpp"
#include "map/colours.hpp"
#include "net/server_session.hpp"
#include "packets/interface.hpp"
#include "packets/setup.hpp"
#include "world/assets.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

constexpr net::Duration k_world_tick = net::Duration(1s) / k_ticks_per_second;
constexpr net::Duration k_pings_every = 10s;
constexpr std::string_view k_server_colour = "#a0c8ff";

const world::Assets& assets_of(const GameRules& rules) {
    return rules.assets != nullptr ? *rules.assets : world::Assets::built_in();
}

std::int32_t whole_milliseconds(net::Duration time) {
    return static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

} // namespace

struct ServedGame::Parts {
    explicit Parts(const GameRules& rules)
        : ids(assets_of(rules)),
          items(assets_of(rules), ids),
          registries(assets_of(rules), ids, rules.pack),
          colours(assets_of(rules)),
          workers(rules.workers) {}

    net::FrameTools<net::Side::server> tools;
    WireIds ids;
    ItemTable items;
    Registries registries;
    EntityModels models;
    map::Colours colours;
    EncodeWorkers workers;
    EntityUpdater updater;
    Person person;
};

ServedGame::ServedGame(net::Loop& loop, GameRules rules, GameEvents& events)
    : loop_(loop),
      rules_(std::move(rules)),
      events_(events),
      parts_(std::make_unique<Parts>(rules_)),
      started_(loop.read_clock()),
      next_tick_(started_),
      next_pings_(next_tick_ + k_pings_every) {
    tick_timer_ = loop_.at(next_tick_, [this] { tick(); });
}

ServedGame::~ServedGame() { loop_.cancel(tick_timer_); }

const ItemTable& ServedGame::items() const { return parts_->items; }

EntityUpdater& ServedGame::updater() { return parts_->updater; }

std::span<const net::OutgoingFrame> ServedGame::registry_frames() const {
    return parts_->registries.frames();
}

const net::OutgoingFrame* ServedGame::texts(std::string_view language) const {
    return parts_->registries.texts(language);
}

const Person& ServedGame::person() const { return parts_->person; }

Result<void> ServedGame::open(const std::vector<world::World>& worlds) {
    const ServedWorld::WorldServices services{
        .workers = parts_->workers,
        .ids = parts_->ids,
        .registries = parts_->registries,
        .models = parts_->models,
        .colours = parts_->colours,
        .clock = loop_,
        .post = [&loop = loop_](std::move_only_function<void()> task) { loop.post(std::move(task)); },
        .tools = parts_->tools,
        .assets = assets_of(rules_),
        .rules = rules_,
        .announce_names = [this] { announce_names(); },
        .saved = [this](const ServedWorld& world,
                        const SaveReport& report) { events_.on_saved(world, report); },
        .edited = [this](const ServedWorld& world, const protocol::Uuid& player,
                         const EditOutcome& outcome) { events_.on_edit(world, player, outcome); },
    };
    std::optional<Error> failed; ///< of the first that could not be opened
    for (const auto& world : worlds) {
        auto tried = ServedWorld::open(world, services);
        if (!tried && (worlds.size() == 1 || rules_.can_edit)) return fail(std::move(tried).error());
        if (!tried) {
            events_.on_unopened(world, tried.error());
            if (!failed) failed = std::move(tried).error();
            continue;
        }
        auto opened = *std::move(tried);
        if (!opened->spawn().has_land) events_.on_empty(*opened, opened->spawn().problems);
        opened->chunks().set_failed([this, served = opened.get()](ChunkPos pos, const Error& error) {
            if (unreadable_.emplace(served, pos).second) events_.on_unreadable(*served, pos, error);
            // Players who wait for it ask again; those who have an older state of it in view do not.
            loop_.after(rules_.cache.retry_after, [served, pos] {
                if (served->chunks().is_held(pos)) served->chunks().refresh(pos);
            });
        });
        worlds_.push_back(std::move(opened));
    }
    if (worlds_.empty() && failed) return fail(*std::move(failed));
    TRY_DO(parts_->registries.prepare(parts_->tools));
    parts_->person = make_person(parts_->registries.from_pack());
    parts_->models.take(parts_->registries.from_pack());
    return {};
}

template <typename P>
void ServedGame::broadcast(const P& packet, const Player* except) {
    if (listed_.empty()) return;
    const auto frame = net::OutgoingFrame::make(parts_->tools.writer, packet);
    if (!frame) return;
    for (auto* player : listed_)
        if (player != except) player->send(*frame);
}

std::optional<std::string> ServedGame::closed_because() {
    if (stop_) return "Server is shutting down!";
    return {};
}

std::optional<std::string> ServedGame::refuse(const net::Player& player, const net::PeerFacts&) {
    const auto others = std::ranges::count_if(
        players_, [&](Player* other) { return other->uuid() != player.uuid && !other->is_leaving(); });
    if (others < rules_.facts.max_players) return {};
    ++counters_.refused;
    return fmt::format("The server is full: {} of {} players.", others, rules_.facts.max_players);
}

void ServedGame::on_password_trouble(const net::Player& player, const net::PeerFacts& peer,
                                     const net::PasswordTrouble& trouble) {
    events_.on_password_trouble(player, peer, trouble);
}

std::unique_ptr<net::SessionHandler> ServedGame::welcome(net::ServerSession& session) {
    PlayerServer& server = *this;
    return std::make_unique<Player>(server, session);
}

void ServedGame::admit(Player& player) {
    const auto entry_of = [](Player& of) {
        packets::ServerPlayerListPlayer entry;
        entry.uuid = of.uuid();
        entry.username = protocol::Text(of.name());
        if (of.world() == nullptr) return entry;
        entry.ping = whole_milliseconds(of.ping());
        entry.world_uuid = of.world()->uuid();
        return entry;
    };
    listed_.push_back(&player);
    std::vector<packets::ServerPlayerListPlayer> entries;
    for (auto* listed : listed_) entries.push_back(entry_of(*listed));
    packets::AddToServerPlayerList add;
    add.players = protocol::List<packets::ServerPlayerListPlayer>(entries);
    (void)player.session().send(add);
    const auto own = entry_of(player);
    add.players = protocol::List<packets::ServerPlayerListPlayer>(&own, 1);
    broadcast(add, &player);
    (void)send_tags(player.session());
    ++counters_.joined;
    player.enter(*worlds_.front());
    events_.on_join(player);
}

void ServedGame::tell_world_of(Player& player) {
    packets::ServerPlayerListUpdate update;
    update.uuid = player.uuid();
    update.world_uuid = player.world()->uuid();
    packets::UpdateServerPlayerList packet;
    packet.players = protocol::List<packets::ServerPlayerListUpdate>(&update, 1);
    broadcast(packet);
}

void ServedGame::announce_names() {
    const auto news = parts_->registries.news(parts_->tools);
    if (news.empty()) return;
    for (auto* player : players_)
        if (player->has_registries()) player->send_names(news);
}

void ServedGame::remove(Player& player) {
    if (std::erase(players_, &player) == 0) return;
    player.leave_world();
    if (std::erase(listed_, &player) == 0) return;
    const auto uuid = player.uuid();
    // A player who came again is still there.
    if (std::ranges::none_of(listed_, [&](const Player* other) { return other->uuid() == uuid; })) {
        packets::RemoveFromServerPlayerList packet;
        packet.players = protocol::List<protocol::Uuid>(&uuid, 1);
        broadcast(packet);
    }
    const auto leave = leave_of(player);
    ++counters_.gone[leave];
    events_.on_leave(player, leave == Counters::left ? "left" : farewell_of(player));
}

std::string ServedGame::farewell_of(Player& player) {
    if (const auto& to = player.referral()) return fmt::format("was sent to {}:{}", to->host, to->port);
    if (const auto& farewell = player.session().farewell(); !farewell.empty()) return farewell;
    return player.close() ? player.close()->text() : "the server stopped";
}

ServedGame::Counters::Leave ServedGame::leave_of(Player& player) {
    using enum net::Close::Kind;
    if (player.referral()) return Counters::sent_away;
    if (player.session().has_left()) return Counters::left;
    if (!player.close()) return Counters::sent_away;
    const auto& close = *player.close();
    if (close.kind == idle) return Counters::silent;
    if (close.kind == end) return Counters::left;
    if (close.kind != application) return Counters::broken;
    return close.by_peer ? Counters::left : Counters::sent_away;
}

void ServedGame::clear_up() {
    if (!std::exchange(has_gone_players_, false)) return;
    const auto all = players_;
    for (auto* player : all)
        if (player->close()) remove(*player);
}

void ServedGame::chat(Player& from, const std::string& text) {
    ++counters_.chat_lines;
    events_.on_chat(from, text);
    if (const auto frame = text_frame(parts_->tools, fmt::format("{}: {}", from.name(), text)))
        from.world()->broadcast(*frame);
}

void ServedGame::say(std::string_view text) {
    const auto frame = text_frame(parts_->tools, text, k_server_colour);
    if (!frame) return;
    for (auto* player : listed_) player->send(*frame);
}

void ServedGame::change(ServerFacts facts, bool is_unlimited) {
    rules_.facts = std::move(facts);
    rules_.is_unlimited = is_unlimited;
    broadcast(server_info(rules_.facts));
    for (auto* player : listed_) player->follow_rules();
}

void ServedGame::announce(Player& player) {
    if (const auto frame = joined_frame(parts_->tools, player.name(), player.world()->name()))
        player.world()->broadcast(*frame);
}

void ServedGame::greet(Player& player) {
    if (!rules_.facts.welcome.empty()) tell(player, rules_.facts.welcome);
}

void ServedGame::tell(Player& player, std::string_view text) {
    if (const auto frame = text_frame(parts_->tools, text, k_server_colour)) player.send(*frame);
}

void ServedGame::move(Player& player, ServedWorld& world) {
    if (player.stage() == Player::Stage::setup || player.world() == nullptr) return;
    const auto& from = *player.world();
    player.enter(world);
    events_.on_world_change(player, from);
}

void ServedGame::refer(Player& player, const net::HostPort& to, Bytes data) { player.refer(to, data); }

void ServedGame::kick(Player& player, std::string_view reason) { player.kick(reason); }

Player* ServedGame::find_player(std::string_view name) const {
    const auto found =
        std::ranges::find_if(listed_, [&](const Player* player) { return player->name() == name; });
    return found == listed_.end() ? nullptr : *found;
}

ServedWorld* ServedGame::find_world(std::string_view name) const {
    const auto found =
        std::ranges::find_if(worlds_, [&](const auto& world) { return world->name() == name; });
    return found == worlds_.end() ? nullptr : found->get();
}

void ServedGame::begin_stop(std::chrono::seconds notice, std::string reason, std::function<void()> done) {
    const auto now = loop_.now();
    if (stop_) {
        if (now + notice < stop_->at) {
            stop_->at = now + notice;
            stop_->next_notice = now; // they are told of the new time
        }
        return count_down();
    }
    stop_ = Stop{listed_.empty() ? now : now + notice, now, std::move(reason), std::move(done)};
    count_down();
}

std::optional<std::chrono::seconds> ServedGame::stops_in() const {
    if (!stop_) return std::nullopt;
    return std::max(std::chrono::ceil<std::chrono::seconds>(stop_->at - loop_.now()), 0s);
}

void ServedGame::count_down() {
    if (!stop_ || !stop_->done) return;
    const auto now = loop_.now();
    if (now >= stop_->at) {
        const auto done = std::exchange(stop_->done, nullptr);
        for (const auto& world : worlds_) world->stop_editing();
        return done();
    }
    if (now < stop_->next_notice) return;
    const auto left = std::chrono::ceil<std::chrono::seconds>(stop_->at - now);
    say(fmt::format("The server stops in {} s{}{}", left.count(), stop_->reason.empty() ? "." : ": ",
                    stop_->reason));
    // Each minute, then at 30, 10 and 5 seconds.
    auto next = 0s;
    for (const auto moment : {5s, 10s, 30s})
        if (left > moment) next = moment;
    if (left > 60s) next = (left - 1s) / 60s * 60s;
    stop_->next_notice = stop_->at - next;
}

void ServedGame::send_pings() {
    if (listed_.empty()) return;
    std::vector<protocol::Entry<protocol::Uuid, std::int32_t>> pings;
    for (auto* player : listed_) pings.push_back({player->uuid(), whole_milliseconds(player->ping())});
    packets::UpdateServerPlayerListPing packet;
    packet.players = protocol::Map<protocol::Uuid, std::int32_t>(pings);
    broadcast(packet);
}

void ServedGame::tick() {
    const auto begin = loop_.read_clock();
    counters_.lateness.add(begin - next_tick_);
    ++counters_.ticks;
    clear_up();
    announce_names(); // those of chunks that are being encoded too
    for (const auto& world : worlds_) world->tick(begin, parts_->updater, parts_->tools);
    if (begin >= next_pings_) {
        next_pings_ = begin + k_pings_every;
        send_pings();
    }
    count_down();
    const auto end = loop_.read_clock();
    counters_.duration.add(end - begin);
    counters_.done.add(end - next_tick_);
    next_tick_ += k_world_tick;
    if (end >= next_tick_ + k_world_tick) {
        const auto missed = (end - next_tick_) / k_world_tick;
        counters_.skipped_ticks += static_cast<std::uint64_t>(missed);
        next_tick_ += missed * k_world_tick;
    }
    tick_timer_ = loop_.at(next_tick_, [this] { tick(); });
}

} // namespace orbis::game
