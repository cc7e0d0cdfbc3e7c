#include "jobs/edit/replace_blocks.hpp"

#include "jobs/cells/cut_blocks.hpp"
#include "jobs/select/selection.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

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
    RuleTable(std::span<const Replacement> rules, const world::Assets& assets)
        : rules_(rules), assets_(assets) {}

    const std::optional<ReplacedKey>& of(std::string_view key) {
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        return known_.emplace(std::string(key), replaced_key(rules_, key, assets_)).first->second;
    }

private:
    std::span<const Replacement> rules_;
    const world::Assets& assets_;
    std::map<std::string, std::optional<ReplacedKey>, std::less<>> known_;
};

/// Of one section: the cells of one key, and what it becomes.
struct KeyChange {
    ReplacedKey becomes;
    CellSet cells;
};

class ReplaceWork final : public ChunkWork {
public:
    ReplaceWork(std::shared_ptr<RuleTable> table, const world::Assets& assets)
        : table_(std::move(table)), assets_(assets) {}

    static constexpr std::size_t k_unchanged = std::numeric_limits<std::size_t>::max();

    std::uint64_t area = 0;
    bool is_whole = false; ///< no area and no mask leaves cells out

    Result<void> apply(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) override {
        counts.area += area;
        counts.cells += cells.count();
        for (int y = 0; y < k_sections; ++y)
            if (cells.any(y)) TRY_DO(section(chunk, y, cells, counts));
        return {};
    }

private:
    Result<void> section(chunk::Chunk& chunk, int y, const CellSet& cells, EditCounts& counts) {
        TRY(auto* section, chunk.edit_section(y));
        const auto migrations = assets_.migrations.for_chunks();
        if (section->migration_count < migrations.count)
            TRY_DO(agree_on_keys(chunk, y, migrations.count, assets_));
        if (is_whole && is_plain(*section)) return rename(chunk, y, *section, counts);
        for (auto& change : changes(*section, y, cells)) TRY_DO(put(chunk, y, *section, change, counts));
        return {};
    }

    /// Whether keys are all that changes.
    bool is_plain(const chunk::Section& section) {
        if (table_->of(chunk::k_empty_key)) return false;
        return std::ranges::all_of(section.blocks.entries(), [this](const auto& entry) {
            const auto& becomes = table_->of(entry.value);
            return !becomes || (becomes->keeps_parts && !becomes->by->turns && becomes->same_height);
        });
    }

    Result<void> rename(chunk::Chunk& chunk, int y, chunk::Section& section, EditCounts& counts) {
        bool same_light = true;
        const auto cells = section.blocks.histogram();
        for (std::size_t i = 0; i < section.blocks.entries().size(); ++i)
            if (const auto& becomes = table_->of(section.blocks.entries()[i].value)) {
                counts.blocks += cells[i];
                same_light = same_light && becomes->same_light;
            }
        section.blocks.rename([this](const auto& entry) {
            const auto& becomes = table_->of(entry.value);
            return becomes ? std::string_view(becomes->to) : entry.value;
        });
        if (same_light) return {};
        return chunk.touch_blocks(y, std::array<std::uint32_t, k_side>{});
    }

    /// Before any of them is made: the replaced keys may be those of other rules. Keys that become the same
    /// are one change, however many there are.
    std::vector<KeyChange> changes(const chunk::Section& section, int y, const CellSet& cells) {
        std::vector<KeyChange> out;
        const auto& blocks = section.blocks;
        std::vector<std::size_t> group_of(blocks.entries().size() + 1, k_unchanged);
        for (std::size_t i = 0; i <= blocks.entries().size(); ++i) {
            const auto& becomes =
                table_->of(i < blocks.entries().size() ? blocks.entries()[i].value : chunk::k_empty_key);
            if (!becomes) continue;
            const auto same = std::ranges::find(out, *becomes, &KeyChange::becomes);
            group_of[i] = static_cast<std::size_t>(same - out.begin());
            if (same == out.end()) out.push_back({*becomes, {}});
        }
        for (std::size_t group = 0; group < out.size(); ++group) {
            auto& chosen = out[group].cells;
            chosen.insert_all(y);
            std::ranges::copy(cells.words(y), chosen.edit(y).begin());
            chunk::keep_cells(blocks, chosen.edit(y),
                              [&](std::size_t entry) { return group_of[entry] == group; });
            chosen.settle(y);
        }
        return out;
    }

