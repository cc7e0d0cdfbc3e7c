#include "game/bot/bot.hpp"

#include "bytes/near_names.hpp"
#include "game/content/block_entries.hpp"
#include "packets/assets.hpp"
#include "packets/connection.hpp"
#include "packets/entities.hpp"
#include "packets/interaction.hpp"
#include "packets/interface.hpp"
#include "packets/inventory.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"
#include "packets/worldmap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orbis::game {

using namespace std::chrono_literals;
using net::ClientSession;
using protocol::Frame;

namespace {

/// Nothing new for so long: what the server sends at first has come.
constexpr net::Duration k_settled = 1s;
constexpr std::size_t k_most_heard = 64;
/// What is shown of a text of the server.
constexpr std::size_t k_longest_text = 1024;
/// More than this many edits or measurements that are never read are not remembered.
constexpr std::size_t k_most_kept_times = 4096;
/// More entities or players than any server has; what comes beyond is not remembered.
constexpr std::size_t k_most_others = 1 << 16;
/// Servers that send a player on more often send it in a circle.
constexpr std::uint64_t k_most_referrals = 16;

packets::Position position(const Point& place) {
    packets::Position out;
    out.x = place.x;
    out.y = place.y;
    out.z = place.z;
    return out;
}

Point to_place(const packets::Position& position) { return {position.x, position.y, position.z}; }

bool is_finite(const Point& place) {
    return std::isfinite(place.x) && std::isfinite(place.y) && std::isfinite(place.z);
}

/// All words of a message, those of its parts included.
void append_text(const packets::FormattedMessage& message, std::string& out, int depth = 0) {
    if (depth > 8 || out.size() >= k_longest_text) return;
    out += message.raw_text.value_or({}).substr(0, k_longest_text);
    if (message.params)
        for (const auto& entry : *message.params)
            if (const auto* text = std::get_if<packets::StringParamValue>(&entry.value);
                text && out.size() < k_longest_text)
                (out += ' ') += text->value.value_or({}).substr(0, k_longest_text);
    if (message.children)
        for (const auto& child : *message.children) append_text(child, out, depth + 1);
    out.resize(std::min(out.size(), k_longest_text));
}

} // namespace

/// What a session tells its bot.
class Bot::Session final : public net::ClientHandler {
public:
    explicit Session(Bot& bot) : bot_(bot) {}

    void on_phase(ClientSession& session) override {
        bot_.session_ = &session;
        if (session.phase() != ClientSession::Phase::closed) phase_ = session.phase();
        if (session.phase() != ClientSession::Phase::play) return;
        if (!bot_.times_.join) bot_.times_.join = bot_.since_start();
    }
    void on_packet(ClientSession& session, const Frame& frame) override { bot_.on_packet(session, frame); }
    /// Of registries and pictures nothing but the names of what chunks are made of.
    [[nodiscard]] bool reads(const protocol::PacketInfo& packet) const override {
        if (packet.category == packets::UpdateBlockTypes::k_info.category)
            return packet.id == packets::UpdateBlockTypes::k_info.id
                   || packet.id == packets::UpdateFluids::k_info.id
                   || packet.id == packets::UpdateEnvironments::k_info.id;
        return packet.id != packets::UpdateWorldMap::k_info.id;
    }
    void on_referral(ClientSession& session, const net::HostPort& to, Bytes data) override {
        if (bot_.counts_.referrals < k_most_referrals)
            bot_.referral_ = Referral{to, Buffer(data.begin(), data.end())};
        else
            bot_.is_sent_in_circles_ = true;
        ++bot_.counts_.referrals;
        session.leave("Referred");
    }
    void on_closed(ClientSession&, const net::Close& close,
                   const std::optional<std::string>& reason) override {
        bot_.on_closed(close, reason && !reason->empty() ? reason : why_it_left());
    }

private:
    /// A session that cannot go on leaves, and the server says only goodbye.
    [[nodiscard]] std::optional<std::string> why_it_left() const {
        if (phase_ == ClientSession::Phase::authenticating) return "the server asks for a Hytale account";
        if (phase_ != ClientSession::Phase::password) return {};
        return bot_.rules_.client.password.empty() ? "the server asks for a password (--password-file FILE)"
                                                   : "the password is wrong";
    }

    Bot& bot_;
    ClientSession::Phase phase_{};
};

Bot::Bot(BotRules rules, StatePool& pool, net::ClientContext& context)
    : rules_(std::move(rules)),
      context_(context),
      world_(pool, context.tools.decompressor, context.tools.arena,
             WorldLimits::of_view(rules_.client.view_radius)),
      walk_({}, rules_.seed) {}

