#include "jobs/edit/fill_cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace orbis::jobs {
namespace {

class FillWork final : public ChunkWork {
public:
    FillWork(const Filling& filling, const world::Assets& assets) : filling_(filling), assets_(assets) {}

    std::uint64_t area = 0;
    std::uint64_t chosen = 0;
    CellSet wet; ///< cells that get the fluid

    Result<void> apply(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) override {
        counts.area += area;
        counts.cells += chosen;
        if (filling_.block && !cells.empty()) TRY_DO(blocks(chunk, cells, counts));
        if (filling_.fluid) TRY_DO(fluids(chunk, counts));
        return {};
    }

private:
    Result<void> blocks(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) {
        const auto& block = *filling_.block;
        if (block.key != chunk::k_empty_key)
            for (int y = 0; y < k_sections; ++y)
                if (cells.any(y)) TRY_DO(agree_on_keys_of_today(chunk, y));
        return put_block(chunk, cells, {block.key, block.rotation, {}}, counts);
    }

    /// The user's keys are those of today. A section of a later game is left as it is.
    Result<void> agree_on_keys_of_today(chunk::Chunk& chunk, int y) {
        const auto table = assets_.migrations.for_chunks();
        TRY(const auto* section, chunk.edit_section(y));
        if (section->migration_count < table.count) TRY_DO(agree_on_keys(chunk, y, table.count, assets_));
        return {};
    }

    Result<void> fluids(chunk::Chunk& chunk, EditCounts& counts) {
        const auto& fluid = *filling_.fluid;
        for (int y = 0; y < k_sections; ++y) {
            if (!wet.any(y)) continue;
            TRY(auto* section, chunk.edit_section(y));
            std::uint64_t changed = 0;
            wet.for_each(y, [&](CellIndex cell) {
                const bool other_key = section->fluids.at(cell) != fluid.key;
                changed += section->levels.set(cell, fluid.level) || other_key ? 1U : 0U;
            });
            section->fluids.fill(wet.words(y), fluid.key);
            counts.fluids += changed;
            if (changed != 0) TRY_DO(chunk.touch_blocks(y, std::array<std::uint32_t, k_side>{}));
        }
        return {};
    }

    const Filling& filling_;
    const world::Assets& assets_;
};

class FillEdit final : public ChunkEdit {
public:
    FillEdit(const world::Assets& assets, const Area& area, const CellMask& mask, const Filling& filling)
        : assets_(assets), area_(area), mask_(mask), filling_(filling) {}

    [[nodiscard]] std::optional<std::vector<ChunkPos>> chunks() const override { return area_.chunks(); }
    [[nodiscard]] bool touches(ChunkPos pos) const override { return area_.touches(pos); }
    void miss(ChunkPos pos) const override { missing.add(area_, pos); }

    Result<std::unique_ptr<ChunkWork>> look(ChunkPos pos, const chunk::Chunk& chunk,
                                            CellSet& cells) const override {
        area_.choose(pos, chunk, assets_, cells);
        if (cells.empty()) return nullptr;
        auto work = std::make_unique<FillWork>(filling_, assets_);
        work->area = cells.count();
        work->reach = cells.columns();
        if (!mask_.empty()) mask_.narrow(chunk, cells);
        work->chosen = mask_.empty() ? work->area : cells.count();
        if (filling_.fluid) work->wet = cells;
        if (filling_.block)
            leave_same(chunk, cells);
        else
            cells.clear();
        return work;
    }

