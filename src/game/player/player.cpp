#include "game/player/player.hpp"

#include "game/chunks/chunk_pace.hpp"
#include "game/chunks/world_access.hpp"
#include "game/content/weather.hpp"
#include "game/content/world_clock.hpp"
#include "game/entities/person_model.hpp"
#include "game/player/join_packets.hpp"
#include "game/player/person.hpp"
#include "game/player/player_world.hpp"
#include "net/server_session.hpp"
#include "packets/assets.hpp"
#include "packets/entities.hpp"
#include "packets/interaction.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"
#include "packets/worldmap.hpp"

#include <cmath>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

/// How long after its chunk was sent a player counts as playing, whatever its client says.
constexpr net::Duration k_playing_after = 10s;
constexpr std::size_t k_longest_language = 64;
/// Without limits, chunks are sent until this many bytes wait: the network must never run dry between two
/// turns of the loop.
constexpr std::size_t k_most_unsent = 1 << 20;
/// How often the weather of a place is looked at.
constexpr net::Duration k_weather_every = 1s;
/// The longer side of a person, for the distance from which it is seen.
constexpr float k_person_height = 1.8F;
/// Names of a skin are short. All who see the player get it, so what one client says must not cost much.
constexpr std::size_t k_largest_skin = 4096;
/// What a player may do with its hands. One packet can ask for tens of thousands of blocks, and each is work
/// for this thread.
constexpr net::RateLimit k_act_limit{.burst = 4096, .per_second = 4096};

} // namespace

Player::Player(PlayerServer& server, net::ServerSession& session)
    : server_(server),
      session_(session),
      assets_(server.pack()),
      language_(session.player().language),
      skin_(make_component(packets::PlayerSkinUpdate{}).value_or(Component{})),
      hands_(session, server.items(), *this),
      chat_bucket_(k_chat_limit, server.now()),
      act_bucket_(k_act_limit, server.now()) {
    server_.add(*this);
    protocol::Opt<protocol::List<packets::Asset>> required;
    if (const auto* pack = server_.pack()) required = protocol::List<packets::Asset>(pack->required_assets());
    (void)send_greeting(session_, server_.facts(), required);
}

Player::~Player() { server_.remove(*this); }

const protocol::Uuid& Player::uuid() const { return session_.player().uuid; }

const std::string& Player::name() const { return session_.player().name; }

net::Link& Player::link() { return session_.link(); }

net::Duration Player::ping() const { return session_.pings().last(1); }

bool Player::is_leaving() { return close_ || session_.link().is_closing(); }

void Player::send(const net::OutgoingFrame& frame) { (void)session_.send(frame); }

void Player::kick(std::string_view reason) { session_.disconnect(reason); }

void Player::on_closed(const net::Close& close) {
    // This may be said in the middle of a send, by a stream that goes on afterwards: the server clears up
    // later.
    close_ = close;
    server_.note_gone();
}

bool Player::on_packet(const protocol::Frame& frame) {
    if (close_) return true;
    if (stage_ == Stage::setup) return on_setup_packet(frame);
    switch (frame.id) {
    case packets::RequestAssets::k_info.id: return on_request(frame);
    case packets::ClientReady::k_info.id: {
        const auto* ready = session_.read<packets::ClientReady>(frame);
        return ready == nullptr || on_ready(*ready);
    }
    case packets::ViewRadius::k_info.id:
        if (const auto* radius = session_.read<packets::ViewRadius>(frame)) wanted_radius_ = radius->value;
        return true;
    case packets::ClientMovement::k_info.id:
        if (const auto* movement = session_.read<packets::ClientMovement>(frame)) on_movement(*movement);
        return true;
    case packets::ChatMessage::k_info.id:
        if (const auto* message = session_.read<packets::ChatMessage>(frame)) on_chat(*message);
        return true;
    case packets::UpdateLanguage::k_info.id:
        // All texts again. Each time costs as much as a long chat.
        if (!chat_bucket_.take(server_.now())) return true;
        if (const auto* update = session_.read<packets::UpdateLanguage>(frame))
            language_ = update->language.value_or({}).substr(0, k_longest_language);
        send_registries(packets::UpdateTranslations::k_info.id);
        return true;
    default:
        // What is left are packets that a client of the game sends all the time, about things that are not
        // here.
        if (is_in_world()) (void)hands_.on_packet(frame);
        return true;
    }
}

