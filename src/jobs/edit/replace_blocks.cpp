#include "jobs/edit/replace_blocks.hpp"

#include "bytes/reader.hpp"
#include "jobs/cells/cut_blocks.hpp"
#include "jobs/select/selection.hpp"
#include "world/migrations.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

namespace orbis::jobs {
namespace {

constexpr std::string_view k_state_mark = "_State_Definitions_";

/// The block that a state is of: `*X_State_Definitions_Y` is of `X`.
std::string_view base_key(std::string_view key) {
    std::size_t stars = 0;
    while (stars < key.size() && key[stars] == '*') ++stars;
    if (stars == 0) return key;
    auto base = key.substr(stars);
    return base.substr(0, base.find(k_state_mark));
}

bool is_shaped(const world::BlockType& type) {
    return type.draw_type == world::DrawType::model || type.draw_type == world::DrawType::cube_with_model;
}

/// What it becomes of each key, looked up once per key and thread.
class RuleTable {
public:
    /// A key that was met.
    struct Known {
        std::string_view key;
        std::optional<ReplacedKey> becomes; ///< nothing if no rule is about it
        Known* today = nullptr;             ///< its key of today, if it was stored
        std::int32_t stored = 0;            ///< with so many migrations
        std::uint64_t met = 0;              ///< number of the last palette in which it was counted

        [[nodiscard]] const ReplacedKey* replaced() const { return becomes ? &*becomes : nullptr; }
    };

    RuleTable(std::span<const Replacement> rules, const world::Assets& assets)
        : rules_(rules),
          assets_(assets),
          migrations_(assets.migrations.for_chunks()),
          empty_(&of(chunk::k_empty_key)) {}

    Known& of(std::string_view key) {
        auto& recent = recent_[place_of(key)];
        if (recent == nullptr || recent->key != key) recent = &find(key);
        return *recent;
    }
    [[nodiscard]] Known& of_empty() const { return *empty_; }

    /// The key of today for one that was stored with so many migrations.
    Known& today(Known& known, std::int32_t stored) {
        if (known.today == nullptr || known.stored != stored) {
            known.today = &of(migrations_.apply(known.key, stored));
            known.stored = stored;
        }
        return *known.today;
    }
    [[nodiscard]] std::int32_t migrations() const { return migrations_.count; }

    // Cells of one section, in memory that is kept from chunk to chunk.
    CellSet chosen;
    CellSet deep; ///< of which more than the key changes
    CellSet room;
    std::vector<std::string_view> keys; ///< of the entries of a palette
    std::vector<std::uint32_t> counts;  ///< and of their cells
    std::uint64_t palettes = 0;         ///< whose keys were counted

private:
    static constexpr std::size_t k_recent = 512;

    /// Where a key is remembered: hashing all of it would be most of what it takes to find it again.
    static std::size_t place_of(std::string_view key) {
        if (key.size() < 8) return key.size();
        const auto first = load_le<std::uint64_t>(as_bytes(key).data());
        const auto last = load_le<std::uint64_t>(as_bytes(key).data() + key.size() - 8);
        return ((first * 3 + last + key.size()) * 0x9E3779B97F4A7C15U) >> 55;
    }
    Known& find(std::string_view key) {
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        const auto made = known_.emplace(std::string(key), Known{{}, replaced_key(rules_, key, assets_)});
        made.first->second.key = made.first->first;
        return made.first->second;
    }

    std::span<const Replacement> rules_;
    const world::Assets& assets_;
    chunk::Migrations migrations_;
    std::unordered_map<std::string, Known, world::TextHash, std::equal_to<>> known_;
    std::array<Known*, k_recent> recent_{};
    Known* empty_;
};

/// What becomes of each entry of a section's palette of blocks, and of cells without one: null if it stays.
class SectionRules {
public:
    using Known = RuleTable::Known;

    /// Found when the palette is as it is now; `room` keeps the answers.
    SectionRules(const chunk::Section& section, RuleTable& table, std::vector<Known*>& room) {
        const auto entries = section.blocks.entries().size();
        const auto begin = room.size();
        for (std::size_t i = 0; i <= entries; ++i) {
            room.push_back(i < entries ? &table.of(section.block_key(i)) : &table.of_empty());
            any_ = any_ || room.back()->becomes;
        }
        known_ = {room.data() + begin, entries + 1};
    }
    SectionRules() = default;

