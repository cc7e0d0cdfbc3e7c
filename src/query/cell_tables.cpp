#include "query/cell_tables.hpp"

#include "chunk/label_set.hpp"
#include "query/chunk_rows.hpp"

#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orbis::query {
namespace {

/// Cells of a section one after another that hold the same.
struct Run {
    int section;
    int first;
    int end;
    std::string_view key;
};

/// The cells of a chunk that hold what a filter wants: those of runs that are inside of its box.
class CellBatch : public ChunkBatch {
public:
    CellBatch(Session& session, const Filter& filter)
        : session_(session), filter_(filter), wants_empty_(filter.names_key(chunk::k_empty_key)) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) final {
        world_ = &world;
        pos_ = pos;
        runs_.clear();
        run_ = 0;
        cell_ = -1;
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
        TRY(const auto* chunk, reader.read(*world.store, pos, parts()));
        chunk_ = chunk;
        if (chunk == nullptr) return {};
        if (!chunk->problems().empty())
            for (const auto& problem : reader.problems()) session_.problem(problem);
        const auto sections = filter_.sections();
        for (int y = 0; y < k_sections; ++y)
            if (sections.contains(y)) add_runs(chunk->section(y), y);
        return {};
    }

    bool next() final {
        while (run_ < runs_.size()) {
            const auto& run = runs_[run_];
            if (cell_ < run.first) cell_ = run.first - 1;
            while (++cell_ < run.end)
                if (!is_boxed_ || is_inside(CellIndex(cell_))) return true;
            ++run_;
            cell_ = -1;
        }
        return false;
    }

    [[nodiscard]] std::size_t memory() const final {
        return runs_.capacity() * sizeof(Run) + (chunk_ == nullptr ? 0 : chunk_->document().size());
    }

protected:
    [[nodiscard]] virtual chunk::Parts parts() const = 0;
    virtual void add_runs(const chunk::Section& section, int y) = 0;

    /// Whether rows for a key are wanted. Patterns are matched once for each key.
    bool wants(std::string_view key) {
        if (key == chunk::k_empty_key) return wants_empty_;
        if (filter_.keys.empty()) return true;
        const auto found = wanted_.find(key);
        if (found != wanted_.end()) return found->second;
        constexpr std::size_t k_most_keys = 65'536;
        if (wanted_.size() > k_most_keys) wanted_.clear();
        return wanted_.emplace(key, filter_.admits_key(key)).first->second;
    }
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
    const chunk::Chunk* chunk_ = nullptr;
    std::vector<Run> runs_;

private:
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    [[nodiscard]] bool is_inside(CellIndex cell) const {
        return xs_.contains(cell.x()) && zs_.contains(cell.z())
               && filter_.y.contains(runs_[run_].section * k_side + cell.y());
    }

    bool wants_empty_;
    bool is_boxed_ = false;
    Range xs_;
    Range zs_;
    std::unordered_map<std::string, bool, TextHash, std::equal_to<>> wanted_;
    std::size_t run_ = 0;
    int cell_ = -1;
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

