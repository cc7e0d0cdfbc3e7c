#include "chunk/section.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace orbis::chunk {

namespace {

/// Versions up to this one have attributes in their keys.
constexpr int k_last_legacy_keys = 4;

std::int16_t following(std::int16_t counter) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(counter) + 1U);
}

bool check_end(const Reader& in, std::string_view what, Error& problem) {
    if (in.remaining() == 0) return true;
    problem = error(Errc::bad_value, "{} bytes follow the {}", in.remaining(), what).at(in.position());
    return false;
}

} // namespace

void Section::reset() {
    block_state = fluid_state = physics_state = PartState::absent;
    has_holder = has_marker = partly_read = false;
    version = k_version;
    migration_count = 0;
    local_counter = global_counter = 0;
    counters_changed = modernised = has_checked_rest = false;
    rest_ = {};
    blocks.reset();
    ticking.reset();
    fillers.reset();
    rotations.reset();
    local_light.reset();
    global_light.reset();
    fluids.reset();
    levels.reset();
    supports.reset();
    legacy_.clear();
}

BlockState Section::block_at(CellIndex cell) const {
    if (legacy_.empty()) return {blocks.at(cell), {rotations.at(cell)}, {fillers.at(cell)}};
    const auto entry = blocks.entry_at(cell);
    if (entry >= legacy_.size()) return {k_empty_key, {}, {fillers.at(cell)}};
    const auto& key = legacy_[entry];
    return {key.block, key.rotation, version >= k_last_legacy_keys ? Filler{fillers.at(cell)} : key.filler};
}

FluidState Section::fluid_at(CellIndex cell) const {
    const FluidState own{fluids.at(cell), levels.at(cell)};
    if (legacy_.empty() || own.key != k_empty_key) return own;
    const auto entry = blocks.entry_at(cell);
    if (entry >= legacy_.size() || legacy_[entry].fluid.empty()) return own;
    return {legacy_[entry].fluid, legacy_[entry].applied_level()};
}

std::uint8_t Section::support_at(CellIndex cell) const {
    const auto own = supports.at(cell);
    if (legacy_.empty() || own != 0) return own;
    const auto entry = blocks.entry_at(cell);
    return entry < legacy_.size() ? legacy_[entry].support : std::uint8_t{0};
}

bool Section::keys_have_fillers() const {
    return has_filler_keys()
           && std::ranges::any_of(legacy_, [](const auto& key) { return static_cast<bool>(key.filler); });
}

bool Section::keys_have_fluids() const {
    return std::ranges::any_of(legacy_, [](const auto& key) { return !key.fluid.empty(); });
}

bool Section::keys_have_supports() const {
    return std::ranges::any_of(legacy_, [](const auto& key) { return key.support != 0; });
}

void Section::invalidate_light() {
    if (local_light_valid()) {
        local_counter = following(local_counter);
        counters_changed = true;
    }
    invalidate_global_light();
}

void Section::invalidate_global_light() {
    if (!global_light_valid()) return;
    global_counter = following(global_counter);
    counters_changed = true;
}

bool Section::block_changed() const {
    return counters_changed || modernised || blocks.changed() || ticking.changed() || fillers.changed()
           || rotations.changed() || local_light.changed() || global_light.changed();
}

bool Section::keeps_rest() const {
    return !rest_.empty() && (blocks.kind() != PaletteKind::empty) == rest_ticks_ && !ticking.changed()
           && !fillers.changed() && !rotations.changed() && !local_light.changed() && !global_light.changed();
}

bool Section::editable() const {
    for (const auto state : {block_state, fluid_state, physics_state})
        if (state != PartState::decoded && state != PartState::absent) return false;
    return !partly_read;
}

bool Section::read_block(Bytes data, int stored_version, Parts parts, Error& problem,
                         const Section* checked) {
    Reader in(data);
    if (!read_block(in, stored_version, parts, problem, checked)) return false;
    return partly_read || check_end(in, "change counters", problem);
}

