#pragma once

#include "bson/view.hpp"
#include "library/holds_items.hpp"
#include "map/holders.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orbis::query {

/// A stack of a container, in the bytes of its chunk.
struct StackView {
    bson::Document item;
    std::string_view id;
    std::int64_t quantity;
    std::string_view part; ///< of the container, such as `InputContainer` of a bench
    std::string_view slot;
    std::int64_t number; ///< counts all slots of the container
};

/// What a container is beside its stacks.
struct ContainerView {
    std::int64_t capacity = 0;
    std::string_view droplist; ///< what it is filled from when a player opens it; empty for none
};

inline double number_in(const bson::Document& document, std::string_view name) {
    const auto found = document.find(name);
    return found ? found->number().value_or(0) : 0;
}

inline std::string_view text_in(const bson::Document& document, std::string_view name) {
    const auto found = document.find(name);
    return found ? found->string().value_or(std::string_view()) : std::string_view();
}

/// The number of a slot; nothing where its name is none.
inline std::optional<std::int64_t> slot_number(std::string_view name) {
    std::int64_t slot = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), slot);
    if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
    return slot;
}

/// Calls `visit` with each stack of the components of a block, in order.
template <typename Visit>
ContainerView for_each_stack(const bson::Document& holder, Visit&& visit) {
    ContainerView found;
    double capacity = 0;
    std::int64_t number = 0;
    for_each_item_list(holder, [&](const bson::Document& component, std::string_view part,
                                   const bson::Document& container, const bson::Document& items) {
        capacity += std::clamp(number_in(container, "Capacity"), 0.0, 1e6);
        if (found.droplist.empty()) found.droplist = text_in(component, "Droplist");
        for (bson::Cursor slot(items); slot.next();) {
            const auto item = slot->document();
            const auto at = number++;
            const auto id = item ? text_in(*item, "Id") : std::string_view();
            if (!id.empty()) visit(StackView{*item, id, map::item_count(*item), part, slot->key(), at});
        }
        return true;
    });
    found.capacity = static_cast<std::int64_t>(capacity);
    return found;
}

} // namespace orbis::query