    [[nodiscard]] bool any() const { return any_; }
    [[nodiscard]] const ReplacedKey* of(std::size_t entry) const { return known_[entry]->replaced(); }
    /// The key of an entry before it is replaced.
    [[nodiscard]] std::string_view key(std::size_t entry) const { return known_[entry]->key; }

    /// Whether an entry is replaced in such a way.
    template <typename IsWanted>
    [[nodiscard]] bool any(IsWanted&& is_wanted) const {
        return std::ranges::any_of(
            known_, [&](const auto* known) { return known->becomes && is_wanted(*known->becomes); });
    }

    /// Leaves the cells of entries that are replaced in such a way; whether there are any.
    template <typename IsWanted>
    bool keep(const chunk::Section& section, int y, CellSet& cells, IsWanted&& is_wanted) const {
        chunk::keep_cells(section.blocks, cells.edit(y),
                          [&](std::size_t entry) { return of(entry) != nullptr && is_wanted(*of(entry)); });
        cells.settle(y);
        return cells.any(y);
    }
    bool keep(const chunk::Section& section, int y, CellSet& cells) const {
        return keep(section, y, cells, [](const auto&) { return true; });
    }

    /// Whether rules are about other cells of a section as soon as it has the keys of today.
    [[nodiscard]] bool choose_others_today(RuleTable& table, std::int32_t stored) const {
        return std::ranges::any_of(known_.first(known_.size() - 1), [&](auto* known) {
            return table.today(*known, stored).becomes.has_value() != known->becomes.has_value();
        });
    }

    /// Whether a section that gets the keys of today and then the replaced ones is in the end as if it got
    /// these at once: with the keys of today its palette keeps its kind, so that all labels keep theirs.
    [[nodiscard]] bool can_look_ahead(const chunk::Section& section, RuleTable& table,
                                      std::span<const std::uint32_t> counts) const {
        const auto stored = section.migration_count;
        const auto entries = known_.first(known_.size() - 1);
        const bool is_empty =
            std::ranges::all_of(entries, [](const auto* known) { return known->key == chunk::k_empty_key; });
        if (is_empty || counts.back() != 0) return false;
        ++table.palettes;
        std::size_t values = 0;
        bool any_block = false;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            auto& today = table.today(*entries[i], stored);
            if (counts[i] == 0 || today.met == table.palettes) continue;
            today.met = table.palettes;
            ++values;
            any_block = any_block || today.key != chunk::k_empty_key;
        }
        return any_block && section.blocks.keeps_kind(values);
    }
    /// From here on it is about the keys of today, which the section does not have yet.
    void look_ahead(RuleTable& table, std::int32_t stored) {
        for (auto*& known : known_.first(known_.size() - 1)) known = &table.today(*known, stored);
    }

private:
    std::span<Known*> known_;
    bool any_ = false;
};

/// The same for all sections of a chunk.
class ChunkRules {
public:
    ChunkRules(const chunk::Chunk& chunk, RuleTable& table) {
        std::size_t entries = 0;
        for (int y = 0; y < k_sections; ++y) entries += chunk.section(y).blocks.entries().size() + 1;
        room_.reserve(entries); // so that it never moves
        for (int y = 0; y < k_sections; ++y) {
            sections_[index(y)] = SectionRules(chunk.section(y), table, room_);
            any_ = any_ || of(y).any();
        }
    }

    [[nodiscard]] bool any() const { return any_; }
    [[nodiscard]] const SectionRules& of(int y) const { return sections_[index(y)]; }
    void look_ahead(int y, RuleTable& table, std::int32_t stored) {
        sections_[index(y)].look_ahead(table, stored);
    }
    /// Again for one section, which has other keys now.
    void find_again(const chunk::Section& section, int y, RuleTable& table) {
        auto& room = renewed_[index(y)];
        room.clear();
        sections_[index(y)] = SectionRules(section, table, room);
    }

