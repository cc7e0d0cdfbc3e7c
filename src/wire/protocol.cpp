#include "orbis/wire/protocol.hpp"

#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/missing_fields.hpp"
#include "protocol/value_json.hpp"
#include "wire/inside.hpp"

namespace orbis::wire {

namespace {

const BuildState& usual_build() {
    static const auto& state = BuildState::of(*protocol::find_build(protocol::k_default_build));
    return state;
}

} // namespace

PacketInfo public_info(const protocol::PacketInfo& info) {
    static_assert(static_cast<int>(Receiver::client) == static_cast<int>(protocol::Direction::to_client)
                  && static_cast<int>(Receiver::server) == static_cast<int>(protocol::Direction::to_server)
                  && static_cast<int>(Receiver::both) == static_cast<int>(protocol::Direction::both)
                  && static_cast<int>(Receiver::unstated) == static_cast<int>(protocol::Direction::unstated));
    return {info.name,
            info.id,
            info.category,
            static_cast<Receiver>(info.direction),
            protocol::name(info.channel),
            info.compressed,
            info.smallest,
            info.largest};
}

Result<Packet> decode_payload(const PacketEntry& entry, Bytes payload, Reading reading) {
    auto rules = entry.build->rules;
    if (reading == Reading::keep)
        return Inside::packet(entry, protocol::decode_what_parses(*entry.layout, payload, rules));
    rules.strict = reading == Reading::strict;
    auto state = PacketState::make(entry);
    auto& value = state->value;
    Result<Packet> packet =
        Inside::packet(std::move(state)); // in its place, before there is something to wait for
    if (const auto failure = protocol::decode_into(value, *entry.layout, payload, rules))
        packet = fail(failure->error());
    return packet;
}

Protocol::Protocol() : state_(&usual_build()) {}

Result<Protocol> Protocol::of(std::string_view build) {
    if (const auto* found = protocol::find_build(build)) return Protocol(BuildState::of(*found));
    return fail(protocol::find_schema(build).error()); // which names those that there are
}

std::vector<std::string> Protocol::builds() {
    std::vector<std::string> names;
    for (const auto& build : protocol::builds()) names.emplace_back(build.build);
    return names;
}

std::string_view Protocol::build() const { return state_->schema.build(); }

std::vector<PacketInfo> Protocol::packets() const {
    std::vector<PacketInfo> infos;
    infos.reserve(state_->entries.size());
    for (const auto& entry : state_->entries) infos.push_back(public_info(*entry.info));
    return infos;
}

Result<PacketInfo> Protocol::find(std::string_view name) const {
    TRY(const auto* entry, state_->look_up(name));
    return public_info(*entry->info);
}

Result<PacketInfo> Protocol::find(std::int32_t id) const {
    TRY(const auto* entry, state_->look_up(id));
    return public_info(*entry->info);
}

Result<Packet> Protocol::make(std::string_view name) const {
    TRY(const auto* entry, state_->look_up(name));
    return Inside::packet(*entry, protocol::plainest_value(*entry->layout));
}

Result<Packet> Protocol::make(std::string_view name, std::string_view json) const {
    TRY(const auto* entry, state_->look_up(name));
    TRY(const auto tree, protocol::JsonTree::parse(json));
    TRY(auto value, protocol::read_json(*entry->layout, tree));
    protocol::fill_missing_fields(value);
    return Inside::packet(*entry, std::move(value));
}

Result<Packet> Protocol::decode(std::string_view name, Bytes payload, Reading reading) const {
    if (const auto* entry = state_->find(name)) return decode_payload(*entry, payload, reading);
    return fail(state_->look_up(name).error());
}

Result<Packet> Protocol::decode(std::int32_t id, Bytes payload, Reading reading) const {
    TRY(const auto* entry, state_->look_up(id));
    return decode_payload(*entry, payload, reading);
}

} // namespace orbis::wire
