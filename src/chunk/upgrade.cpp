#include "chunk/upgrade.hpp"

#include <algorithm>
#include <cmath>

namespace orbis::chunk {

UpgradeReport& UpgradeReport::operator+=(const UpgradeReport& other) {
    sections_from_old_versions += other.sections_from_old_versions;
    sections_migrated += other.sections_migrated;
    renamed.insert(other.renamed.begin(), other.renamed.end());
    rotations += other.rotations;
    fillers += other.fillers;
    fluids += other.fluids;
    supports += other.supports;
    sections_moved = sections_moved || other.sections_moved;
    block_states_moved += other.block_states_moved;
    block_states_kept += other.block_states_kept;
    health_rewritten = health_rewritten || other.health_rewritten;
    sections_left += other.sections_left;
    keys_left.insert(other.keys_left.begin(), other.keys_left.end());
    return *this;
}

/// A friend of the chunk: the sections of an old chunk are upgraded in place.
class Upgrade {
public:
    Upgrade(Chunk& chunk, const Migrations& migrations) : chunk_(chunk), migrations_(migrations) {}

    Result<UpgradeReport> run() {
        for (const auto& section : *chunk_.sections_)
            if (auto key = section.key_to_lose(&migrations_)) report_.keys_left.insert(*std::move(key));
        const bool can_move = chunk_.columns_state_ != PartState::broken && report_.keys_left.empty()
                              && std::ranges::all_of(*chunk_.sections_, &Section::editable);
        if (chunk_.column_broken_ || (chunk_.sections_inside_ && !can_move)) {
            report_.sections_left = k_sections; // writing some of them would lose the others
        } else {
            for (int y = 0; y < k_sections; ++y) section(y);
            if (chunk_.sections_inside_) chunk_.moves_sections_ = report_.sections_moved = true;
        }
        TRY_DO(block_states());
        if (chunk_.health_state_ == PartState::decoded && chunk_.health_.version() < BlockHealth::k_version) {
            chunk_.health_.set(chunk_.health_.damaged(), chunk_.health_.fragile());
            report_.health_rewritten = true;
        }
        return std::move(report_);
    }

private:
    void section(int y) {
        auto& section = (*chunk_.sections_)[static_cast<std::size_t>(y)];
        if (section.block_state == PartState::absent) return;
        if (!section.editable() || section.key_to_lose(&migrations_)) {
            ++report_.sections_left;
            return;
        }
        const bool old_version = section.version < Section::k_version;
        const bool old_keys = section.migration_count < migrations_.count;
        if (!old_version && !old_keys) return;
        note_keys(section);
        section.modernise(&migrations_);
        report_.sections_from_old_versions += old_version ? 1 : 0;
        report_.sections_migrated += old_version ? 0 : 1;
    }

    void note_keys(const Section& section) {
        const auto cells = section.blocks.histogram();
        for (std::size_t i = 0; i < section.blocks.entries().size(); ++i) {
            const auto& key = section.blocks.entries()[i].value;
            auto today = migrations_.apply(key, section.migration_count);
            LegacyKey split;
            if (i < section.old_keys().size()) {
                split = split_legacy_key(today);
                today = split.block;
                if (split.rotation.index != 0) report_.rotations += cells[i];
                if (split.filler && section.version < 4) report_.fillers += cells[i];
                if (!split.fluid.empty()) report_.fluids += cells[i];
                if (split.support != 0) report_.supports += cells[i];
            }
            if (today != key) report_.renamed.emplace(key, today);
        }
    }

    static std::optional<std::int32_t> coordinate(const bson::Document& position, std::string_view axis) {
        constexpr double k_far = 1 << 30;
        const auto found = position.find(axis);
        const auto number = found ? found->number() : std::nullopt;
        if (!number || !(*number >= -k_far && *number <= k_far)) return std::nullopt;
        return static_cast<std::int32_t>(std::floor(*number));
    }

    /// Where the states of a holder stand; all of its components agree, as there is one.
    static std::optional<BlockIndex> place_of(const bson::Document& holder) {
        const auto components = holder.document("Components");
        if (!components) return std::nullopt;
        for (bson::Cursor at(*components); at.next();) {
            const auto state = at->document();
            const auto position = state ? state->document("Position") : std::nullopt;
            if (!position) continue;
            const auto x = coordinate(*position, "X");
            const auto y = coordinate(*position, "Y");
            const auto z = coordinate(*position, "Z");
            if (x && y && z) return BlockIndex(BlockPos{*x, *y, *z});
        }
        return std::nullopt;
    }

    Result<void> block_states() {
        const auto states = chunk_.old_block_states();
        if (states.empty()) return {};
        TRY(auto* components, chunk_.edit_block_components());
        for (const auto& holder : states) {
            const auto index = place_of(holder);
            if (!index || components->find(*index)) {
                ++report_.block_states_kept;
                continue;
            }
            TRY_DO(components->set(*index, Buffer(holder.bytes().begin(), holder.bytes().end())));
            ++report_.block_states_moved;
        }
        // While one is left, the list stays whole; the game no longer reads it.
        return report_.block_states_kept == 0 ? chunk_.remove_component("BlockStateChunk") : Result<void>();
    }

    Chunk& chunk_;
    const Migrations& migrations_;
    UpgradeReport report_;
};

Result<UpgradeReport> upgrade(Chunk& chunk, const Migrations& migrations) {
    return Upgrade(chunk, migrations).run();
}

} // namespace orbis::chunk