    /// Counts the cells of sections that rules are about; false if none is replaced.
    bool count(const chunk::Chunk& chunk) {
        bool any_cell = false;
        counts_.resize(room_.size());
        std::size_t begin = 0;
        for (int y = 0; y < k_sections; ++y) {
            const auto size = chunk.section(y).blocks.entries().size() + 1;
            section_counts_[index(y)] = std::span(counts_).subspan(begin, size);
            begin += size;
            if (!of(y).any()) continue;
            chunk.section(y).blocks.histogram(section_counts_[index(y)]);
            any_cell = any_cell || chosen(y) > 0;
        }
        return any_cell;
    }
    /// What was counted: cells of each entry, and without one.
    [[nodiscard]] std::span<const std::uint32_t> counts(int y) const { return section_counts_[index(y)]; }
    /// Cells of these that are replaced.
    [[nodiscard]] std::size_t chosen(int y) const {
        std::size_t sum = 0;
        for (std::size_t i = 0; of(y).any() && i < counts(y).size(); ++i)
            if (of(y).of(i) != nullptr) sum += counts(y)[i];
        return sum;
    }

private:
    static std::size_t index(int y) { return static_cast<std::size_t>(y); }

    std::array<SectionRules, k_sections> sections_;
    std::array<std::span<std::uint32_t>, k_sections> section_counts_;
    std::vector<RuleTable::Known*> room_;
    std::vector<std::uint32_t> counts_;
    std::array<std::vector<RuleTable::Known*>, k_sections> renewed_;
    bool any_ = false;
};

class ReplaceWork final : public ChunkWork {
public:
    ReplaceWork(std::shared_ptr<RuleTable> table, ChunkRules&& rules, const world::Assets& assets)
        : table_(std::move(table)), rules_(std::move(rules)), assets_(assets) {}

    [[nodiscard]] const ChunkRules& rules() const { return rules_; }

    std::uint64_t area = 0;
    bool is_whole = false; ///< no area and no mask leaves cells out

    Result<void> apply(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) override {
        counts.area += area;
        for (int y = 0; y < k_sections; ++y)
            if (const auto chosen = chooses_later ? rules_.chosen(y) : cells.count(y); chosen > 0)
                TRY_DO(section(chunk, y, chooses_later ? nullptr : &cells, chosen, counts));
        return {};
    }

    [[nodiscard]] bool is_chosen(const chunk::Chunk& chunk, BlockPos pos) const override {
        if (pos.y < 0 || pos.y >= k_world_height) return false;
        const int y = pos.y >> 5;
        return rules_.of(y).of(chunk.section(y).blocks.entry_at(pos.cell())) != nullptr;
    }

    void choose_now(const chunk::Chunk& chunk, CellSet& cells) const override {
        for (int y = 0; y < k_sections; ++y)
            if (rules_.of(y).any()) choose(chunk.section(y), y, cells);
    }

private:
    void choose(const chunk::Section& section, int y, CellSet& cells) const {
        cells.insert_all(y);
        rules_.of(y).keep(section, y, cells);
    }

    /// Without `cells` all that rules are about are meant, `chosen` of them.
    Result<void> section(chunk::Chunk& chunk, int y, const CellSet* cells, std::size_t chosen,
                         EditCounts& counts) {
        TRY(auto* section, chunk.edit_section(y));
        if (section->migration_count < table_->migrations()) TRY_DO(migrate(chunk, y, *section, cells));
        const bool has_other_keys = section->blocks.changed(); // those of today now
        if (has_other_keys) rules_.find_again(*section, y, *table_);
        counts.cells += chosen;
        if (!has_other_keys || cells == nullptr)
            counts.blocks += chosen;
        else if (choose(*section, y, cells, [](const auto&) { return true; }))
            counts.blocks += table_->room.count(y);
        TRY_DO(change_parts(chunk, y, *section, cells, counts));
        if (!is_whole)
            put_keys(*section, y, *cells);
        else
            rename(*section, y, has_other_keys || !chooses_later ? count(*section) : rules_.counts(y));
        if (section->blocks.kind() == chunk::PaletteKind::empty) section->ticking.clear();
        return {};
    }