    static Result<void> put(chunk::Chunk& chunk, int y, chunk::Section& section, const KeyChange& change,
                            EditCounts& counts) {
        if (!change.cells.any(y)) return {};
        const auto words = change.cells.words(y);
        const auto& becomes = change.becomes;
        counts.blocks += change.cells.count(y);
        section.blocks.fill(words, becomes.to);
        if (!becomes.keeps_parts) {
            section.fillers.fill(words, std::uint16_t{0});
            TRY_DO(remove_belongings(chunk, change.cells, counts));
        }
        if (becomes.by->turns || becomes.to == chunk::k_empty_key)
            section.rotations.fill(words, becomes.by->to.rotation.index);
        if (section.blocks.kind() == chunk::PaletteKind::empty) section.ticking.clear();
        if (becomes.same_light && becomes.same_height) return {};
        return chunk.touch_blocks(y, becomes.same_height ? std::array<std::uint32_t, k_side>{}
                                                         : change.cells.columns(y));
    }

    std::shared_ptr<RuleTable> table_;
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

    Result<std::unique_ptr<ChunkWork>> look(ChunkPos pos, const chunk::Chunk& chunk,
                                            CellSet& cells) const override {
        auto table = tables_.get(rules_, assets_);
        std::array<bool, k_sections> has_key{};
        bool any = false;
        for (int y = 0; y < k_sections; ++y) {
            auto& has = has_key[static_cast<std::size_t>(y)];
            const auto& section = chunk.section(y);
            for (std::size_t i = 0; i < section.blocks.entries().size(); ++i)
                has = has || table->of(section.block_key(i)).has_value();
            // Cells without an entry are empty too.
            if (!has && table->of(chunk::k_empty_key)) has = true;
            any = any || has;
        }
        if (!any) return nullptr;
        auto work = std::make_unique<ReplaceWork>(table, assets_);
        if (area_.is_everything() && mask_.empty()) {
            for (int y = 0; y < k_sections; ++y)
                if (has_key[static_cast<std::size_t>(y)]) cells.insert_all(y);
            work->area = std::uint64_t{k_cells} * k_sections;
            work->is_whole = true;
            work->reach.fill(~std::uint32_t{0});
        } else {
            area_.choose(pos, chunk, assets_, cells);
            work->area = cells.count();
            work->reach = cells.columns();
            mask_.narrow(chunk, cells);
            for (int y = 0; y < k_sections; ++y)
                if (!has_key[static_cast<std::size_t>(y)]) cells.clear(y);
        }
        keep_replaced(chunk, *table, cells);
        if (!area_.is_everything()) follow_bases(pos, chunk, *table, cells);
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

    static void keep_replaced(const chunk::Chunk& chunk, RuleTable& table, CellSet& cells) {
        for (int y = 0; y < k_sections; ++y) {
            if (!cells.any(y)) continue;
            const auto& section = chunk.section(y);
            chunk::keep_cells(section.blocks, cells.edit(y), [&](std::size_t entry) {
                return table.of(section.block_key(entry)).has_value();
            });
            cells.settle(y);
        }
    }

    /// A block of several cells that stays one is replaced where its base is.
    void follow_bases(ChunkPos pos, const chunk::Chunk& chunk, RuleTable& table, CellSet& cells) const {
        for_each_filler(pos, chunk, [&](BlockPos cell, Filler filler) {
            const auto& becomes = table.of(chunk.block(cell).key);
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
