#include "query/cell_tables.hpp"

#include "chunk/block_palettes.hpp"
#include "query/block_runs.hpp"
#include "query/chunk_rows.hpp"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace orbis::query {
namespace {

/// The cells of a chunk that hold what a filter wants: those of runs that are inside of its box.
class CellBatch : public ChunkBatch {
public:
    CellBatch(Session& session, const Filter& filter) : session_(session), filter_(filter) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) final {
        world_ = &world;
        pos_ = pos;
        runs_.clear();
        run_ = static_cast<std::size_t>(-1);
        cell_ = end_ = 0;
        chunk_ = nullptr;
        const auto local = [](Range range, int chunk) {
            range.at_least(std::int64_t{chunk} * k_side);
            range.at_most(std::int64_t{chunk} * k_side + k_side - 1);
            return Range{range.least - std::int64_t{chunk} * k_side,
                         range.most - std::int64_t{chunk} * k_side};
        };
        xs_ = local(filter_.x, pos.x);
        zs_ = local(filter_.z, pos.z);
        is_boxed_ = filter_.y != Range{} || xs_ != Range{0, k_side - 1} || zs_ != Range{0, k_side - 1};
        TRY(const auto document, reader.load(*world.store, pos));
        document_size_ = document ? document->size() : 0;
        if (!document || add_runs(*document)) return {};
        TRY(const auto* chunk, reader.decode(parts()));
        chunk_ = chunk;
        if (!chunk->problems().empty())
            for (const auto& problem : reader.problems()) session_.problem(problem);
        const auto sections = filter_.sections();
        for (int y = 0; y < k_sections; ++y)
            if (sections.contains(y)) add_runs(chunk->section(y), y);
        return {};
    }

    bool next() final {
        while (true) {
            while (++cell_ < end_)
                if (!is_boxed_ || is_inside(CellIndex(cell_))) return true;
            if (++run_ >= runs_.size()) return false;
            cell_ = runs_[run_].first - 1;
            end_ = runs_[run_].end;
        }
    }

    [[nodiscard]] std::size_t memory() const final { return runs_.capacity() * sizeof(Run) + document_size_; }

protected:
    [[nodiscard]] virtual chunk::Parts parts() const = 0;
    /// Adds all runs of a document without decoding it; false where that is not possible.
    virtual bool add_runs(Bytes) { return false; }
    virtual void add_runs(const chunk::Section& section, int y) = 0;

    [[nodiscard]] BlockPos pos() const {
        const CellIndex cell(cell_);
        return {pos_.x * k_side + cell.x(), runs_[run_].section * k_side + cell.y(),
                pos_.z * k_side + cell.z()};
    }
    [[nodiscard]] const chunk::Section& section() const { return chunk_->section(runs_[run_].section); }
    [[nodiscard]] CellIndex cell() const { return CellIndex(cell_); }
    [[nodiscard]] std::string_view key() const { return runs_[run_].key; }

    Session& session_;
    const Filter filter_;
    const OpenWorld* world_ = nullptr;
    ChunkPos pos_;
    const chunk::Chunk* chunk_ = nullptr; ///< null where it need not be decoded
    std::vector<Run> runs_;

private:
    [[nodiscard]] bool is_inside(CellIndex cell) const {
        return xs_.contains(cell.x()) && zs_.contains(cell.z())
               && filter_.y.contains(runs_[run_].section * k_side + cell.y());
    }

    std::size_t document_size_ = 0;
    bool is_boxed_ = false;
    Range xs_;
    Range zs_;
    std::size_t run_ = 0;
    int cell_ = 0;
    int end_ = 0; ///< of the run
};

// ---- blocks

enum BlockColumn : std::size_t {
    block_world,
    block_x,
    block_y,
    block_z,
    block_key,
    block_rotation,
    block_filler,
    block_red,
    block_green,
    block_blue,
    block_sky,
    block_fluid,
    block_level,
    block_support,
    block_ticks,
    block_environment,
    block_tint,
    block_height,
    block_chunk_x,
    block_chunk_z,
};

class BlockBatch final : public CellBatch {
public:
    using CellBatch::CellBatch;

private:
    [[nodiscard]] chunk::Parts parts() const override {
        auto wanted = chunk::k_blocks;
        const auto add = [&](chunk::Parts part, std::initializer_list<std::size_t> columns) {
            for (const auto column : columns)
                if (filter_.uses(column)) wanted = wanted | part;
        };
        add(chunk::k_shapes, {block_rotation, block_filler, block_ticks});
        add(chunk::k_light, {block_red, block_green, block_blue, block_sky});
        add(chunk::k_fluids, {block_fluid, block_level});
        add(chunk::k_physics, {block_support});
        add(chunk::k_environments, {block_environment});
        add(chunk::k_column_maps, {block_tint, block_height});
        return wanted;
    }

    bool add_runs(Bytes document) override {
        if (parts() != chunk::k_blocks || finder_.wants_air() || !palettes_.read(document)) return false;
        const auto sections = filter_.sections();
        for (int y = 0; y < k_sections; ++y)
            if (sections.contains(y)) finder_.add(palettes_.section(y), y, runs_);
        return true;
    }
    void add_runs(const chunk::Section& section, int y) override { finder_.add(section, y, runs_); }

