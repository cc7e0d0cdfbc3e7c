#include "game/entities/entity_view.hpp"

#include "bytes/writer.hpp"
#include "packets/entities.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

namespace orbis::game {

Bytes EntityUpdater::payload(EntityView& view, const EntityTable& table, const Eye& eye) {
    if (!view.must_look_ && view.last_ == table.revision_ && view.eye_ == eye) return {};

    // Updates are appended after the largest head that there can be, and the head is put right before them.
    const auto room =
        packets::EntityUpdates::k_var_start + 2 * protocol::k_largest_varint + 4 * view.known_.size();
    out_.resize(room);
    updates_ = 0;
    met_.clear();
    if (marks_.size() < table.entities_.size()) marks_.resize(table.entities_.size());
    if (++pass_ == 0) { // once in four thousand million
        std::ranges::fill(marks_, Mark{});
        ++pass_;
    }
    for (const auto& known : view.known_)
        if (table.news_[known.slot].id == known.id) marks_[known.slot] = {pass_, 0};

    const auto own = table.slots_by_id_.find(eye.own);
    const auto own_slot = own == table.slots_by_id_.end() ? ~0U : own->second;
    if (own_slot != ~0U) meet(view, table, own_slot, true);
    const auto x1 = EntityTable::cell_of(eye.at.x - eye.radius);
    const auto x2 = EntityTable::cell_of(eye.at.x + eye.radius);
    const auto z1 = EntityTable::cell_of(eye.at.z - eye.radius);
    const auto z2 = EntityTable::cell_of(eye.at.z + eye.radius);
    const auto cells = (std::int64_t{x2} - x1 + 1) * (std::int64_t{z2} - z1 + 1);
    if (!eye.sees_others) {
        // Nobody else is met.
    } else if (cells < static_cast<std::int64_t>(table.cells_.size())) {
        for (auto x = x1; x <= x2; ++x)
            for (auto z = z1; z <= z2; ++z)
                if (const auto cell = table.cells_.find(EntityTable::cell_key(x, z));
                    cell != table.cells_.end())
                    look_at(view, table, cell->second.spots, eye, own_slot);
    } else {
        for (const auto& [key, cell] : table.cells_)
            if (cell.x >= x1 && cell.x <= x2 && cell.z >= z1 && cell.z <= z2)
                look_at(view, table, cell.spots, eye, own_slot);
    }

    // Those who were known and have not been met are gone. The head is written from its end to its start.
    std::uint32_t gone = 0;
    std::array<std::uint8_t, protocol::k_largest_varint> varint;
    auto* const end = out_.data() + room;
    auto* at = end;
    if (updates_ > 0) {
        const auto size = protocol::write_varint(varint.data(), updates_) - varint.data();
        at -= size;
        std::memcpy(at, varint.data(), static_cast<std::size_t>(size));
    }
    const auto* const updates = at;
    for (const auto& known : std::views::reverse(view.known_)) {
        const auto& mark = marks_[known.slot];
        if (table.news_[known.slot].id == known.id && mark.pass == pass_ && mark.state == 1) continue;
        at -= 4;
        store_le(at, std::to_underlying(known.id));
        ++gone;
    }
    if (gone > 0) {
        const auto size = protocol::write_varint(varint.data(), gone) - varint.data();
        at -= size;
        std::memcpy(at, varint.data(), static_cast<std::size_t>(size));
    }

    std::swap(view.known_, met_);
    view.last_ = table.revision_;
    view.eye_ = eye;
    view.must_look_ = false;
    view.owes_own_ = !eye.sees_others;
    if (gone == 0 && updates_ == 0) return {};
    const auto offset = static_cast<std::int32_t>(updates - at);
    at -= packets::EntityUpdates::k_var_start;
    at[0] = static_cast<std::uint8_t>((gone > 0 ? 1 : 0) | (updates_ > 0 ? 2 : 0));
    store_le(at + 1, gone > 0 ? 0 : -1);
    store_le(at + 5, updates_ > 0 ? offset : -1);
    return Bytes(out_).subspan(static_cast<std::size_t>(at - out_.data()));
}

void EntityUpdater::look_at(EntityView& view, const EntityTable& table,
                            const std::vector<EntityTable::Spot>& spots, const Eye& eye,
                            std::uint32_t own_slot) {
    for (const auto& spot : spots) {
        const auto dx = spot.at.x - eye.at.x;
        const auto dy = spot.at.y - eye.at.y;
        const auto dz = spot.at.z - eye.at.z;
        if (!is_near_enough(dx * dx + dy * dy + dz * dz, spot.box_side, eye.radius)) continue;
        if (spot.slot == own_slot || (spot.is_for_builders && !eye.is_builder)) continue;
        meet(view, table, spot.slot, false);
    }
}

void EntityUpdater::meet(EntityView& view, const EntityTable& table, std::uint32_t slot, bool own) {
    auto& mark = marks_[slot];
    const auto is_known = mark.pass == pass_;
    mark = {pass_, 1};
    const auto& news = table.news_[slot];
    met_.push_back({news.id, slot});
    if (!is_known) {
        const auto reader = own ? EntityTable::Reader::own_first : EntityTable::Reader::other;
        updates_ += table.write_all(slot, reader, view.wording_, out_) ? 1U : 0U;
        return;
    }
    if (own && view.owes_own_) {
        updates_ += table.write_all(slot, EntityTable::Reader::own, view.wording_, out_) ? 1U : 0U;
        return;
    }
    if (news.changed <= view.last_) return;
    const bool is_alike = view.wording_ == nullptr || !view.wording_->differs_in(news.types);
    if (!own && news.changed == table.revision_ && view.last_ + 1 == table.revision_) {
        const auto update = is_alike ? Bytes(table.written_).subspan(news.begin, news.size)
                                     : table.last_update(slot, *view.wording_);
        out_.insert(out_.end(), update.begin(), update.end());
        updates_ += update.empty() ? 0U : 1U;
        return;
    }
    const auto reader = own ? EntityTable::Reader::own : EntityTable::Reader::other;
    updates_ += table.write_since(slot, view.last_, reader, view.wording_, out_) ? 1U : 0U;
}

Result<std::optional<net::OutgoingFrame>> EntityUpdater::frame(EntityView& view, const EntityTable& table,
                                                               const Eye& eye) {
    const auto bytes = payload(view, table, eye);
    if (bytes.empty()) return std::optional<net::OutgoingFrame>();
    TRY(auto made, net::OutgoingFrame::make(framer_, packets::EntityUpdates::k_info, bytes));
    if (view.wording_ != nullptr) made.set_words(view.wording_->dialect());
    return std::optional(std::move(made));
}

} // namespace orbis::game
