#include "bytes/joined.hpp"
#include "bytes/json_writer.hpp"
#include "chunk/legacy_key.hpp"
#include "chunk/palette.hpp"
#include "jobs/prefab/json_format.hpp"

#include <algorithm>
#include <unordered_set>

namespace orbis::jobs::prefab {

namespace {

// The last versions that have these in the names of their blocks.
constexpr int k_last_with_fluid = 4;
constexpr int k_last_with_support = 5;
constexpr int k_last_with_filler = 6;
constexpr int k_last_with_rotation = 7;
constexpr std::size_t k_most_keys_noted = 3;

/// The game stores a roll in the pitch, and people have built what they saw.
Rotation as_the_game_turns(Rotation rotation) {
    return rotation.roll() == 0 ? rotation : Rotation::of_degrees(rotation.yaw(), rotation.roll());
}

struct OldName {
    chunk::LegacyKey parts;
    std::uint32_t block = 0; ///< in the keys of the prefab
    std::uint32_t fluid = 0;
    bool is_old = false;
};

OldName look_at(std::string key, int version, Names& keys) {
    OldName out;
    const bool is_fluid = version <= k_last_with_fluid && key.starts_with("Fluid_");
    out.is_old = is_fluid || key.find('|') != std::string::npos;
    if (!out.is_old) return out;
    out.parts = chunk::split_legacy_key(key);
    if (out.parts.block.empty()) { // a block needs a name, so this is one
        out.parts.whole = false;
        out.is_old = false;
        return out;
    }
    if (version > k_last_with_fluid && !out.parts.fluid.empty()) {
        out.parts.fluid.clear();
        out.parts.whole = false;
        if (key.starts_with("Fluid_")) out.parts.block = std::string_view(key).substr(0, key.find('|'));
    }
    out.block = keys.id_of(out.parts.block);
    if (!out.parts.fluid.empty()) out.fluid = keys.id_of(out.parts.fluid);
    out.parts.block = {}; // a view of the local key
    return out;
}

void note_odd_keys(Prefab& prefab, const std::vector<std::string>& odd) {
    if (odd.empty()) return;
    std::vector<std::string> some;
    for (const auto& key : odd)
        if (some.size() < k_most_keys_noted) some.push_back(json_quoted(key));
    prefab.notes.push_back(fmt::format("attributes of block names that are not known: {}{}",
                                       joined(some, ", "), odd.size() > some.size() ? " …" : ""));
}

} // namespace

void take_names_apart(Prefab& prefab, int version) {
    if (version > k_last_with_rotation) return;
    std::vector<OldName> names;
    std::vector<std::string> odd;
    const auto count = static_cast<std::uint32_t>(prefab.keys.size());
    for (std::uint32_t id = 0; id < count; ++id) {
        names.push_back(look_at(prefab.keys[id], version, prefab.keys));
        if (!names.back().parts.whole) odd.push_back(prefab.keys[id]);
    }
    const auto listed = prefab.fluids.size();
    for (auto& block : prefab.blocks) {
        const auto& name = names[block.key];
        if (!name.is_old) continue;
        block.key = name.block;
        block.rotation = as_the_game_turns(name.parts.rotation);
        if (version <= k_last_with_filler) block.filler = name.parts.filler;
        if (version <= k_last_with_support) block.support = name.parts.support;
        if (!name.parts.fluid.empty())
            prefab.fluids.push_back({block.at, name.fluid, name.parts.applied_level()});
    }
    // A fluid of the file's own list counts more than one in a name.
    if (listed > 0 && prefab.fluids.size() > listed) {
        std::unordered_set<std::int64_t> taken;
        for (std::size_t i = 0; i < listed; ++i) taken.insert(prefab.fluids[i].at.packed());
        const auto first = prefab.fluids.begin() + static_cast<std::ptrdiff_t>(listed);
        prefab.fluids.erase(
            std::remove_if(first, prefab.fluids.end(),
                           [&](const auto& fluid) { return taken.contains(fluid.at.packed()); }),
            prefab.fluids.end());
    }
    note_odd_keys(prefab, odd);
}

} // namespace orbis::jobs::prefab