    MissingCells missing;

private:
    /// Takes out the cells that hold the block already.
    void leave_same(const chunk::Chunk& chunk, CellSet& cells) const {
        const auto& block = *filling_.block;
        CellSet same;
        for (int y = 0; y < k_sections; ++y) {
            if (!cells.any(y)) continue;
            const auto& section = chunk.section(y);
            bool has_key = section.blocks.kind() == chunk::PaletteKind::empty;
            for (std::size_t i = 0; i < section.blocks.entries().size(); ++i)
                has_key = has_key || section.block_key(i) == block.key;
            if (!has_key) continue;
            same.insert_all(y);
            chunk::keep_cells(section.blocks, same.edit(y),
                              [&](std::size_t entry) { return section.block_key(entry) == block.key; });
            section.with_rotations([&](const auto& palette, const auto& value_of) {
                chunk::keep_cells(palette, same.edit(y),
                                  [&](std::size_t entry) { return value_of(entry) == block.rotation.index; });
            });
            section.with_fillers([&](const auto& palette, const auto& value_of) {
                chunk::keep_cells(palette, same.edit(y),
                                  [&](std::size_t entry) { return value_of(entry) == 0; });
            });
            const auto words = cells.edit(y);
            for (std::size_t w = 0; w < words.size(); ++w) words[w] &= ~same.words(y)[w];
            cells.settle(y);
        }
    }

    const world::Assets& assets_;
    const Area& area_;
    const CellMask& mask_;
    const Filling& filling_;
};

Error bad_rotation(std::string_view text) {
    return error(Errc::usage, "not a rotation: {}", text)
        .advise("quarter turns in degrees: KEY@YAW or KEY@YAW,PITCH,ROLL, such as Wood_Stairs@90");
}

} // namespace

void MissingCells::add(const Area& area, ChunkPos pos) const {
    CellSet cells;
    area.choose_missing(pos, cells);
    cells_ += cells.count();
}

std::optional<std::uint64_t> MissingCells::count(const Area& area) const {
    if (!area.chunks()) return std::nullopt;
    return cells_.load();
}

Result<Filling::Block> Filling::parse_block(std::string_view text) {
    const auto at = text.find('@');
    Block block{std::string(text.substr(0, at)), {}};
    if (block.key.empty()) return fail(Errc::usage, "a block needs a key; Empty is air");
    if (block.key.size() > 0xFFFF)
        return fail(Errc::too_large, "a key of {} bytes is too long", block.key.size());
    if (at == std::string_view::npos) return block;
    auto rest = text.substr(at + 1);
    std::array<int, 3> angles{};
    for (auto& angle : angles) {
        const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), angle);
        if (code != std::errc() || angle % 90 != 0) return fail(bad_rotation(text));
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.empty()) break;
        if (!rest.starts_with(',') || &angle == &angles.back()) return fail(bad_rotation(text));
        rest.remove_prefix(1);
    }
    block.rotation = Rotation::of_degrees(angles[0], angles[1], angles[2]);
    return block;
}

Result<Filling::Fluid> Filling::parse_fluid(std::string_view text, const world::Assets& assets) {
    const auto colon = text.find(':');
    Fluid fluid{std::string(text.substr(0, colon)), 0};
    if (fluid.key.empty()) return fail(Errc::usage, "a fluid needs a key; Empty is none");
    if (fluid.key == chunk::k_empty_key) return fluid;
    if (colon == std::string_view::npos) {
        const auto* known = assets.fluid(fluid.key);
        if (known == nullptr)
            return fail(error(Errc::usage, "the fluid {} is not in the tables", fluid.key)
                            .advise("say its level: KEY:LEVEL, 1 to 15"));
        fluid.level = static_cast<std::uint8_t>(std::clamp(known->max_level, 1, 15));
        return fluid;
    }
    const auto number = text.substr(colon + 1);
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), fluid.level);
    if (code != std::errc() || end != number.data() + number.size() || fluid.level < 1 || fluid.level > 15)
        return fail(error(Errc::usage, "not a fluid with a level: {}", text)
                        .advise("KEY:LEVEL, 1 to 15, such as Water:8"));
    return fluid;
}

Result<FillReport> fill_cells(const world::World& world, const world::Assets& assets, const Area& area,
                              const CellMask& mask, const Filling& filling, const EditOptions& options,
                              Progress& progress) {
    TRY_DO(area.check());
    const FillEdit edit(assets, area, mask, filling);
    TRY(auto done, edit_chunks(world, assets, edit, options, progress));
    FillReport report{std::move(done), {}};
    report.cells_without_chunk = edit.missing.count(area);
    return report;
}

} // namespace orbis::jobs