std::unique_ptr<net::ClientHandler> Bot::make_handler() {
    if (!start_) start_ = context_.clock.now();
    is_over_ = false;
    forget_place();
    hands_ = {};
    return std::make_unique<Session>(*this);
}

Result<void> Bot::join(net::UdpDriver& driver, const net::ClientSettings& settings, net::ClientRules rules) {
    TRY(connection_, net::join(driver, context_, settings, std::move(rules), make_handler()));
    return {};
}

net::Duration Bot::since_start() const { return context_.clock.now() - start_.value_or(net::Time{}); }

void Bot::on_packet(ClientSession& session, const Frame& frame) {
    ++counts_.packets;
    counts_.bytes += frame.length;
    if (watcher_) watcher_(frame);
    switch (frame.id) {
    case packets::JoinWorld::k_info.id: return on_joined(session, frame);
    case packets::EntityUpdates::k_info.id: return on_entities(session, frame);
    case packets::ClientTeleport::k_info.id: return on_teleport(session, frame);
    case packets::SetClientId::k_info.id:
        if (const auto* packet = session.read<packets::SetClientId>(frame)) {
            own_id_ = packet->client_id;
            if (const auto known = entities_.find(own_id_); known != entities_.end()) {
                if (is_finite(known->second)) be_at(known->second);
                entities_.erase(known);
            }
        }
        return;
    case packets::ViewRadius::k_info.id:
        if (const auto* packet = session.read<packets::ViewRadius>(frame)) server_radius_ = packet->value;
        return;
    case packets::Ping::k_info.id:
        if (const auto* packet = session.read<packets::Ping>(frame))
            if (packet->last_ping_value_direct > 0 && pings_.size() < k_most_kept_times)
                pings_.push_back(packet->last_ping_value_direct);
        return;
    case packets::ServerMessage::k_info.id:
        ++counts_.chats;
        if (!rules_.keeps_chat) return;
        if (const auto* packet = session.read<packets::ServerMessage>(frame); packet && packet->message) {
            std::string text;
            append_text(*packet->message, text);
            heard_.push_back(std::move(text));
            if (heard_.size() > k_most_heard) heard_.pop_front();
        }
        return;
    case packets::AddToServerPlayerList::k_info.id:
        if (const auto* packet = session.read<packets::AddToServerPlayerList>(frame);
            packet && packet->players)
            for (const auto& player : *packet->players) {
                if (players_.size() >= k_most_others) break;
                if (const auto at = std::ranges::lower_bound(players_, player.uuid);
                    at == players_.end() || *at != player.uuid)
                    players_.insert(at, player.uuid);
            }
        return;
    case packets::RemoveFromServerPlayerList::k_info.id:
        if (const auto* packet = session.read<packets::RemoveFromServerPlayerList>(frame);
            packet && packet->players)
            for (const auto& uuid : *packet->players)
                if (const auto at = std::ranges::lower_bound(players_, uuid);
                    at != players_.end() && *at == uuid)
                    players_.erase(at);
        return;
    case packets::UpdatePlayerInventory::k_info.id:
        if (const auto* packet = session.read<packets::UpdatePlayerInventory>(frame))
            hands_.on_inventory(*packet);
        return;
    case packets::SetActiveSlot::k_info.id:
        if (const auto* packet = session.read<packets::SetActiveSlot>(frame)) hands_.on_slot(*packet);
        return;
    case packets::CancelInteractionChain::k_info.id:
        if (const auto* packet = session.read<packets::CancelInteractionChain>(frame))
            on_cancelled(packet->chain_id);
        return;
    default: return on_world_packet(frame);
    }
}

void Bot::on_world_packet(const Frame& frame) {
    if (frame.id == packets::SetChunk::k_info.id) on_section();
    const auto known = world_.chunks().size();
    const bool announces = frame.id == packets::UpdateBlockTypes::k_info.id;
    if (rules_.keeps_world || announces) {
        const auto taken = world_.take(frame);
        if (!taken) {
            ++bad_packets_;
            last_problem_ = fmt::format("{}: {}", frame.packet->name, taken.error().text());
        }
    }
    if (frame.id == packets::UnloadChunk::k_info.id) {
        // Of a chunk that it does not have the packet says that there is none. Without a world it cannot
        // tell.
        if (rules_.keeps_world ? world_.chunks().size() < known : counts_.unloaded < counts_.chunks)
            ++counts_.unloaded;
        say_ready();
    }
    if (!edits_.empty() && session_) on_change(*session_, frame);
}

