#include "game/entities/wording.hpp"

#include "packets/entities.hpp"
#include "protocol/packet_codec.hpp"
#include "protocol/schema.hpp"
#include "protocol/translation.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

namespace orbis::game {
namespace {

using protocol::Dialect;
using protocol::Layout;
using protocol::Schema;

constexpr std::string_view k_component_union = "ComponentUpdate";
constexpr std::size_t k_whole_transform = 1 + packets::TransformUpdate::k_fixed; ///< with its type
constexpr std::uint8_t k_all_transform_parts = 7;

/// What stands before the only component of the only entity of a packet.
Bytes component_head() {
    static const Buffer head = [] {
        const auto made = make_component(packets::IntangibleUpdate{}).value();
        packets::EntityUpdate entity;
        const packets::ComponentUpdate update = packets::IntangibleUpdate{};
        entity.updates = protocol::List<packets::ComponentUpdate>(&update, 1);
        packets::EntityUpdates packet;
        packet.updates = protocol::List<packets::EntityUpdate>(&entity, 1);
        protocol::PayloadWriter writer;
        const auto payload = writer.write(packet).value();
        return Buffer(payload.begin(), payload.end() - static_cast<std::ptrdiff_t>(made.bytes.size()));
    }();
    return head;
}

/// Whether all fields are at the same places, whatever lists of them have inside.
bool has_same_frame(const Layout& ours, const Layout& theirs) {
    return ours.var_start == theirs.var_start
           && std::ranges::equal(ours.fields, theirs.fields, [](const auto& a, const auto& b) {
                  return a.name == b.name && a.null_bit == b.null_bit && a.at == b.at
                         && a.slot_at == b.slot_at && a.type.kind == b.type.kind;
              });
}

/// The kinds of components by their numbers; null if there are none.
const std::vector<std::string>* component_types(const Schema& schema) {
    const auto found = schema.enumerations().find("ComponentUpdateType");
    return found == schema.enumerations().end() ? nullptr : &found->second.values;
}

/// Whether the kinds that both have are the first, with the same numbers: those of removed components.
bool has_same_numbers(const Schema& ours, const Schema& theirs) {
    const auto* usual = component_types(ours);
    const auto* other = component_types(theirs);
    if (usual == nullptr || other == nullptr) return false;
    const auto both = std::min(usual->size(), other->size());
    return std::ranges::equal(*usual | std::views::take(both), *other | std::views::take(both));
}

bool differs_in_components_only(const Dialect& dialect, const Dialect::Word& word) {
    const auto& ours = dialect.usual_schema();
    const auto& theirs = dialect.schema();
    const auto* update = ours.layout("EntityUpdate");
    const auto* other_update = theirs.layout("EntityUpdate");
    return word.usual->id == word.other->id && word.usual->compressed == word.other->compressed
           && word.usual->channel == word.other->channel && dialect.before(word.usual->id).empty()
           && has_same_frame(*word.usual_layout, *word.other_layout) && update != nullptr
           && other_update != nullptr && has_same_frame(*update, *other_update)
           && has_same_numbers(ours, theirs);
}

} // namespace

const Wording* Wording::of(const Dialect& dialect) {
    static std::mutex guard;
    static std::vector<std::pair<const Dialect*, std::unique_ptr<const Wording>>> made;
    static std::size_t count = 0;
    const std::lock_guard lock(guard);
    const auto found = std::ranges::find(made, &dialect, [](const auto& each) { return each.first; });
    if (found != made.end()) return found->second.get();
    const auto* word = dialect.said_by(protocol::Side::server, packets::EntityUpdates::k_info.id);
    std::unique_ptr<const Wording> wording;
    if (word != nullptr && differs_in_components_only(dialect, *word))
        wording.reset(new Wording(dialect, *word, count++));
    return made.emplace_back(&dialect, std::move(wording)).second.get();
}

Wording::Wording(const Dialect& dialect, const Dialect::Word& word, std::size_t number)
    : dialect_(dialect), word_(word), number_(number), kinds_(component_types(dialect.schema())->size()) {
    const auto& ours = dialect.usual_schema().unions();
    const auto& theirs = dialect.schema().unions();
    const auto there = theirs.find(k_component_union); // in the first builds it is a struct
    for (const auto& [id, layout] : ours.find(k_component_union)->second.types) {
        const protocol::Layout* other = nullptr;
        if (there != theirs.end())
            if (const auto found = there->second.types.find(id); found != there->second.types.end())
                other = found->second;
        // The table has no places that are not finite.
        const auto floats = static_cast<ComponentType>(id) == ComponentType::transform
                                ? protocol::Floats::finite
                                : protocol::Floats::any;
        if (other == nullptr || other->name != layout->name
            || !protocol::has_same_bytes(*layout, *other, floats))
            differing_ |= std::uint32_t{1} << static_cast<unsigned>(id);
    }
    if (differs(ComponentType::transform)) learn_transform();
}

void Wording::learn_transform() {
    const auto place = [](std::size_t seed) {
        Component component{.type = ComponentType::transform, .bytes = Buffer(k_whole_transform, 0)};
        component.bytes[0] = static_cast<std::uint8_t>(ComponentType::transform);
        component.bytes[1] = k_all_transform_parts;
        // Bytes below 64 make finite numbers, whatever their order.
        for (std::size_t i = 2; i < k_whole_transform; ++i)
            component.bytes[i] = static_cast<std::uint8_t>((i * 11 + seed) % 63 + 1);
        return component;
    };
    const auto one = place(0);
    auto said = translated(one);
    const auto found = std::ranges::search(said, Bytes(one.bytes).subspan(1));
    if (found.empty()) return;
    transform_at_ = static_cast<std::size_t>(found.begin() - said.begin());
    transform_ = std::move(said);
    for (const std::size_t seed : {1U, 20U, 62U}) {
        const auto other = place(seed);
        if (this->said(other) == translated(other)) continue;
        transform_.clear();
        return;
    }
}

Buffer Wording::said(const Component& component) const {
    if (!differs(component.type)) return component.bytes;
    const auto& bytes = component.bytes;
    if (component.type != ComponentType::transform || transform_.empty() || bytes.size() != k_whole_transform
        || bytes[1] != k_all_transform_parts)
        return translated(component);
    auto out = transform_;
    std::ranges::copy(Bytes(bytes).subspan(1), out.begin() + static_cast<std::ptrdiff_t>(transform_at_));
    return out;
}

Buffer Wording::translated(const Component& component) const {
    const auto head = component_head();
    Buffer payload(head.begin(), head.end());
    payload.insert(payload.end(), component.bytes.begin(), component.bytes.end());
    Buffer out;
    if (!dialect_.say(word_, payload, out) || out.size() <= head.size()
        || !std::ranges::equal(head, Bytes(out).first(head.size())))
        return {};
    return {out.begin() + static_cast<std::ptrdiff_t>(head.size()), out.end()};
}

} // namespace orbis::game