bool Player::on_setup_packet(const protocol::Frame& frame) {
    switch (frame.id) {
    case packets::RequestAssets::k_info.id: return on_request(frame);
    case packets::ViewRadius::k_info.id:
        if (const auto* radius = session_.read<packets::ViewRadius>(frame)) wanted_radius_ = radius->value;
        return true;
    case packets::PlayerOptions::k_info.id:
        if (const auto* options = session_.read<packets::PlayerOptions>(frame)) {
            packets::PlayerSkinUpdate skin;
            skin.skin = options->skin;
            if (auto made = make_component(skin);
                made && options->skin && made->bytes.size() <= k_largest_skin)
                skin_ = *std::move(made);
            if (!has_registries_) return false; // it does not wait for what it has asked for
            if (session_.begin_play()) server_.admit(*this);
        }
        return true;
    default: return false;
    }
}

bool Player::on_request(const protocol::Frame& frame) {
    const auto* request = session_.read<packets::RequestAssets>(frame);
    if (request == nullptr) return true;
    if (const auto queued = assets_.request(*request); !queued) {
        session_.disconnect(fmt::format("Unknown asset: {}.", queued.error().problem));
        return true;
    }
    pump_assets();
    return true;
}

void Player::pump_assets() {
    if (!assets_.pump(session_) || has_registries_) return;
    has_registries_ = true;
    send_registries();
    (void)send_loaded(session_);
}

void Player::send_registries(std::optional<std::int32_t> only) {
    const auto* texts = server_.texts(language_);
    for (const auto& registry : server_.registry_frames()) {
        if (only && registry.packet() != *only) continue;
        const bool is_text = registry.packet() == packets::UpdateTranslations::k_info.id;
        send(is_text && texts != nullptr ? *texts : registry);
    }
}

void Player::enter(PlayerWorld& world) {
    const bool is_first = world_ == nullptr;
    if (stream_) stream_->unload_all();
    leave_world();
    world_ = &world;
    world.add(*this);
    stage_ = Stage::joining;
    server_.tell_world_of(*this);
    packets::JoinWorld join;
    join.clear_world = join.fade_in_out = !is_first;
    join.world_uuid = world.uuid();
    ++unanswered_joins_;
    (void)session_.send(join);
}

void Player::leave_world() {
    if (world_ == nullptr) return;
    hands_.leave_world();
    stream_.reset();
    if (network_id_ != NetworkId::none) world_->entities().remove(network_id_);
    network_id_ = NetworkId::none;
    world_->remove(*this);
    world_ = nullptr;
}

bool Player::on_ready(const packets::ClientReady& ready) {
    // Each `JoinWorld` is answered by one of its own. What still comes for an earlier world begins nothing:
    // the client may not know this one yet.
    const bool is_answer = ready.ready_for_chunks && !ready.ready_for_gameplay && unanswered_joins_ > 0;
    if (is_answer && --unanswered_joins_ == 0 && stage_ == Stage::joining) {
        if (const auto begun = begin_world(); !begun) {
            session_.disconnect(fmt::format("Server error: {}", begun.error().text()));
            return true;
        }
        if (!std::exchange(is_welcomed_, true)) server_.greet(*this);
    }
    if (stage_ == Stage::waiting && ready.ready_for_gameplay) stage_ = Stage::playing;
    return true;
}

EntityState Player::own_entity() const {
    EntityState state;
    state.transform = {movement_.position(), movement_.body(), movement_.look()};
    state.movement = movement_.states();
    state.box_side = k_person_height;
    if (is_creative()) add_component(state.components, packets::InvulnerableUpdate{});
    add_nameplate(state.components, name());
    state.components.push_back(server_.person().model);
    state.components.push_back(skin_);
    state.components.push_back(hands_.equipment());
    add_person_basics(state.components, server_.person().stats);
    return state;
}

Eye Player::eye(int radius) const {
    return {movement_.position(), double{k_side} * radius, network_id_, is_creative()};
}