/// With the first chunk, or where it is told that there is none around it.
void Bot::say_ready() {
    if (is_ready_ || !session_) return;
    is_ready_ = true;
    packets::ClientReady ready;
    ready.ready_for_chunks = true;
    ready.ready_for_gameplay = true;
    (void)session_->send(ready);
    if (target_) go_to(*std::exchange(target_, {}));
}

void Bot::on_joined(ClientSession& session, const Frame& frame) {
    const auto* packet = session.read<packets::JoinWorld>(frame);
    if (!packet) return;
    if (packet->clear_world) world_.clear();
    entities_.clear();
    own_id_ = -1;
    // The server says where it is in this world; what it did in another does not count here.
    forget_place();
    walk_.begin_again();
    hands_.enter_world();
    in_world_ = true;
    is_ready_ = false;
    sections_ = 0;
    last_section_ = context_.clock.now();
}

void Bot::on_section() {
    ++sections_;
    last_section_ = context_.clock.now();
    if (sections_ % k_sections != 0) return;
    ++counts_.chunks;
    if (!times_.first) times_.first = since_start();
    say_ready();
    if (times_.last) return;
    auto radius = rules_.client.view_radius;
    if (server_radius_ > 0) radius = std::min(radius, server_radius_);
    if (sections_ / k_sections == chunks_in_view(radius)) times_.last = since_start();
}

void Bot::on_entities(ClientSession& session, const Frame& frame) {
    // Without a world only the own place is of interest, and it comes once.
    if (!rules_.keeps_world && place_) return;
    const auto* packet = session.read<packets::EntityUpdates>(frame);
    if (!packet) return;
    if (packet->removed)
        for (const auto id : *packet->removed) entities_.erase(id);
    if (!packet->updates) return;
    for (const auto& update : *packet->updates) {
        if (!update.updates) continue;
        Point* known = nullptr;
        if (update.network_id != own_id_) {
            if (entities_.size() >= k_most_others && !entities_.contains(update.network_id)) continue;
            known = &entities_[update.network_id];
        }
        for (const auto& component : *update.updates) {
            const auto* transform = std::get_if<packets::TransformUpdate>(&component);
            if (!transform || !transform->transform.position) continue;
            const auto place = to_place(*transform->transform.position);
            if (known)
                *known = place;
            else if (!has_moved_ && is_finite(place))
                be_at(place);
        }
    }
}

void Bot::on_teleport(ClientSession& session, const Frame& frame) {
    const auto* packet = session.read<packets::ClientTeleport>(frame);
    if (!packet) return;
    ++counts_.teleports;
    if (packet->model_transform && packet->model_transform->position) {
        const auto to = to_place(*packet->model_transform->position);
        if (!is_finite(to)) return; // nowhere to go
        be_at(to);
    }
    send_movement(packet->teleport_id);
}

void Bot::on_change(ClientSession& session, const Frame& frame) {
    if (frame.id == packets::ServerSetBlock::k_info.id) {
        if (const auto* packet = session.read<packets::ServerSetBlock>(frame))
            settle_edit({packet->x, packet->y, packet->z}, packet->block_id);
    } else if (frame.id == packets::ServerSetBlocks::k_info.id) {
        const auto* packet = session.read<packets::ServerSetBlocks>(frame);
        if (!packet) return;
        for (const auto& change : packet->cmds) {
            const CellIndex cell(change.index & (k_cells - 1));
            settle_edit(
                {packet->x * k_side + cell.x(), packet->y * k_side + cell.y(), packet->z * k_side + cell.z()},
                change.block_id);
        }
    } else if (frame.id == packets::SetChunk::k_info.id && rules_.keeps_world) {
        const auto waiting = edits_;
        for (const auto& edit : waiting)
            if (const auto block = world_.block(edit.pos); block && block->id == edit.id)
                settle_edit(edit.pos, block->id);
    }
}

void Bot::settle_edit(BlockPos pos, std::int32_t id) {
    const auto edit = std::ranges::find(edits_, pos, &Edit::pos);
    if (edit == edits_.end()) return;
    if (edit->id == id) {
        ++counts_.edits_confirmed;
        if (edit_times_.size() < k_most_kept_times) edit_times_.push_back(context_.clock.now() - edit->sent);
    } else {
        ++counts_.edits_refused;
    }
    edits_.erase(edit);
}

std::uint64_t Bot::sections_outside() const {
    return sections_outside_ + (session_ ? session_->link().sections_outside() : 0);
}

