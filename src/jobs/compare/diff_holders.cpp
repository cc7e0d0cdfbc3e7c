#include "jobs/compare/diff_holders.hpp"

#include "bson/compare.hpp"

#include <algorithm>

namespace orbis::jobs {
namespace {

std::int32_t in_world(std::int32_t chunk, int inner) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(chunk) << 5
                                     | static_cast<std::uint32_t>(inner));
}

std::string text_at(const bson::Document& holder, std::initializer_list<std::string_view> path) {
    const auto found = holder.find_path(path);
    const auto text = found ? found->string() : std::nullopt;
    return text ? std::string(*text) : std::string();
}

double number_at(const bson::Document& holder, std::string_view axis) {
    const auto found = holder.find_path({"Components", "Transform", "Position", axis});
    return found ? found->number().value_or(0) : 0;
}

std::string uuid_text(std::string_view bytes) {
    if (bytes.size() != 16) return {};
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", static_cast<std::uint8_t>(bytes[i]));
    }
    return text;
}

bson::Document components_of(const bson::Document& holder) {
    return holder.document("Components").value_or(bson::Document());
}

std::vector<std::string> names_of(const bson::Document& holder) {
    std::vector<std::string> names;
    for (const auto name : chunk::component_names(holder)) names.emplace_back(name);
    std::ranges::sort(names);
    return names;
}

using Elements = std::vector<bson::Element>;

Elements sorted_elements(const bson::Document& document) {
    Elements elements;
    for (bson::Cursor at(document); at.next();) elements.push_back(at.element());
    std::ranges::stable_sort(elements, {}, [](const auto& element) { return element.key(); });
    return elements;
}

bool same_value(const bson::Element& a, const bson::Element& b) {
    if (a.type() != b.type()) return false;
    if (a.document()) return bson::same_content(*a.document(), *b.document());
    if (a.array()) return bson::same_content(*a.array(), *b.array());
    return std::ranges::equal(a.value(), b.value());
}

/// Entities by id; those without by their bytes.
std::vector<bson::Document> sorted_entities(const chunk::Entities& entities) {
    std::vector<bson::Document> holders(entities.holders().begin(), entities.holders().end());
    std::ranges::stable_sort(holders, [](const bson::Document& a, const bson::Document& b) {
        const auto left = entity_id(a);
        const auto right = entity_id(b);
        if (left != right) return left < right;
        return left.empty() && as_text(a.bytes()) < as_text(b.bytes());
    });
    return holders;
}

/// Less, equal or greater, as the sorting has it.
int order(const bson::Document& a, const bson::Document& b) {
    const auto left = entity_id(a);
    const auto right = entity_id(b);
    if (const auto by_id = left.compare(right); by_id != 0 || !left.empty()) return by_id;
    return as_text(a.bytes()).compare(as_text(b.bytes()));
}

} // namespace

BlockPos block_in(ChunkPos chunk, int y, CellIndex cell) {
    return {in_world(chunk.x, cell.x()), y * k_side + cell.y(), in_world(chunk.z, cell.z())};
}

BlockPos block_in(ChunkPos chunk, chunk::BlockIndex index) {
    return {in_world(chunk.x, index.x()), index.y(), in_world(chunk.z, index.z())};
}

std::vector<std::string> differing_names(const bson::Document& a, const bson::Document& b) {
    const auto left = sorted_elements(a);
    const auto right = sorted_elements(b);
    std::vector<std::string> names;
    const auto add = [&](const bson::Element& element) {
        if (names.empty() || names.back() != element.key()) names.emplace_back(element.key());
    };
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
        if (r == right.end() || (l != left.end() && l->key() < r->key())) {
            add(*l++);
        } else if (l == left.end() || r->key() < l->key()) {
            add(*r++);
        } else {
            if (!same_value(*l, *r)) add(*l);
            ++l;
            ++r;
        }
    }
    return names;
}

void diff_block_components(ChunkPos pos, const chunk::BlockComponents& a, const chunk::BlockComponents& b,
                           std::size_t most_details, ChunkDiff& out) {
    const auto left = a.entries();
    const auto right = b.entries();
    const auto add = [&](chunk::BlockIndex index, ChangeKind kind, std::vector<std::string> names) {
        ++out.components;
        out.columns.set(static_cast<std::size_t>(ColumnIndex(index.x(), index.z()).value));
        if (out.component_changes.size() < most_details)
            out.component_changes.push_back({block_in(pos, index), kind, std::move(names)});
    };
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
        if (r == right.end() || (l != left.end() && l->index < r->index)) {
            add(l->index, ChangeKind::removed, names_of(l->holder));
            ++l;
        } else if (l == left.end() || r->index < l->index) {
            add(r->index, ChangeKind::added, names_of(r->holder));
            ++r;
        } else {
            if (!bson::same_content(l->holder, r->holder))
                add(l->index, ChangeKind::changed,
                    differing_names(components_of(l->holder), components_of(r->holder)));
            ++l;
            ++r;
        }
    }
}

std::string_view entity_id(const bson::Document& holder) {
    const auto found = holder.find_path({"Components", "UUID", "UUID"});
    const auto binary = found ? found->binary() : std::nullopt;
    return binary ? as_text(binary->data) : std::string_view();
}

EntityChange describe_entity(const bson::Document& holder) {
    EntityChange out;
    out.uuid = uuid_text(entity_id(holder));
    out.x = number_at(holder, "X");
    out.y = number_at(holder, "Y");
    out.z = number_at(holder, "Z");
    out.what = text_at(holder, {"Components", "Nameplate", "Text"});
    if (out.what.empty()) out.what = text_at(holder, {"Components", "Item", "Item", "Id"});
    if (out.what.empty()) out.what = text_at(holder, {"Components", "Model", "Model", "Id"});
    if (out.what.empty()) out.what = text_at(holder, {"Components", "BlockEntity", "BlockTypeKey"});
    if (out.what.empty()) out.what = text_at(holder, {"Components", "SpawnMarkerComponent", "SpawnMarker"});
    return out;
}

void diff_entities(const chunk::Entities& a, const chunk::Entities& b, std::size_t most_details,
                   ChunkDiff& out) {
    const auto left = sorted_entities(a);
    const auto right = sorted_entities(b);
    const auto add = [&](const bson::Document& holder, ChangeKind kind, std::vector<std::string> names) {
        ++out.entities;
        if (out.entity_changes.size() >= most_details) return;
        auto change = describe_entity(holder);
        change.kind = kind;
        change.names = std::move(names);
        out.entity_changes.push_back(std::move(change));
    };
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
        const int which = l == left.end() ? 1 : r == right.end() ? -1 : order(*l, *r);
        if (which < 0) {
            add(*l, ChangeKind::removed, names_of(*l));
            ++l;
        } else if (which > 0) {
            add(*r, ChangeKind::added, names_of(*r));
            ++r;
        } else {
            if (!bson::same_content(*l, *r))
                add(*r, ChangeKind::changed, differing_names(components_of(*l), components_of(*r)));
            ++l;
            ++r;
        }
    }
}

} // namespace orbis::jobs