bool Section::read_block(Reader& in, int stored_version, Parts parts, Error& problem,
                         const Section* checked) {
    version = stored_version;
    legacy_.clear();
    if (stored_version < 0 || stored_version > k_version) {
        problem =
            error(Errc::unsupported, "Block of version {}, expected 0 to {}", stored_version, k_version);
        return false;
    }
    migration_count = stored_version >= 6 ? in.be<std::int32_t>() : 0;
    if (!blocks.read(in, problem)) return false;
    if (stored_version <= k_last_legacy_keys)
        for (const auto& entry : blocks.entries()) legacy_.push_back(split_legacy_key(entry.value));
    partly_read = !parts.any(k_shapes | k_light);
    if (partly_read) return true;
    const auto rest = in.rest();
    rest_ticks_ = blocks.kind() != PaletteKind::empty;
    if (checked != nullptr && stored_version == k_version && checked->has_same_rest(rest, rest_ticks_)) {
        in.skip(checked->rest_.size());
        has_checked_rest = true;
        return read_counters(in, problem);
    }
    if (blocks.kind() != PaletteKind::empty && !ticking.read(in, problem)) return false;
    if (stored_version >= 4 && !fillers.read(in, problem)) return false;
    if (stored_version >= 5 && !rotations.read(in, problem)) return false;
    partly_read = !parts.has(k_light);
    if (partly_read) return true;
    // Where nothing shines in from beside, the global light is the local one.
    if (!local_light.read(in, problem, checked == nullptr ? nullptr : &checked->local_light)
        || !global_light.read(in, problem, checked == nullptr ? &local_light : &checked->global_light))
        return false;
    if (stored_version > k_last_legacy_keys) rest_ = rest.first(rest.size() - in.remaining());
    return read_counters(in, problem);
}

bool Section::has_same_rest(Bytes stored, bool ticks) const {
    return keeps_rest() && rest_ticks_ == ticks && stored.size() >= rest_.size()
           && as_text(stored.first(rest_.size())) == as_text(rest_);
}

bool Section::read_counters(Reader& in, Error& problem) {
    local_counter = in.be<std::int16_t>();
    global_counter = in.be<std::int16_t>();
    if (in.ok()) return true;
    problem = error(Errc::truncated, "the section ends before its change counters").at(in.position());
    return false;
}

bool Section::read_fluid(Bytes data, Error& problem) {
    Reader in(data);
    return fluids.read(in, problem) && levels.read(in, problem) && check_end(in, "fluid levels", problem);
}

bool Section::read_physics(Bytes data, Error& problem) {
    Reader in(data);
    return supports.read(in, problem) && check_end(in, "supports", problem);
}

bool Section::modernise(const Migrations* migrations) {
    const int wanted = migrations == nullptr ? migration_count : migrations->count;
    if (version == k_version && (migrations == nullptr || migration_count >= wanted)) return false;
    if (version <= k_last_legacy_keys) {
        split_keys(migrations);
    } else if (migrations != nullptr) {
        const auto from = migration_count;
        blocks.rename([&](const KeyPalette::Entry& entry) { return migrations->apply(entry.value, from); });
    }
    version = k_version;
    migration_count = wanted;
    modernised = true;
    return true;
}

std::optional<std::string> Section::key_to_lose(const Migrations* migrations) const {
    if (version > k_last_legacy_keys) return std::nullopt;
    for (const auto& entry : blocks.entries()) {
        const auto key = migrations == nullptr ? entry.value : migrations->apply(entry.value, 0);
        if (!split_legacy_key(key).whole) return std::string(key);
    }
    return std::nullopt;
}

