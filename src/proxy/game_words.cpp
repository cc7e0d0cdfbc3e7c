#include "proxy/game_words.hpp"

#include "bytes/reader.hpp"
#include "net/farewell.hpp"
#include "packets/connection.hpp"
#include "protocol/dialect.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/generic_codec.hpp"

#include <algorithm>

namespace orbis::proxy {
namespace {

using protocol::k_frame_header;
using protocol::Side;

/// `Connect` in all builds.
constexpr std::int32_t k_connect_id = 0;
/// What clients of later builds say when they are asked who they are.
constexpr std::string_view k_player_answer = "InsecurePlayerOptions";
/// No name and no version is longer.
constexpr std::size_t k_longest_name = 64;

std::int32_t id_of(Bytes frame) { return load_le<std::int32_t>(frame.data() + 4); }

Side side_of(End from) { return from == End::client ? Side::client : Side::server; }

/// All builds that state a sum have it in the same place, and after it their number and version. The first
/// have a hash there.
const protocol::BuildInfo* build_of(Bytes connect) {
    constexpr std::size_t k_sum_at = 1;
    if (connect.size() < k_sum_at + 4) return nullptr;
    const auto said = connect.subspan(k_sum_at);
    const auto sum = load_le<std::int32_t>(said.data());
    for (const auto& build : protocol::builds()) {
        if (build.crc == sum) return &build;
        if (!build.hash.empty() && as_text(said).starts_with(build.hash)) return &build;
    }
    return nullptr;
}

/// The version of a client that nobody here knows.
std::string version_of(Bytes connect) {
    constexpr std::size_t k_version_at = 9;
    constexpr std::size_t k_version_size = 20;
    if (connect.size() < k_version_at + k_version_size) return {};
    std::string version(as_text(connect.subspan(k_version_at, k_version_size)));
    version.resize(std::min(version.find('\0'), version.size()));
    return std::ranges::all_of(version, [](char c) { return c >= ' ' && c <= '~'; }) ? version
                                                                                     : std::string();
}

void take_player(PlayerFacts& player, const protocol::Layout& layout, const protocol::Schema& schema,
                 Bytes payload) {
    const auto said = decode(layout, payload, schema.read_rules());
    if (!said) return;
    if (const auto* name = said->find("username"))
        if (const auto* text = name->as<std::string>()) player.name = text->substr(0, k_longest_name);
    if (const auto* uuid = said->find("uuid"))
        if (const auto* value = uuid->as<protocol::Uuid>()) player.uuid = *value;
}

/// Null for the usual build, and for one that cannot be translated.
const protocol::Dialect* dialect_of(const protocol::BuildInfo* build) {
    return build != nullptr && build->is_spoken ? protocol::Dialect::of(*build) : nullptr;
}

/// The build that a client is most likely of: its own, or one with the same protocol.
const protocol::BuildInfo* likely_build(const PlayerFacts& player) {
    if (player.build != nullptr) return player.build;
    const auto* usual = protocol::find_build(protocol::k_default_build);
    if (player.protocol == "hytale/2") return usual;
    for (const auto& build : protocol::builds())
        if (const auto* dialect = dialect_of(&build); dialect && dialect->protocol() == player.protocol)
            return &build;
    return usual;
}

/// Whether a packet says good-bye, in the words of the player's build.
bool is_disconnect(const PlayerFacts& player, End from, std::int32_t id) {
    constexpr auto k_id = packets::Disconnect::k_info.id;
    const auto* dialect = dialect_of(likely_build(player));
    if (dialect == nullptr) return id == k_id;
    const auto* word = dialect->heard_from(side_of(from), id);
    return word != nullptr && word->usual->id == k_id;
}

bool is_player_answer(const PlayerFacts& player, std::int32_t id) {
    if (player.build == nullptr || !player.name.empty()) return false;
    const auto* packet = protocol::schema_of(*player.build).registry().find(k_player_answer);
    return packet != nullptr && packet->id == id;
}

/// The packet in the words of the player's build; null if the build has none that can be read as it is.
const protocol::PacketInfo* referral_packet(const PlayerFacts& player) {
    const auto* packet = protocol::schema_of(*likely_build(player)).registry().find("ClientReferral");
    return packet != nullptr && !packet->compressed ? packet : nullptr;
}

/// A field of a record; null when there is none.
protocol::Value* field_of(protocol::Value* value, std::string_view name) {
    auto* record = value != nullptr ? std::get_if<protocol::Value::Record>(&value->content) : nullptr;
    if (record == nullptr) return nullptr;
    const auto at = std::ranges::find(record->layout->fields, name, &protocol::Field::name);
    return at != record->layout->fields.end()
               ? &record->fields[static_cast<std::size_t>(at - record->layout->fields.begin())]
               : nullptr;
}

/// What a referral says, as its build writes it.
std::optional<protocol::Value> read_referral(const PlayerFacts& player, Bytes frame) {
    const auto* packet = referral_packet(player);
    if (packet == nullptr || packet->id != id_of(frame)) return {};
    const auto& schema = protocol::schema_of(*likely_build(player));
    auto said = decode(*schema.packet(packet->id), frame.subspan(k_frame_header), schema.read_rules());
    if (!said) return {};
    return *std::move(said);
}

} // namespace

bool is_telling(const PlayerFacts& player, End from, std::int32_t id) {
    if (from == End::client && (id == k_connect_id || is_player_answer(player, id))) return true;
    return is_disconnect(player, from, id);
}

void learn(PlayerFacts& player, End from, Bytes frame) {
    if (from != End::client) return;
    const auto payload = frame.subspan(k_frame_header);
    if (id_of(frame) == k_connect_id && player.build == nullptr) {
        player.build = build_of(payload);
        player.version = player.build != nullptr ? std::string(player.build->build) : version_of(payload);
        if (player.build == nullptr) return;
        const auto& schema = protocol::schema_of(*player.build);
        if (const auto* layout = schema.packet(k_connect_id)) take_player(player, *layout, schema, payload);
    } else if (is_player_answer(player, id_of(frame))) {
        const auto& schema = protocol::schema_of(*player.build);
        take_player(player, *schema.packet(k_player_answer), schema, payload);
    }
}

std::optional<std::string> disconnect_text(const PlayerFacts& player, End from, Bytes frame) {
    if (!is_disconnect(player, from, id_of(frame))) return {};
    auto payload = frame.subspan(k_frame_header);
    Buffer heard;
    if (const auto* dialect = dialect_of(likely_build(player))) {
        const auto* word = dialect->heard_from(side_of(from), id_of(frame));
        if (!dialect->hear(*word, payload, heard)) return std::string();
        payload = heard;
    }
    protocol::Arena arena;
    packets::Disconnect packet;
    if (!protocol::decode(payload, arena, packet)) return std::string();
    return std::string(packet.reason.value_or({}));
}

bool is_referral(const PlayerFacts& player, std::int32_t id) {
    const auto* packet = referral_packet(player);
    return packet != nullptr && packet->id == id;
}

std::optional<net::HostPort> referral_of(const PlayerFacts& player, Bytes frame) {
    auto said = read_referral(player, frame);
    auto* to = said ? field_of(&*said, "hostTo") : nullptr;
    const auto* host = field_of(to, "host");
    const auto* port = field_of(to, "port");
    if (host == nullptr || port == nullptr) return {};
    const auto* name = host->as<std::string>();
    const auto* number = port->as<std::int64_t>();
    if (name == nullptr || name->empty() || number == nullptr) return {};
    return net::HostPort{*name, static_cast<std::uint16_t>(*number)};
}

Result<Buffer> with_referral(const PlayerFacts& player, Bytes frame, const net::HostPort& to) {
    auto said = read_referral(player, frame);
    if (!said || !referral_of(player, frame)) return fail(Errc::bad_value, "the referral cannot be read");
    const auto& schema = protocol::schema_of(*likely_build(player));
    const auto& layout = *schema.packet(referral_packet(player)->id);
    // What is not understood must not be lost.
    Buffer same;
    TRY_DO(encode(layout, *said, same));
    if (!std::ranges::equal(same, frame.subspan(k_frame_header)))
        return fail(Errc::bad_value, "the referral is not as its build writes it");
    auto* place = field_of(&*said, "hostTo");
    *field_of(place, "host") = protocol::Value{to.host};
    // The wire has no sign for it, the schema does.
    *field_of(place, "port") = protocol::Value{std::int64_t{static_cast<std::int16_t>(to.port)}};
    Buffer payload;
    TRY_DO(encode(layout, *said, payload));
    protocol::PayloadFramer framer;
    TRY(const auto made, framer.frame(*referral_packet(player), payload));
    return Buffer(made.begin(), made.end());
}

Result<Buffer> disconnect_frame(const PlayerFacts& player, std::string_view reason) {
    return net::disconnect_frame(*likely_build(player), reason);
}

} // namespace orbis::proxy