    /// Gives a section the keys of today. Where they can be given together with the replaced ones, only the
    /// rules know them before.
    Result<void> migrate(chunk::Chunk& chunk, int y, chunk::Section& section, const CellSet*& cells) {
        const auto stored = section.migration_count;
        if (cells == nullptr) {
            const auto& rules = rules_.of(y);
            if (rules.choose_others_today(*table_, stored)) { // by the keys that it still has
                choose(section, y, table_->chosen);
                cells = &table_->chosen;
            } else if (rules.can_look_ahead(section, *table_, rules_.counts(y))) {
                rules_.look_ahead(y, *table_, stored);
                section.migration_count = table_->migrations();
                section.modernised = true;
                return {};
            }
        }
        TRY_DO(agree_on_keys(chunk, y, table_->migrations(), assets_));
        return {};
    }

    std::span<const std::uint32_t> count(const chunk::Section& section) {
        const auto entries = section.blocks.entries();
        auto& counts = table_->counts;
        counts.assign(entries.size() + 1, 0);
        if (section.blocks.changed()) // what was changed knows them, and has no cells without an entry
            std::ranges::transform(entries, counts.begin(), [](const auto& entry) { return entry.cells; });
        else
            section.blocks.histogram(counts);
        return counts;
    }

    void rename(chunk::Section& section, int y, std::span<const std::uint32_t> counts) {
        auto& keys = table_->keys;
        keys.clear();
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto* becomes = rules_.of(y).of(i);
            keys.push_back(becomes != nullptr ? std::string_view(becomes->to) : rules_.of(y).key(i));
        }
        section.blocks.rename(keys, counts);
    }

    /// Changes what a section has of its blocks besides their keys, while these still say which they were.
    Result<void> change_parts(chunk::Chunk& chunk, int y, chunk::Section& section, const CellSet* cells,
                              EditCounts& counts) {
        const auto is_deep = [](const auto& becomes) {
            return !becomes.keeps_parts || rotation_of(becomes) || !becomes.same_light
                   || !becomes.same_height;
        };
        auto& deep = table_->deep;
        if (!choose(section, y, cells, is_deep, deep)) return {};
        table_->room.clear();
        if (choose(section, y, &deep, [](const auto& becomes) { return !becomes.keeps_parts; })) {
            clear_fillers(section, table_->room.words(y));
            TRY_DO(remove_belongings(chunk, table_->room, counts));
        }
        for (const auto turned : rotations(section, y)) {
            const auto gets_it = [turned](const auto& becomes) { return rotation_of(becomes) == turned; };
            if (choose(section, y, &deep, gets_it)) section.rotations.fill(table_->room.words(y), turned);
        }
        const auto is_other_light = [](const auto& becomes) {
            return !becomes.same_light || !becomes.same_height;
        };
        const auto is_other_height = [](const auto& becomes) { return !becomes.same_height; };
        if (!choose(section, y, &deep, is_other_light)) return {};
        const bool has_heights = choose(section, y, &deep, is_other_height);
        return chunk.touch_blocks(y, has_heights ? table_->room.columns(y)
                                                 : std::array<std::uint32_t, k_side>{});
    }

    /// To edit a palette costs far more than to find out that none of these cells has a filler.
    static void clear_fillers(chunk::Section& section, chunk::ConstCellWords cells) {
        if (!has_fillers(section)) return;
        std::array<std::uint64_t, k_cells / 64> filled;
        std::ranges::copy(cells, filled.begin());
        chunk::keep_cells(section.fillers, filled, [&](std::size_t entry) {
            return entry < section.fillers.entries().size() && section.fillers.entries()[entry].value != 0;
        });
        if (std::ranges::any_of(filled, [](auto word) { return word != 0; }))
            section.fillers.fill(cells, std::uint16_t{0});
    }

    /// Puts those of the cells that are replaced in such a way into the room of the table; false if there are
    /// none. Without `cells` it is those of all.
    template <typename IsWanted>
    bool choose(const chunk::Section& section, int y, const CellSet* cells, IsWanted&& is_wanted) {
        return choose(section, y, cells, is_wanted, table_->room);
    }
    template <typename IsWanted>
    bool choose(const chunk::Section& section, int y, const CellSet* cells, IsWanted&& is_wanted,
                CellSet& chosen) {
        const auto& rules = rules_.of(y);
        if (!rules.any(is_wanted)) return false;
        if (cells == nullptr)
            chosen.insert_all(y);
        else
            chosen.copy(y, *cells);
        return rules.keep(section, y, chosen, is_wanted);
    }