    void add_runs(const chunk::Section& section, int y) override {
        const auto entries = section.blocks.entries().size();
        bool is_any = false;
        wanted_entries_.resize(entries + 1);
        for (std::size_t entry = 0; entry <= entries; ++entry) {
            wanted_entries_[entry] = wants(section.block_key(entry));
            is_any = is_any || wanted_entries_[entry];
        }
        if (!is_any) return;
        if (wanted_entries_[entries] || section.blocks.kind() == chunk::PaletteKind::wide) {
            section.blocks.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
                if (wanted_entries_[entry])
                    runs_.push_back({y, first.value, end.value, section.block_key(entry)});
            });
            return;
        }
        add_members(section, y);
    }

    /// The same, 64 cells at a time: much faster where few cells hold what is wanted.
    void add_members(const chunk::Section& section, int y) {
        const auto& blocks = section.blocks;
        chunk::LabelSet labels(blocks.kind());
        std::size_t wanted = 0;
        for (std::size_t entry = 0; entry < blocks.entries().size(); ++entry) {
            if (!wanted_entries_[entry]) continue;
            labels.insert(static_cast<std::uint8_t>(blocks.entries()[entry].id));
            ++wanted;
        }
        members_.fill(~std::uint64_t{0});
        labels.keep_members(blocks.stored_cells().data(), members_);
        const auto add = [&](int first, int end) {
            const auto entry = blocks.entry_at(CellIndex(first));
            if (wanted_entries_[entry]) runs_.push_back({y, first, end, section.block_key(entry)});
        };
        for (std::size_t word = 0; word < members_.size(); ++word) {
            for (auto bits = members_[word]; bits != 0;) {
                const int begin = std::countr_zero(bits);
                const int end = begin + std::countr_one(bits >> begin);
                const int cell = static_cast<int>(word) * 64;
                int first = begin;
                if (wanted > 1)
                    for (int at = begin + 1; at < end; ++at)
                        if (blocks.entry_at(CellIndex(cell + at)) != blocks.entry_at(CellIndex(cell + first)))
                            add(cell + std::exchange(first, at), cell + at);
                add(cell + first, cell + end);
                bits = end == 64 ? 0 : bits & ~std::uint64_t{0} << end;
            }
        }
    }

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

    std::vector<char> wanted_entries_;
    std::array<std::uint64_t, k_cells / 64> members_;
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
    [[nodiscard]] chunk::Parts parts() const override { return chunk::k_blocks | chunk::k_fluids; }

    void add_runs(const chunk::Section& section, int y) override {
        if (section.keys_have_fluids()) {
            for (int cell = 0; cell < k_cells; ++cell) {
                const auto fluid = section.fluid_at(CellIndex(cell));
                if (wants(fluid.key)) runs_.push_back({y, cell, cell + 1, fluid.key});
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
            wanted_entries_[entry] = wants(key_of(entry));
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

    std::vector<char> wanted_entries_;
};

// ---- counts and sections

/// The keys of the sections of a chunk with how many cells hold each, in the order in which they are stored.
class CountBatch final : public ChunkBatch {
public:
    CountBatch(Session& session, const Filter& filter, bool of_fluids)
        : session_(session), filter_(filter), of_fluids_(of_fluids) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) override {
        counts_.clear();
        at_ = static_cast<std::size_t>(-1);
        world_ = &world;
        pos_ = pos;
        chunk_ = nullptr;
        TRY(const auto* chunk,
            reader.read(*world.store, pos, of_fluids_ ? chunk::k_blocks | chunk::k_fluids : chunk::k_blocks));
        chunk_ = chunk;
        if (chunk == nullptr) return {};
        if (!chunk->problems().empty())
            for (const auto& problem : reader.problems()) session_.problem(problem);
        const auto sections = filter_.sections();
        for (int y = 0; y < k_sections; ++y)
            if (sections.contains(y)) add_counts(chunk->section(y), y);
        return {};
    }
    bool next() override { return ++at_ < counts_.size(); }
    void column(std::size_t index, Cell cell) const override {
        const auto& count = counts_[at_];
        switch (index) {
        case 0: return cell.text(world_->world.name);
        case 1: return cell.integer(pos_.x);
        case 2: return cell.integer(count.section);
        case 3: return cell.integer(pos_.z);
        case 4: return cell.text(count.key);
        case 5: return cell.integer(count.cells);
        default: return;
        }
    }
    [[nodiscard]] std::size_t memory() const override {
        return counts_.capacity() * sizeof(Count) + (chunk_ == nullptr ? 0 : chunk_->document().size());
    }

private:
    struct Count {
        int section;
        std::string_view key;
        std::int64_t cells;
    };

    void add_counts(const chunk::Section& section, int y) {
        const auto begin = counts_.size();
        if (of_fluids_ && section.keys_have_fluids()) {
            for (int cell = 0; cell < k_cells; ++cell)
                add(begin, y, section.fluid_at(CellIndex(cell)).key, 1);
            return;
        }
        const auto& palette = of_fluids_ ? section.fluids : section.blocks;
        const auto cells = palette.histogram();
        for (std::size_t entry = 0; entry < cells.size(); ++entry) {
            const bool is_listed = entry < palette.entries().size();
            if (cells[entry] != 0)
                add(begin, y,
                    !of_fluids_ ? section.block_key(entry)
                    : is_listed ? palette.entries()[entry].value
                                : chunk::k_empty_key,
                    cells[entry]);
        }
    }
    /// Entries of a palette may have the same key, and rows may not.
    void add(std::size_t begin, int y, std::string_view key, std::int64_t cells) {
        if (!filter_.keys.empty() && !filter_.admits_key(key)) return;
        for (auto i = begin; i < counts_.size(); ++i) {
            if (counts_[i].key != key) continue;
            counts_[i].cells += cells;
            return;
        }
        counts_.push_back({y, key, cells});
    }

    Session& session_;
    const Filter filter_;
    bool of_fluids_;
    const OpenWorld* world_ = nullptr;
    ChunkPos pos_;
    const chunk::Chunk* chunk_ = nullptr;
    std::vector<Count> counts_;
    std::size_t at_ = 0;
};

std::string_view palette_name(chunk::PaletteKind kind) {
    switch (kind) {
    case chunk::PaletteKind::empty: return "empty";
    case chunk::PaletteKind::half_byte: return "half byte";
    case chunk::PaletteKind::byte: return "byte";
    case chunk::PaletteKind::wide: return "two bytes";
    }
    return "";
}

class SectionBatch final : public RowBatch {
public:
    SectionBatch(Session& session, const Filter& filter) : session_(session), filter_(filter) {}

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                          std::vector<Row>& rows) override {
        TRY(const auto* chunk,
            reader.read(*world.store, pos,
                        chunk::k_blocks | chunk::k_shapes | chunk::k_light | chunk::k_fluids));
        if (chunk == nullptr) return {};
        for (const auto& problem : reader.problems()) session_.problem(problem);
        const auto sections = filter_.sections();
        for (int y = 0; y < chunk->stored_sections(); ++y) {
            if (!sections.contains(y)) continue;
            const auto& section = chunk->section(y);
            const auto flag = [](bool is_true) { return std::int64_t{is_true ? 1 : 0}; };
            rows.push_back({world.world.name, std::int64_t{pos.x}, std::int64_t{y}, std::int64_t{pos.z},
                            std::int64_t{section.version}, std::int64_t{section.migration_count},
                            std::string(palette_name(section.blocks.kind())),
                            static_cast<std::int64_t>(section.blocks.entries().size()),
                            static_cast<std::int64_t>(section.fluids.entries().size()),
                            static_cast<std::int64_t>(section.ticking.count()),
                            flag(section.local_light_valid()), flag(section.global_light_valid())});
        }
        return {};
    }

    Session& session_;
    const Filter filter_;
};

} // namespace

