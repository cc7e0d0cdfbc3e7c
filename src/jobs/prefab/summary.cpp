#include "jobs/prefab/summary.hpp"

#include "bson/view.hpp"
#include "chunk/components.hpp"
#include "chunk/palette.hpp"

#include <algorithm>

namespace orbis::jobs::prefab {

namespace {

template <typename Cell>
std::vector<Summary::Key> count_keys(const Prefab& prefab, const std::vector<Cell>& cells,
                                     std::uint64_t& empty) {
    std::vector<std::uint64_t> counts(prefab.keys.size());
    for (const auto& cell : cells) ++counts[cell.key];
    std::vector<Summary::Key> out;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto& name = prefab.keys[static_cast<std::uint32_t>(i)];
        if (name == chunk::k_empty_key)
            empty += counts[i];
        else if (counts[i] > 0)
            out.push_back({name, counts[i]});
    }
    std::ranges::sort(out, [](const auto& a, const auto& b) {
        return a.cells != b.cells ? a.cells > b.cells : a.name < b.name;
    });
    return out;
}

/// The stacks in all containers of a component.
std::uint64_t count_stacks(const bson::Document& component) {
    std::uint64_t stacks = 0;
    for (bson::Cursor at(component); at.next();) {
        const auto container = at->document();
        const auto items = container ? container->document("Items") : std::nullopt;
        if (items)
            for (bson::Cursor item(*items); item.next();) ++stacks;
    }
    return stacks;
}

void look_into(const bson::Document& holder, Summary& out) {
    for (const auto name : chunk::component_names(holder)) {
        ++out.components[std::string(name)];
        if (const auto component = chunk::component(holder, name)) out.items += count_stacks(*component);
    }
}

} // namespace

std::uint64_t Summary::solid_blocks() const {
    std::uint64_t all = 0;
    for (const auto& key : blocks) all += key.cells;
    return all;
}

Summary summarise(const Prefab& prefab, const world::Assets& assets) {
    Summary out;
    out.bounds = bounds_of(prefab);
    std::uint64_t ignored = 0;
    out.blocks = count_keys(prefab, prefab.blocks, out.empty_blocks);
    out.fluids = count_keys(prefab, prefab.fluids, ignored);
    out.filler_cells = static_cast<std::uint64_t>(std::ranges::count_if(
        prefab.blocks, [](const auto& block) { return static_cast<bool>(block.filler); }));
    for (const auto& bytes : prefab.components)
        if (const auto holder = bson::Document::open(bytes)) look_into(*holder, out);
    for (const auto& key : out.blocks) {
        const auto today =
            assets.migrations.apply(key.name, static_cast<std::size_t>(prefab.block_id_version));
        if (today != key.name) ++out.renamed;
        if (assets.block(today) == nullptr) out.unknown.push_back(key.name);
    }
    std::ranges::sort(out.unknown);
    return out;
}

} // namespace orbis::jobs::prefab
