#include "orbis/wire/packet.hpp"

#include "bytes/json_writer.hpp"
#include "bytes/near_names.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/missing_fields.hpp"
#include "protocol/value_json.hpp"
#include "wire/inside.hpp"

#include <atomic>
#include <charconv>

namespace orbis::wire {

namespace {

/// A value in a packet that is to be changed.
struct Place {
    protocol::Value* value;
    const protocol::Type* type;
    bool is_optional;
};

std::unexpected<Error> no_such_part(std::string_view path, std::string_view part,
                                    const protocol::Layout& layout) {
    std::vector<std::string_view> names;
    for (const auto& field : layout.fields) names.push_back(field.name);
    return fail(error(Errc::not_found, "{} has no field {}{}", layout.name, json_quoted(part),
                      did_you_mean(part, names))
                    .about(path));
}

Result<Place> part_of(protocol::Value& whole, const protocol::Type* type, std::string_view part,
                      std::string_view path) {
    if (auto* record = std::get_if<protocol::Value::Record>(&whole.content)) {
        const auto* field = record->layout->find(part);
        if (field == nullptr) return no_such_part(path, part, *record->layout);
        auto& value = record->fields[static_cast<std::size_t>(field - record->layout->fields.data())];
        return Place{&value, &field->type, field->is_nullable()};
    }
    if (auto* list = std::get_if<protocol::Value::List>(&whole.content)) {
        std::size_t index = 0;
        const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (problem != std::errc() || end != part.data() + part.size() || index >= list->size())
            return fail(error(Errc::out_of_range, "the list has {} elements, and none with the number {}",
                              list->size(), json_quoted(part))
                            .about(path));
        return Place{&(*list)[index], type->element, type->kind == protocol::Kind::sparse_list};
    }
    return fail(
        error(Errc::not_found, "only records and lists have parts, so there is no {}", json_quoted(part))
            .about(path));
}

Result<Place> place_of(const protocol::Layout& layout, protocol::Value& packet, std::string_view path) {
    if (!packet.as<protocol::Value::Record>())
        return fail(error(Errc::bad_value, "the packet was not readable").about(layout.name));
    Place place{&packet, nullptr, false};
    for (auto rest = path;;) {
        if (place.value->is_absent() && place.type->kind == protocol::Kind::structure)
            *place.value = protocol::plainest_value(*place.type->layout);
        const auto dot = rest.find('.');
        TRY(place, part_of(*place.value, place.type, rest.substr(0, dot), path));
        if (dot == std::string_view::npos) return place;
        rest.remove_prefix(dot + 1);
    }
}

struct TreeOfPlain {
    protocol::JsonTree::Content operator()(std::string_view text) const { return std::string(text); }
    protocol::JsonTree::Content operator()(Bytes) const { return nullptr; } // taken care of before
    protocol::JsonTree::Content operator()(auto value) const { return value; }
};

Result<protocol::Value> plain_value(const Place& place, const Plain& plain) {
    if (const auto* bytes = std::get_if<Bytes>(&plain)) {
        if (!place.type->is_bytes())
            return fail(Errc::bad_value, "expected {}, found bytes", place.type->text());
        return protocol::Value{Buffer(bytes->begin(), bytes->end())};
    }
    protocol::JsonTree tree;
    tree.content() = std::visit(TreeOfPlain(), plain);
    return protocol::read_json(*place.type, tree);
}

} // namespace

PacketState& Inside::own_state(Packet& packet) {
    if (packet.state_.use_count() > 1)
        packet.state_ = PacketState::make(*packet.state_);
    else // what other threads did with copies that are gone was before
        std::atomic_thread_fence(std::memory_order_acquire);
    return *packet.state_;
}

PacketInfo Packet::info() const { return public_info(*state_->entry->info); }
std::string_view Packet::name() const { return state_->entry->info->name; }
std::int32_t Packet::id() const { return state_->entry->info->id; }
Protocol Packet::protocol() const { return Inside::protocol(*state_->entry->build); }
Value Packet::value() const { return Inside::value_of(*this); }
Value Packet::operator[](std::string_view field) const { return value()[field]; }
std::string Packet::json() const { return value().json(); }

namespace {

/// Changes a copy of the path's first field, so that a failure leaves everything as it was.
template <typename Make>
Result<void> change(Packet& packet, std::string_view path, const Make& make) {
    const auto& before = Inside::state(packet);
    const auto& layout = *before.entry->layout;
    const auto first = path.substr(0, path.find('.'));
    const auto* field = layout.find(first);
    if (field == nullptr) return no_such_part(path, first, layout);
    const auto index = static_cast<std::size_t>(field - layout.fields.data());
    const auto* old = before.value.as<protocol::Value::Record>();
    if (old == nullptr) return fail(error(Errc::bad_value, "the packet was not readable").about(layout.name));
    protocol::Value::Record draft{&layout, std::vector<protocol::Value>(layout.fields.size())};
    draft.fields[index] = old->fields[index];
    protocol::Value changed{std::move(draft)};
    TRY(const auto place, place_of(layout, changed, path));
    TRY(*place.value, make(place));
    auto& fields = std::get<protocol::Value::Record>(Inside::own_state(packet).value.content).fields;
    fields[index] = std::move(std::get<protocol::Value::Record>(changed.content).fields[index]);
    return {};
}

} // namespace

Result<void> Packet::set(std::string_view path, const Plain& value) {
    return change(*this, path, [&](const Place& place) -> Result<protocol::Value> {
        if (std::holds_alternative<std::nullptr_t>(value) && place.is_optional) return protocol::Value();
        auto made = plain_value(place, value);
        if (!made) return fail(std::move(made).error().about(path));
        return made;
    });
}

Result<void> Packet::set_json(std::string_view path, std::string_view json) {
    TRY(const auto tree, protocol::JsonTree::parse(json));
    return change(*this, path, [&](const Place& place) -> Result<protocol::Value> {
        if (tree.is_null() && place.is_optional) return protocol::Value();
        auto made = protocol::read_json(*place.type, tree);
        if (!made) return fail(std::move(made).error().about(path));
        protocol::fill_missing_fields(*made);
        return made;
    });
}

Result<std::vector<std::uint8_t>> Packet::payload() const {
    Buffer out;
    TRY_DO(protocol::encode(*state_->entry->layout, state_->value, out));
    return out;
}

Result<std::vector<std::uint8_t>> Packet::frame() const {
    TRY(const auto bytes, payload());
    TRY(const auto frame, framed(*state_->entry, bytes));
    return Buffer(frame.begin(), frame.end());
}

bool Packet::operator==(const Packet& other) const {
    return state_ == other.state_
           || (state_->entry == other.state_->entry && state_->value == other.state_->value);
}

Result<Bytes> framed(const PacketEntry& entry, Bytes payload) {
    thread_local protocol::PayloadFramer framer;
    return framer.frame(*entry.info, payload);
}

} // namespace orbis::wire
