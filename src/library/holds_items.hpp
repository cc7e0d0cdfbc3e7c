#pragma once

#include "bson/view.hpp"

#include <string_view>

namespace orbis {

/// Calls `visit(component, name of the part, container, items)` for each list of items in the components of a
/// block until it returns false: `ItemContainerBlock` has one, `ProcessingBenchBlock` three.
template <typename Visit>
void for_each_item_list(const bson::Document& holder, Visit&& visit) {
    const auto components = holder.document("Components");
    if (!components) return;
    for (bson::Cursor at(*components); at.next();) {
        const auto component = at->document();
        if (!component) continue;
        for (bson::Cursor part(*component); part.next();) {
            const auto container = part->document();
            const auto items = container ? container->document("Items") : std::nullopt;
            if (items && !visit(*component, part->key(), *container, *items)) return;
        }
    }
}

/// Whether a block is a container, also an empty one.
inline bool holds_items(const bson::Document& holder) {
    bool found = false;
    for_each_item_list(holder, [&found](auto&&...) {
        found = true;
        return false;
    });
    return found;
}

} // namespace orbis