Result<void> Player::begin_world() {
    movement_.reset(world_->spawn_of(name()));
    network_id_ = world_->entities().add(own_entity());
    const auto* dialect = session_.link().dialect();
    view_ = EntityView(dialect == nullptr ? nullptr : Wording::of(*dialect));
    EntryFacts facts;
    facts.network_id = static_cast<std::int32_t>(network_id_);
    facts.view_radius = server_.facts().view_radius;
    facts.mode = world_->game_mode();
    facts.effects = world_->effects();
    facts.movement = server_.person().movement;
    TRY_DO(send_entry(session_, facts));
    world_->entities().end_tick();
    const int radius = view_radius(wanted_radius_, server_.facts().view_radius);
    // First a player is told of itself alone; of others in the next tick, and of itself again.
    auto inward = eye(radius);
    inward.sees_others = false;
    TRY(const auto own, server_.updater().frame(view_, world_->entities(), inward));
    if (own) send(*own);
    TRY_DO(send_body(session_, facts));
    TRY_DO(hands_.send_all());
    TRY_DO(send_interface(session_, facts));
    TRY_DO(session_.send(world_->time().settings()));
    TRY_DO(session_.send(world_->time().now(server_.now())));
    map_.reset();
    if (world_->map() != nullptr)
        map_.emplace(*world_->map()); // it begins with an empty map
    else
        TRY_DO(session_.send(packets::ClearWorldMap{}));
    server_.announce(*this);
    auto map_settings = world_map_settings();
    map_settings.enabled = world_->map() != nullptr;
    for (int time = 0; time < 2; ++time) TRY_DO(session_.send(map_settings)); // the game does so twice
    weather_ = Weathers::k_unknown;
    transition_ = Weathers::k_first_transition_seconds;

    StreamRules rules;
    rules.per_second = chunks_per_second(session_.link().peer().address);
    rules.is_unlimited = server_.is_unlimited();
    rules.words = session_.link().dialect();
    stream_ = std::make_unique<ChunkStream>(world_->chunks(), static_cast<ChunkSink&>(*this), rules,
                                            movement_.block().chunk(), radius);
    stage_ = Stage::waiting;
    playing_at_ = net::k_never;
    // The first chunks need not wait for the tick.
    if (rules.is_unlimited) stream_->on_delivered();
    return {};
}

void Player::follow_rules() {
    if (!is_in_world()) return; // it is told when it enters
    packets::ViewRadius most;
    most.value = server_.facts().view_radius * k_side;
    (void)session_.send(most);
    stream_->set_unlimited(server_.is_unlimited());
}

void Player::on_movement(const packets::ClientMovement& movement) {
    if (!is_in_world()) return;
    if (movement_.apply(movement, stage_ != Stage::playing) == Movement::Outcome::forbidden)
        session_.disconnect("Sent impossible position data!", net::CloseCode::timeout);
}

void Player::teleport(const packets::Position& to) {
    if (is_in_world()) (void)session_.send(movement_.teleport(to));
}

void Player::refer(const net::HostPort& to, Bytes data) {
    if (session_.refer(to, data)) referral_ = to;
}

void Player::on_chat(const packets::ChatMessage& message) {
    const auto line = message.message ? clean_chat(*message.message) : std::nullopt;
    if (!line || world_ == nullptr) return;
    if (!chat_bucket_.take(server_.now()))
        return server_.tell(*this, "You are sending messages too fast: wait a moment.");
    if (line->starts_with('/')) return server_.tell(*this, "This server has no commands for players.");
    server_.chat(*this, *line);
}

bool Player::is_creative() const { return world_->game_mode() == packets::GameMode::creative; }

net::Time Player::now() const { return server_.now(); }

bool Player::may_act() {
    if (is_leaving()) return false;
    if (act_bucket_.take(server_.now())) return true;
    session_.disconnect("Your client changes too many blocks at once.", net::CloseCode::rate_limited);
    return false;
}

bool Player::edit(BlockPos pos, std::int32_t block, chunk::Rotation rotation, bool allowed,
                  std::uint32_t ticket) {
    if (!is_in_world() || !has_chunk(pos.chunk()) || pos.y < 0 || pos.y >= k_world_height) return false;
    const auto& from = movement_.position();
    EditRequest request{uuid(), pos, block, rotation, allowed && is_creative(), 0, ticket};
    request.distance = std::hypot(pos.x + 0.5 - from.x, pos.y + 0.5 - from.y, pos.z + 0.5 - from.z);
    world_->submit(request);
    return true;
}