    void column(std::size_t index, Cell out) const override {
        const auto at = pos();
        switch (index) {
        case block_world: return out.text(world_->world.name);
        case block_x: return out.integer(at.x);
        case block_y: return out.integer(at.y);
        case block_z: return out.integer(at.z);
        case block_key: return out.text(key());
        case block_rotation: return out.integer(section().block_at(cell()).rotation.index);
        case block_filler: return out.integer(section().block_at(cell()).filler.stored);
        case block_red: return out.integer(section().global_light.at(cell()).red());
        case block_green: return out.integer(section().global_light.at(cell()).green());
        case block_blue: return out.integer(section().global_light.at(cell()).blue());
        case block_sky: return out.integer(section().global_light.at(cell()).sky());
        case block_fluid:
            if (const auto fluid = section().fluid_at(cell()); fluid.level != 0) out.text(fluid.key);
            return;
        case block_level: return out.integer(section().fluid_at(cell()).level);
        case block_support: return out.integer(section().support_at(cell()));
        case block_ticks: return out.integer(section().ticking.contains(cell()) ? 1 : 0);
        case block_environment: return out.text(chunk_->environment(at));
        case block_tint: return out.integer(chunk_->tints().at(at.column()));
        case block_height: return out.integer(chunk_->heights().at(at.column()));
        case block_chunk_x: return out.integer(pos_.x);
        case block_chunk_z: return out.integer(pos_.z);
        default: return;
        }
    }

    BlockRuns finder_{filter_};
    chunk::BlockPalettes palettes_;
};

// ---- fluids

enum FluidColumn : std::size_t {
    fluid_world,
    fluid_x,
    fluid_y,
    fluid_z,
    fluid_key,
    fluid_level,
    fluid_chunk_x,
    fluid_chunk_z,
};

class FluidBatch final : public CellBatch {
public:
    using CellBatch::CellBatch;

private:
    using CellBatch::add_runs;
    [[nodiscard]] chunk::Parts parts() const override { return chunk::k_blocks | chunk::k_fluids; }

    void add_runs(const chunk::Section& section, int y) override {
        if (section.keys_have_fluids()) {
            for (int cell = 0; cell < k_cells; ++cell) {
                const auto fluid = section.fluid_at(CellIndex(cell));
                if (keys_.of_blocks(fluid.key)) runs_.push_back({y, cell, cell + 1, fluid.key});
            }
            return;
        }
        const auto entries = section.fluids.entries();
        const auto key_of = [&](std::size_t entry) {
            return entry < entries.size() ? entries[entry].value : chunk::k_empty_key;
        };
        bool is_any = false;
        wanted_entries_.resize(entries.size() + 1);
        for (std::size_t entry = 0; entry <= entries.size(); ++entry) {
            wanted_entries_[entry] = keys_.of_blocks(key_of(entry));
            is_any = is_any || wanted_entries_[entry];
        }
        if (!is_any) return;
        section.fluids.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
            if (wanted_entries_[entry]) runs_.push_back({y, first.value, end.value, key_of(entry)});
        });
    }

    void column(std::size_t index, Cell out) const override {
        const auto at = pos();
        switch (index) {
        case fluid_world: return out.text(world_->world.name);
        case fluid_x: return out.integer(at.x);
        case fluid_y: return out.integer(at.y);
        case fluid_z: return out.integer(at.z);
        case fluid_key: return out.text(key());
        case fluid_level: return out.integer(section().fluid_at(cell()).level);
        case fluid_chunk_x: return out.integer(pos_.x);
        case fluid_chunk_z: return out.integer(pos_.z);
        default: return;
        }
    }

    WantedKeys keys_{filter_};
    std::vector<char> wanted_entries_;
};

} // namespace

std::vector<Table> cell_tables() {
    const Column world{"world", "TEXT", Role::world};
    const Column x{"x", "INTEGER", Role::x};
    const Column y{"y", "INTEGER", Role::y};
    const Column z{"z", "INTEGER", Role::z};
    const Column key{"key", "TEXT", Role::key};
    const Column chunk_x{"chunk_x", "INTEGER", Role::chunk_x};
    const Column chunk_z{"chunk_z", "INTEGER", Role::chunk_z};
    return {
        {"blocks",
         "A cell with a block; air only where the key 'Empty' is asked for",
         {world,
          x,
          y,
          z,
          key,
          {"rotation", "INTEGER"},
          {"filler", "INTEGER"},
          {"red", "INTEGER"},
          {"green", "INTEGER"},
          {"blue", "INTEGER"},
          {"sky", "INTEGER"},
          {"fluid", "TEXT"},
          {"level", "INTEGER"},
          {"support", "INTEGER"},
          {"ticks", "INTEGER"},
          {"environment", "TEXT"},
          {"tint", "INTEGER"},
          {"height", "INTEGER"},
          chunk_x,
          chunk_z},
         "world, x, y, z",
         1e9,
         opener<BlockBatch>(),
         false,
         true},
        {"fluids",
         "A cell with a fluid",
         {world, x, y, z, key, {"level", "INTEGER"}, chunk_x, chunk_z},
         "world, x, y, z",
         1e7,
         opener<FluidBatch>(),
         false,
         true},
    };
}

} // namespace orbis::query
