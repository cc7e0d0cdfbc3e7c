#include "inspect/latency.hpp"

#include <algorithm>
#include <optional>

namespace orbis::inspect {

namespace {

std::optional<std::int64_t> integer_of(const protocol::Value& packet, std::string_view field) {
    const auto* value = packet.find(field);
    const auto* number = value != nullptr ? value->as<std::int64_t>() : nullptr;
    if (number == nullptr) return {};
    return *number;
}

/// Which kind of answer a `Pong` is, by the name of its type.
std::optional<Latency::Kind> kind_of_pong(const protocol::Value& packet) {
    const auto* value = packet.find("type");
    const auto* symbol = value != nullptr ? value->as<protocol::Value::Symbol>() : nullptr;
    if (symbol == nullptr || symbol->index >= symbol->enumeration->values.size()) return {};
    const auto& word = symbol->enumeration->values[symbol->index];
    if (word == "Raw") return Latency::Kind::raw;
    if (word == "Direct") return Latency::Kind::direct;
    if (word == "Tick") return Latency::Kind::tick;
    return {};
}

} // namespace

std::string_view Latency::name(Kind kind) {
    switch (kind) {
    case Kind::raw: return "raw";
    case Kind::direct: return "direct";
    case Kind::tick: return "tick";
    case Kind::client: return "client";
    case Kind::server: return "server";
    }
    return {};
}

Latency::State& Latency::state_of(std::uint64_t player) {
    if (auto* known = states_.find(player)) return *known;
    return states_.put(player, {});
}

void Latency::keep(State& state, const Sample& sample) {
    state.samples.push_back(sample);
    if (state.samples.size() > k_most_samples) state.samples.pop_front();
}

void Latency::add(std::uint64_t player, const Sample& sample) { keep(state_of(player), sample); }

void Latency::add(const capture::Record& record, capture::RecordDecoder& decoder) {
    const auto* packet = capture::packet_of(record);
    const bool is_ping = packet != nullptr && packet->name == "Ping" && record.to == protocol::Side::client;
    const bool is_pong = packet != nullptr && packet->name == "Pong" && record.to == protocol::Side::server;
    if (!is_ping && !is_pong) return;
    const auto value = decoder.value(record);
    const auto id = value ? integer_of(**value, "id") : std::nullopt;
    if (!id) return;
    auto& state = state_of(record.session);
    if (is_ping) {
        state.waiting.push_back({*id, record.time});
        if (state.waiting.size() > k_most_waiting) state.waiting.pop_front();
        return;
    }
    const auto kind = kind_of_pong(**value);
    if (!kind) return;
    const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(*kind));
    for (auto& ping : state.waiting)
        if (ping.id == *id && (ping.answered & bit) == 0 && record.time >= ping.time) {
            ping.answered = static_cast<std::uint8_t>(ping.answered | bit);
            keep(state, {record.time, *kind, record.time - ping.time});
            return;
        }
}

std::vector<Latency::Player> Latency::players() const {
    std::vector<Player> all;
    states_.for_each([&](std::uint64_t player, const State& state) {
        if (!state.samples.empty()) all.push_back({player, {state.samples.begin(), state.samples.end()}});
    });
    std::ranges::sort(all, {}, &Player::player);
    return all;
}

} // namespace orbis::inspect