void Player::on_edit(std::uint32_t ticket, const std::optional<WireBlock>& now_there) {
    hands_.on_edit(ticket, now_there);
}

void Player::publish() {
    if (!is_in_world()) return;
    if (hands_.take_equipment_changed()) world_->entities().set(network_id_, hands_.equipment());
    if (!movement_.take_changed()) return;
    world_->entities().move(network_id_, {movement_.position(), movement_.body(), movement_.look()},
                            movement_.states());
}

void Player::send_weather(net::Time now) {
    if (now < next_weather_ || !has_chunk(stream_->center())) return;
    next_weather_ = now + k_weather_every;
    const auto weather = world_->weather_at(movement_.block(), now);
    if (weather == weather_) return;
    packets::UpdateWeather packet;
    packet.weather_index = weather;
    packet.transition_seconds = std::exchange(transition_, Weathers::k_transition_seconds);
    weather_ = weather;
    (void)session_.send(packet);
}

void Player::send_map(net::Time now, net::FrameTools<net::Side::server>& tools) {
    if (!map_) return;
    // Chunks go first: drawing takes the processor that they need.
    const bool has_room = stream_->is_complete() && session_.link().is_writable(net::Channel::world_map);
    std::vector<net::OutgoingFrame> frames;
    (void)map_->pass(now, stream_->center(), stream_->radius(), has_room, tools, frames);
    (void)map_->mark(now, world_->markers(), uuid(), tools, frames);
    for (const auto& frame : frames) send(frame);
}

void Player::tick(net::Time now, EntityUpdater& updater, net::FrameTools<net::Side::server>& tools) {
    if (!is_in_world() || close_) return;
    // Once in a tick, however often a client changes its mind: each time it is a walk over all chunks.
    stream_->set_radius(view_radius(wanted_radius_, server_.facts().view_radius));
    stream_->move(movement_.block().chunk());
    stream_->tick(now);
    if (stage_ == Stage::waiting) {
        if (playing_at_ == net::k_never && (has_chunk(stream_->center()) || stream_->is_complete()))
            playing_at_ = now + k_playing_after;
        if (now >= playing_at_) stage_ = Stage::playing;
    }
    if (const auto news = updater.frame(view_, world_->entities(), eye(stream_->radius())); news && *news) {
        server_.count_entity_update();
        send(**news);
    }
    hands_.tick(now, ping());
    send_weather(now);
    send_map(now, tools);
}

void Player::on_delivered(net::Channel channel) {
    if (close_) return;
    if (channel != net::Channel::world_map && stream_) stream_->on_delivered();
    if (channel == net::Channel::normal && !assets_.is_done()) pump_assets();
}

bool Player::takes_chunks() const {
    if (close_) return false;
    const auto& link = session_.link();
    return server_.is_unlimited() ? link.unsent(net::Channel::chunks) < k_most_unsent
                                  : link.is_writable(net::Channel::chunks);
}

void Player::send_names(std::span<const net::OutgoingFrame> frames) {
    for (const auto& frame : frames) send(frame);
    names_end_ = session_.link().sent(net::Channel::normal);
}

/// Names go on Default, chunks on Chunks, and one may overtake the other. A player who gets names gets no
/// chunk, not even one without them, until they have arrived: new names are rare.
bool Player::knows_names() const { return session_.link().arrived(net::Channel::normal) >= names_end_; }

void Player::send_chunk(const EncodedChunk& encoded) {
    server_.count_sent_chunk();
    together_.clear();
    for (const auto& part : encoded.parts) together_.push_back(&part.frame);
    (void)session_.send(together_);
    for (const auto& frame : world_->frames_behind(encoded)) send(frame);
}

void Player::send_changes(const EncodedChunk& encoded, std::span<const ChunkPart* const> parts) {
    together_.clear();
    for (const auto* part : parts) together_.push_back(&part->frame);
    (void)session_.send(together_);
    for (const auto& frame : world_->frames_behind(encoded)) send(frame);
}

void Player::send_unload(ChunkPos pos) {
    packets::UnloadChunk unload;
    unload.chunk_x = pos.x;
    unload.chunk_z = pos.z;
    (void)session_.send(unload);
}

} // namespace orbis::game