    /// The rotation that a block gets; nothing if it keeps its own.
    static std::optional<std::uint8_t> rotation_of(const ReplacedKey& becomes) {
        if (!becomes.by->turns && becomes.to != chunk::k_empty_key) return std::nullopt;
        return becomes.by->to.rotation.index;
    }

    std::set<std::uint8_t> rotations(const chunk::Section& section, int y) const {
        std::set<std::uint8_t> out;
        for (std::size_t i = 0; i <= section.blocks.entries().size(); ++i)
            if (const auto* becomes = rules_.of(y).of(i))
                if (const auto rotation = rotation_of(*becomes)) out.insert(*rotation);
        return out;
    }

    /// All cells are chosen before any is changed: the replaced keys may be those of other rules. Keys that
    /// become the same are one change, however many there are.
    void put_keys(chunk::Section& section, int y, const CellSet& cells) {
        std::map<std::string_view, CellSet> changes;
        const auto& rules = rules_.of(y);
        for (std::size_t i = 0; i <= section.blocks.entries().size(); ++i)
            if (const auto* becomes = rules.of(i)) changes.try_emplace(becomes->to);
        for (auto& [key, chosen] : changes) {
            chosen.copy(y, cells);
            rules.keep(section, y, chosen, [&](const auto& becomes) { return becomes.to == key; });
        }
        for (const auto& [key, chosen] : changes)
            if (chosen.any(y)) section.blocks.fill(chosen.words(y), key);
    }

    std::shared_ptr<RuleTable> table_;
    ChunkRules rules_;
    const world::Assets& assets_;
};

class ReplaceEdit final : public ChunkEdit {
public:
    ReplaceEdit(const world::Assets& assets, const Area& area, const CellMask& mask,
                std::span<const Replacement> rules)
        : assets_(assets), area_(area), mask_(mask), rules_(rules) {}

    [[nodiscard]] std::optional<std::vector<ChunkPos>> chunks() const override { return area_.chunks(); }
    [[nodiscard]] bool touches(ChunkPos pos) const override { return area_.touches(pos); }
    void miss(ChunkPos pos) const override { missing.add(area_, pos); }
    [[nodiscard]] chunk::Parts parts() const override {
        auto parts = chunk::k_blocks | chunk::k_shapes | chunk::k_light | chunk::k_fluids | chunk::k_physics
                     | chunk::k_column_maps | chunk::k_health | chunk::k_block_components;
        if (!mask_.environments.empty()) parts = parts | chunk::k_environments;
        return parts;
    }

    Result<std::unique_ptr<ChunkWork>> look(ChunkPos pos, const chunk::Chunk& chunk,
                                            CellSet& cells) const override {
        auto table = tables_.get(rules_, assets_);
        ChunkRules rules(chunk, *table);
        if (!rules.any()) return nullptr;
        const bool is_whole = area_.is_everything() && mask_.empty();
        // The cells of old sections are chosen at once: their keys become others as soon as they are edited.
        const bool chooses_later = is_whole && is_of_today(chunk);
        if (chooses_later && !rules.count(chunk)) return nullptr;
        auto work = std::make_unique<ReplaceWork>(table, std::move(rules), assets_);
        work->is_whole = is_whole;
        work->chooses_later = chooses_later;
        work->area = std::uint64_t{k_cells} * k_sections;
        work->reach.fill(~std::uint32_t{0});
        if (chooses_later) return work;
        if (is_whole)
            work->choose_now(chunk, cells);
        else
            choose(pos, chunk, *table, *work, cells);
        if (cells.empty()) return nullptr;
        return work;
    }

    MissingCells missing;

private:
    /// One table for each thread, as it grows.
    class Tables {
    public:
        std::shared_ptr<RuleTable> get(std::span<const Replacement> rules, const world::Assets& assets) {
            const std::scoped_lock lock(mutex_);
            auto& table = tables_[std::this_thread::get_id()];
            if (!table) table = std::make_shared<RuleTable>(rules, assets);
            return table;
        }