std::vector<Table> cell_tables() {
    const Column world{"world", "TEXT", Role::world};
    const Column x{"x", "INTEGER", Role::x};
    const Column y{"y", "INTEGER", Role::y};
    const Column z{"z", "INTEGER", Role::z};
    const Column key{"key", "TEXT", Role::key};
    const Column section{"section", "INTEGER", Role::section};
    const Column chunk_x{"chunk_x", "INTEGER", Role::chunk_x};
    const Column chunk_z{"chunk_z", "INTEGER", Role::chunk_z};
    const std::vector<Column> counts{world, chunk_x, section, chunk_z, key, {"cells", "INTEGER"}};
    return {
        {"sections",
         "A section of a chunk: 32 x 32 x 32 cells",
         {world,
          chunk_x,
          section,
          chunk_z,
          {"version", "INTEGER"},
          {"migrations", "INTEGER"},
          {"palette", "TEXT"},
          {"block_keys", "INTEGER"},
          {"fluid_keys", "INTEGER"},
          {"ticking", "INTEGER"},
          {"local_light_valid", "INTEGER"},
          {"light_valid", "INTEGER"}},
         "world, chunk_x, section, chunk_z",
         1e4,
         opener<SectionBatch>()},
        {"block_counts", "How many cells of a section hold a block key", counts,
         "world, chunk_x, section, chunk_z, key", 1e5, opener<CountBatch>(false)},
        {"fluid_counts", "How many cells of a section hold a fluid", counts,
         "world, chunk_x, section, chunk_z, key", 1e4, opener<CountBatch>(true)},
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
         opener<BlockBatch>()},
        {"fluids",
         "A cell with a fluid",
         {world, x, y, z, key, {"level", "INTEGER"}, chunk_x, chunk_z},
         "world, x, y, z",
         1e7,
         opener<FluidBatch>()},
    };
}

} // namespace orbis::query