void Bot::on_closed(const net::Close& close, const std::optional<std::string>& reason) {
    sections_outside_ = sections_outside();
    connection_ = session_ = nullptr;
    in_world_ = false;
    is_ready_ = false;
    is_over_ = true;
    world_.clear();
    entities_.clear();
    players_.clear();
    edits_.clear();
    if (has_left_ || referral_) return;
    if (is_sent_in_circles_)
        failure_ = fmt::format("servers referred it {} times, which is too often", counts_.referrals);
    else
        failure_ = reason && !reason->empty() ? reason->substr(0, k_longest_text) : close.text();
}

std::optional<Referral> Bot::take_referral() {
    if (!is_over_) return {};
    return std::exchange(referral_, {});
}

void Bot::be_at(const Point& place) {
    place_ = place;
    const auto at = block_at(place);
    world_.look_from(at ? std::optional(at->chunk()) : std::nullopt);
}

void Bot::forget_place() {
    has_moved_ = target_.has_value();
    if (target_) return be_at(*target_);
    place_.reset();
    world_.look_from({});
}

void Bot::stand_on_ground(Point& place) const {
    const auto at = block_at(place);
    if (!at) return;
    if (const auto height = world_.height(at->x, at->z)) place.y = *height + 1;
}

void Bot::send_movement(std::optional<std::int8_t> teleport) {
    if (!session_ || !in_world_ || !place_) return;
    packets::Direction direction;
    direction.yaw = yaw_;
    packets::MovementStates states;
    states.on_ground = true;
    states.idle = !walks_;
    states.horizontal_idle = !walks_;
    states.running = walks_;
    packets::ClientMovement move;
    move.movement_states = states;
    move.absolute_position = position(*place_);
    move.body_orientation = direction;
    direction.pitch = pitch_;
    move.look_orientation = direction;
    if (teleport) {
        packets::TeleportAck ack;
        ack.teleport_id = *teleport;
        move.teleport_ack = ack;
    }
    (void)session_->send(move);
    ++counts_.moves;
}

void Bot::tick(double seconds) {
    if (!in_world_) return;
    const auto now = context_.clock.now();
    if (!times_.last && times_.first && now - last_section_ >= k_settled)
        times_.last = last_section_ - *start_;
    if (!walks_ || !is_ready_ || !place_) return;
    auto next = walk_.step(*place_, seconds);
    stand_on_ground(next);
    if (next == *place_) return;
    be_at(next);
    yaw_ = walk_.yaw();
    has_moved_ = true;
    send_movement({});
}

void Bot::walk(WalkRules rules) {
    walks_ = rules.kind != WalkRules::Kind::still;
    walk_ = Walk(std::move(rules), rules_.seed + counts_.moves);
}

void Bot::go_to(const Point& place) {
    be_at(place);
    has_moved_ = true;
    if (!is_ready_) target_ = place; // said again when it can go there
    send_movement({});
}

void Bot::look(float yaw, float pitch) {
    yaw_ = yaw;
    pitch_ = pitch;
    send_movement({});
}

void Bot::chat(std::string_view text) {
    if (!session_) return;
    packets::ChatMessage message;
    message.message = protocol::Text(text);
    (void)session_->send(message);
}

Result<void> Bot::place(BlockPos pos, std::string_view name) {
    if (!session_) return fail(Errc::usage, "{} is not in a world", rules_.client.name);
    const auto* names = world_.block_names();
    const auto id = names ? names->find(name) : std::nullopt;
    if (!id) {
        std::vector<std::string_view> known;
        if (names != nullptr)
            for (const auto& [number, each] : names->names) known.emplace_back(each);
        std::ranges::sort(known); // so that the same one is named each time
        return fail(Errc::not_found, "the server has no block '{}'{}", name, did_you_mean(name, known));
    }
    if (*id == 0) {
        take_away(pos);
        return {};
    }
    const auto [base, state] = split_state(name);
    TRY(const auto chain, hands_.place(*session_, pos, state.empty() ? name : base, *id));
    note_edit(pos, *id, chain);
    return {};
}

void Bot::take_away(BlockPos pos) {
    if (!session_) return;
    if (const auto chain = hands_.take_away(*session_, pos)) note_edit(pos, 0, *chain);
}

void Bot::note_edit(BlockPos pos, std::int32_t id, std::int32_t chain) {
    ++counts_.edits;
    if (edits_.size() < k_most_kept_times) edits_.push_back({pos, id, context_.clock.now(), chain});
}

/// The server does not do what it was asked for.
void Bot::on_cancelled(std::int32_t chain) {
    const auto edit = std::ranges::find(edits_, chain, &Edit::chain);
    if (edit == edits_.end()) return;
    ++counts_.edits_refused;
    edits_.erase(edit);
}

void Bot::leave() {
    has_left_ = true;
    if (auto* session = session_ ? session_ : connection_) session->leave();
}

} // namespace orbis::game