    private:
        std::mutex mutex_;
        std::map<std::thread::id, std::shared_ptr<RuleTable>> tables_;
    };

    static bool is_of_today(const chunk::Chunk& chunk) {
        for (int y = 0; y < k_sections; ++y)
            if (chunk.section(y).version != chunk::Section::k_version) return false;
        return true;
    }

    /// The cells of the area that the mask leaves and rules are about.
    void choose(ChunkPos pos, const chunk::Chunk& chunk, RuleTable& table, ReplaceWork& work,
                CellSet& cells) const {
        area_.choose(pos, chunk, assets_, cells);
        work.reach = cells.columns();
        work.area = cells.count();
        mask_.narrow(chunk, cells);
        for (int y = 0; y < k_sections; ++y)
            if (cells.any(y)) work.rules().of(y).keep(chunk.section(y), y, cells);
        if (!area_.is_everything()) follow_bases(pos, chunk, table, cells);
    }

    /// A block of several cells that stays one is replaced where its base is.
    void follow_bases(ChunkPos pos, const chunk::Chunk& chunk, RuleTable& table, CellSet& cells) const {
        for_each_filler(pos, chunk, [&](BlockPos cell, Filler filler) {
            const auto& becomes = table.of(chunk.block(cell).key).becomes;
            if (!becomes || !becomes->keeps_parts) return;
            if (area_.contains(filler.base(cell)))
                cells.insert(cell);
            else
                cells.erase(cell.y >> 5, cell.cell());
        });
        for (int y = 0; y < k_sections; ++y) cells.settle(y);
    }

    const world::Assets& assets_;
    const Area& area_;
    const CellMask& mask_;
    std::span<const Replacement> rules_;
    mutable Tables tables_;
};

} // namespace

Result<Replacement> Replacement::parse(std::string_view text) {
    const auto sign = text.find('=');
    if (sign == std::string_view::npos || sign == 0)
        return fail(error(Errc::usage, "not FROM=TO: {}", text)
                        .advise("such as Rock_Stone=Rock_Basalt or 'Soil_Grass*=Soil_Sand'"));
    Replacement out{std::string(text.substr(0, sign)), {}, false};
    TRY(out.to, Filling::parse_block(text.substr(sign + 1)));
    out.turns = text.find('@', sign) != std::string_view::npos;
    return out;
}

std::optional<ReplacedKey> replaced_key(std::span<const Replacement> rules, std::string_view key,
                                        const world::Assets& assets) {
    const auto base = base_key(key);
    for (const auto& rule : rules) {
        const bool whole = matches_wildcard(rule.from, key);
        if (!whole && (base == key || !matches_wildcard(rule.from, base))) continue;
        ReplacedKey out{rule.to.key, &rule};
        if (base != key && (!whole || rule.from != key)) {
            // The same state of the other block.
            std::string state(key);
            state.replace(state.find(base), base.size(), rule.to.key);
            if (assets.block(state) != nullptr) out.to = state;
        }
        if (out.to == key && !rule.turns) return std::nullopt;
        const auto* before = assets.block(key);
        const auto* after = assets.block(out.to);
        const bool both = before != nullptr && after != nullptr;
        out.keeps_parts = out.to != chunk::k_empty_key && key != chunk::k_empty_key
                          && (!both || is_shaped(*before) == is_shaped(*after));
        out.same_light = both && before->opacity == after->opacity && before->light == after->light;
        out.same_height = assets.is_transparent(key) == assets.is_transparent(out.to);
        return out;
    }
    return std::nullopt;
}

Result<FillReport> replace_blocks(const world::World& world, const world::Assets& assets, const Area& area,
                                  const CellMask& mask, std::span<const Replacement> rules,
                                  const EditOptions& options, Progress& progress) {
    TRY_DO(area.check());
    const ReplaceEdit edit(assets, area, mask, rules);
    TRY(auto done, edit_chunks(world, assets, edit, options, progress));
    FillReport report{std::move(done), {}};
    report.cells_without_chunk = edit.missing.count(area);
    return report;
}

} // namespace orbis::jobs