/// Old keys are migrated as a whole, with their attributes, as the game does it.
void Section::split_keys(const Migrations* migrations) {
    std::vector<std::uint16_t> cells(k_cells);
    blocks.expand(std::span<std::uint16_t, k_cells>(cells));
    legacy_.clear();
    std::vector<std::uint8_t> new_rotations;
    std::vector<std::uint16_t> new_fillers;
    bool has_liquid = false;
    for (const auto& entry : blocks.entries()) {
        const auto key = migrations == nullptr ? entry.value : migrations->apply(entry.value, 0);
        const auto& split = legacy_.emplace_back(split_legacy_key(key));
        new_rotations.push_back(split.rotation.index);
        new_fillers.push_back(split.filler.stored);
        has_liquid = has_liquid || !split.fluid.empty() || split.support != 0;
    }
    new_rotations.push_back(0); // for cells without an entry
    new_fillers.push_back(0);
    rotations.assign(std::span<const std::uint16_t, k_cells>(cells), new_rotations);
    if (version < k_last_legacy_keys)
        fillers.assign(std::span<const std::uint16_t, k_cells>(cells), new_fillers);
    for (int i = 0; i < k_cells && has_liquid; ++i) {
        const CellIndex cell(i);
        const auto fluid = fluid_at(cell);
        const std::string key(fluid.key);
        fluids.set(cell, key);
        levels.set(cell, fluid.level);
        supports.set(cell, support_at(cell));
    }
    // Entries may change places while the palette is edited, so the new names go by the old keys.
    std::unordered_map<std::string, std::string> names;
    for (std::size_t i = 0; i < legacy_.size(); ++i)
        names.emplace(blocks.entries()[i].value, std::string(legacy_[i].block));
    blocks.rename([&](const KeyPalette::Entry& entry) -> std::string_view {
        const auto found = names.find(std::string(entry.value));
        return found == names.end() ? entry.value : std::string_view(found->second);
    });
    legacy_.clear();
}

void Section::append_block(Buffer& buffer) const {
    Writer out(buffer);
    out.be(migration_count);
    blocks.append_to(buffer);
    if (keeps_rest()) {
        buffer.insert(buffer.end(), rest_.begin(), rest_.end());
    } else {
        if (blocks.kind() != PaletteKind::empty) ticking.append_to(buffer);
        fillers.append_to(buffer);
        rotations.append_to(buffer);
        local_light.append_to(buffer);
        global_light.append_to(buffer);
    }
    out.be(local_counter);
    out.be(global_counter);
}

void Section::append_fluid(Buffer& out) const {
    fluids.append_to(out);
    levels.append_to(out);
}

void Section::append_physics(Buffer& out) const { supports.append_to(out); }

std::vector<Error> Section::check() const {
    std::vector<Error> found;
    const auto note = [&](std::string_view part, Result<void> checked) {
        if (!checked) found.push_back(std::move(checked.error()).about(part));
    };
    note("blocks", blocks.check());
    note("fillers", fillers.check());
    note("rotations", rotations.check());
    note("fluids", fluids.check());
    if (ticking.count() != ticking.stored_count() && !ticking.changed())
        found.push_back(error(Errc::mismatch, "{} ticking cells, but {} are stated", ticking.count(),
                              ticking.stored_count())
                            .about("ticking"));
    for (const auto& entry : rotations.entries())
        if (!Rotation{entry.value}.valid())
            found.push_back(error(Errc::out_of_range, "rotation {}, expected at most 63", entry.value)
                                .about("rotations"));
    std::size_t contradictions = 0;
    if (fluids.kind() != PaletteKind::empty || levels.present())
        for (int i = 0; i < k_cells; ++i)
            contradictions +=
                (fluids.at(CellIndex(i)) == k_empty_key) != (levels.at(CellIndex(i)) == 0) ? 1U : 0U;
    if (contradictions > 0)
        found.push_back(error(Errc::mismatch,
                              "{} cells have a fluid without a level or a level without a fluid",
                              contradictions)
                            .about("fluids"));
    return found;
}

} // namespace orbis::chunk
