#include "game/replay/server_script.hpp"

#include "capture/record_decoder.hpp"
#include "game/replay/login_packets.hpp"
#include "net/quic_link.hpp"
#include "packets/assets.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace orbis::game {

namespace {

/// More than any build has; a capture may claim any number.
constexpr std::size_t k_most_kinds = 4096;
/// The streams that a server opens; a capture may claim any.
constexpr std::int64_t k_most_streams = 64;
/// No client takes more.
constexpr std::size_t k_largest_replayed = 128 << 20;

/// Without which a client does not go on, the first time.
constexpr auto k_required = std::to_array<std::int32_t>(
    {login::k_connect, login::k_player_answer, login::k_request_assets, login::k_options, login::k_ready});

/// What a server that asks for neither account nor password does not say.
constexpr auto k_of_login = std::to_array<std::int32_t>(
    {login::k_auth_grant, login::k_password_accepted, login::k_password_rejected});

bool is_one_of(std::span<const std::int32_t> ids, std::int32_t id) {
    return std::ranges::find(ids, id) != ids.end();
}

/// The stream that a frame was on; nothing for one that servers do not have.
std::optional<std::int64_t> stream_of_record(const capture::Record& record) {
    auto stream = record.stream;
    if (stream < 0) { // over TCP, or in a capture of another program
        const auto* packet = capture::packet_of(record);
        const auto usual = packet != nullptr ? packet->channel : protocol::Channel::normal;
        stream = net::stream_of(record.channel.value_or(usual));
    }
    const bool is_own = stream % 4 == 3 && stream / 4 < k_most_streams;
    if (stream != 0 && !is_own) return {};
    return stream;
}

} // namespace

Result<ServerScript> ServerScript::open(const ConnectionWanted& wanted,
                                        const CapturedConnection& connection) {
    TRY(auto reader, capture::CaptureReader::open(wanted.capture));
    reader.set_usual_build(wanted.build);
    return ServerScript(std::move(reader), connection);
}

std::string ServerScript::packet_name(std::int32_t id) const {
    const auto* packet =
        connection_.build != nullptr ? protocol::schema_of(*connection_.build).registry().find(id) : nullptr;
    return packet != nullptr ? std::string(packet->name) : fmt::format("packet {}", id);
}

std::optional<ServerStep> ServerScript::next() {
    while (!is_over_) {
        auto read = reader_.next();
        if (!read) damage_ = std::move(read).error();
        if (damage_ || !*read) break;
        const auto& record = **read;
        const auto number = reader_.facts().records;
        if (record.session != connection_.player || number < connection_.connect || !record.to) continue;
        const bool is_heard = *record.to == protocol::Side::server;
        if (is_heard && record.id() == login::k_connect && number > connection_.connect) break; // another one
        if (auto step = is_heard ? heard(record) : said(record)) return step;
    }
    is_over_ = true;
    return {};
}

std::optional<ServerStep> ServerScript::heard(const capture::Record& record) {
    const auto id = record.id();
    if (id < 0 || id == login::k_goodbye || id == login::k_auth_token || id == login::k_password) return {};
    if (!heard_.contains(id) && heard_.size() >= k_most_kinds) return {};
    ServerStep step;
    step.kind = ServerStep::Kind::wait;
    step.time = record.time;
    step.packet = id;
    step.count = ++heard_[id];
    step.is_required = step.count == 1 && is_one_of(k_required, id);
    return step;
}

std::optional<ServerStep> ServerScript::said(const capture::Record& record) {
    const auto id = record.id();
    ServerStep step;
    step.time = record.time;
    step.packet = id;
    if (id == login::k_accept || id == login::k_server_token) {
        if (!std::exchange(is_accepted_, true)) {
            step.packet = login::k_accept;
            step.frame = login::k_accept_frame;
            return step;
        }
    }
    const auto stream = stream_of_record(record);
    const bool is_refused = id == login::k_accept || id == login::k_server_token || is_one_of(k_of_login, id);
    if (id == login::k_referral) has_referral_ = true;
    if (is_refused || id == login::k_referral || !stream || !record.is_whole()
        || record.left_out == capture::LeftOut::payload || record.frame.size() > k_largest_replayed) {
        ++left_out_;
        return {};
    }
    const auto* packet = capture::packet_of(record);
    step.stream = *stream;
    step.frame = record.frame;
    step.is_world = id == login::k_join_world;
    step.is_named = packet != nullptr && packet->category == packets::UpdateBlockTypes::k_info.category;
    // Later builds have an id for it that others may use for something else.
    step.is_goodbye = id == login::k_goodbye || (packet != nullptr && packet->name == "ServerDisconnect");
    return step;
}

} // namespace orbis::game
