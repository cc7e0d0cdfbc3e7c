#include "orbis/container.hpp"

#include "library/chunk_state.hpp"
#include "library/holds_items.hpp"
#include "map/holders.hpp"

#include <charconv>
#include <limits>

namespace orbis {
namespace {

const bson::Document& holder_of(ChunkState& chunk, std::size_t entry) {
    return chunk.model(ChunkState::Group::components).block_components().entries()[entry].holder;
}

int slot_of(std::string_view key) {
    int slot = -1;
    const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), slot);
    return problem == std::errc() && end == key.data() + key.size() && slot >= 0 ? slot : -1;
}

double number_in(const bson::Document& document, std::string_view key) {
    const auto found = document.find(key);
    return found ? found->number().value_or(0) : 0;
}

} // namespace

Block Container::block() const {
    const auto found = chunk_->model(ChunkState::Group::cells).block(position_);
    return {std::string(found.key), found.rotation, found.filler};
}

std::vector<Item> Container::items() const {
    std::vector<Item> found;
    for_each_item_list(holder_of(*chunk_, entry_),
                       [&](const auto&, std::string_view part, const auto&, const bson::Document& items) {
                           for (bson::Cursor slot(items); slot.next();) {
                               const auto item = slot->document();
                               const auto id = item ? item->find("Id") : std::nullopt;
                               const auto text = id ? id->string() : std::nullopt;
                               if (!text) continue;
                               auto& made = found.emplace_back();
                               made.id = *text;
                               made.quantity = map::item_count(*item);
                               made.slot = slot_of(slot->key());
                               made.part = part;
                               made.durability = number_in(*item, "Durability");
                               made.max_durability = number_in(*item, "MaxDurability");
                               if (const auto metadata = item->document("Metadata"))
                                   made.metadata = chunk_->json(*metadata);
                           }
                           return true;
                       });
    return found;
}

int Container::capacity() const {
    std::int64_t sum = 0;
    for_each_item_list(holder_of(*chunk_, entry_),
                       [&](const auto&, std::string_view, const bson::Document& container, const auto&) {
                           const auto found = container.find("Capacity");
                           const auto number = found ? found->integer().value_or(0) : 0;
                           if (number > 0) sum += std::min<std::int64_t>(number, 1 << 20);
                           return true;
                       });
    return static_cast<int>(std::min<std::int64_t>(sum, std::numeric_limits<int>::max()));
}

std::string Container::droplist() const {
    std::string list;
    for_each_item_list(holder_of(*chunk_, entry_),
                       [&](const bson::Document& component, std::string_view, const auto&, const auto&) {
                           const auto found = component.find("Droplist");
                           if (const auto text = found ? found->string() : std::nullopt) list = *text;
                           return list.empty();
                       });
    return list;
}

std::string Container::json() const {
    const auto& holder = holder_of(*chunk_, entry_);
    return chunk_->json(holder.document("Components").value_or(holder));
}

} // namespace orbis
