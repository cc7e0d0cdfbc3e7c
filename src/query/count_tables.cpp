#include "query/count_tables.hpp"

#include "chunk/block_palettes.hpp"
#include "chunk/count_labels.hpp"
#include "query/block_runs.hpp"
#include "query/chunk_rows.hpp"
#include "query/key_totals.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orbis::query {
namespace {

/// Counts the cells of a section by key, as far as a filter wants the keys.
class SectionCounter {
public:
    SectionCounter(const Filter& filter, bool of_fluids)
        : keys_(filter), of_fluids_(of_fluids), wants_empty_(keys_.contains(chunk::k_empty_key)) {}

    [[nodiscard]] bool is_of_fluids() const { return of_fluids_; }
    [[nodiscard]] chunk::Parts parts() const {
        return of_fluids_ ? chunk::k_blocks | chunk::k_fluids : chunk::k_blocks;
    }

    /// Calls `take(key, cells)`, for one key perhaps several times.
    template <typename Take>
    void count(const chunk::Section& section, Take&& take) {
        if (of_fluids_ && section.keys_have_fluids()) {
            for (int cell = 0; cell < k_cells; ++cell) {
                const auto key = section.fluid_at(CellIndex(cell)).key;
                if (keys_.contains(key)) take(key, 1);
            }
            return;
        }
        const auto& palette = of_fluids_ ? section.fluids : section.blocks;
        const auto key_of = [&](std::size_t entry) {
            return of_fluids_ ? palette.entries()[entry].value : section.block_key(entry);
        };
        switch (palette.kind()) {
        case chunk::PaletteKind::empty:
            if (wants_empty_) take(chunk::k_empty_key, k_cells);
            return;
        case chunk::PaletteKind::wide: {
            const auto cells = palette.histogram();
            for (std::size_t i = 0; i + 1 < cells.size(); ++i)
                if (cells[i] != 0 && keys_.contains(key_of(i))) take(key_of(i), cells[i]);
            if (cells.back() != 0 && wants_empty_) take(chunk::k_empty_key, cells.back());
            return;
        }
        default: count_labels(palette.kind(), palette.stored_cells().data(), palette.entries(), key_of, take);
        }
    }
    /// The same for blocks alone. The palette states how many cells each key has, as the game keeps them;
    /// they are counted only if those numbers are not those of a whole section.
    template <typename Take>
    void count(const chunk::BlockPalettes::Section& section, Take&& take) {
        if (section.kind == chunk::PaletteKind::empty) {
            if (wants_empty_) take(chunk::k_empty_key, k_cells);
            return;
        }
        std::uint32_t stated = 0;
        for (const auto& entry : section.entries) stated += entry.cells;
        if (stated != k_cells)
            return count_labels(
                section.kind, section.cells, section.entries,
                [&](std::size_t entry) { return section.entries[entry].key; }, take);
        for (const auto& entry : section.entries)
            if (entry.cells != 0 && keys_.contains(entry.key)) take(entry.key, entry.cells);
    }

private:
    /// Only labels of wanted keys are counted; for cells that name no entry, which are empty, all are.
    template <typename Entry, typename KeyOf, typename Take>
    void count_labels(chunk::PaletteKind kind, const std::uint8_t* cells, std::span<const Entry> entries,
                      const KeyOf& key_of, Take&& take) {
        std::size_t wanted = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (!wants_empty_ && !keys_.contains(key_of(i))) continue;
            labels_[wanted] = static_cast<std::uint8_t>(entries[i].id);
            counted_[wanted++] = static_cast<std::uint16_t>(i);
        }
        if (wanted == 0 && !wants_empty_) return;
        const std::span labels(labels_.data(), wanted);
        const std::span counts(counts_.data(), wanted);
        std::ranges::fill(counts, 0U);
        if (kind == chunk::PaletteKind::byte)
            chunk::count_byte_labels(std::span<const std::uint8_t, k_cells>(cells, k_cells), labels, counts);
        else
            chunk::count_nibble_labels(std::span<const std::uint8_t, k_cells / 2>(cells, k_cells / 2), labels,
                                       counts);
        auto left = static_cast<std::uint32_t>(k_cells);
        for (std::size_t i = 0; i < wanted; ++i) {
            left -= counts[i];
            if (counts[i] != 0 && (!wants_empty_ || keys_.contains(key_of(counted_[i]))))
                take(key_of(counted_[i]), counts[i]);
        }
        if (wants_empty_ && left != 0) take(chunk::k_empty_key, left);
    }

    WantedKeys keys_;
    bool of_fluids_;
    bool wants_empty_;
    std::array<std::uint8_t, 256> labels_;
    std::array<std::uint16_t, 256> counted_; ///< the entries of these labels
    std::array<std::uint32_t, 256> counts_;
};

/// A batch that reads the sections of chunks to count their cells.
class CountingBatch : public ChunkBatch {
public:
    CountingBatch(Session& session, const Filter& filter, bool of_fluids)
        : session_(session), sections_(filter.sections()), counter_(filter, of_fluids) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) final {
        begin(world, pos);
        TRY(const auto document, reader.load(*world.store, pos));
        document_size_ = document ? document->size() : 0;
        if (!document) return {};
        if (!counter_.is_of_fluids() && palettes_.read(*document)) {
            count_sections(palettes_);
        } else {
            TRY(const auto* chunk, reader.decode(counter_.parts()));
            if (!chunk->problems().empty())
                for (const auto& problem : reader.problems()) session_.problem(problem);
            count_sections(*chunk);
        }
        end();
        return {};
    }

protected:
    virtual void begin(const OpenWorld& world, ChunkPos pos) = 0;
    virtual void begin_section(int) {}
    /// For one key of a section perhaps several times.
    virtual void add(std::string_view key, std::int64_t cells) = 0;
    virtual void end() {}
    [[nodiscard]] std::size_t document_size() const { return document_size_; }

private:
    template <typename Sections>
    void count_sections(const Sections& of) {
        for (int y = 0; y < k_sections; ++y) {
            if (!sections_.contains(y)) continue;
            begin_section(y);
            counter_.count(of.section(y), [&](std::string_view key, std::int64_t cells) { add(key, cells); });
        }
    }

    Session& session_;
    Range sections_;
    SectionCounter counter_;
    chunk::BlockPalettes palettes_;
    std::size_t document_size_ = 0;
};

/// The keys of the sections of a chunk with how many cells hold each, in the order in which they are stored.
class CountBatch final : public CountingBatch {
public:
    using CountingBatch::CountingBatch;

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
        return counts_.capacity() * sizeof(Count) + document_size();
    }

private:
    struct Count {
        int section;
        std::string_view key;
        std::int64_t cells;
    };

    void begin(const OpenWorld& world, ChunkPos pos) override {
        counts_.clear();
        at_ = static_cast<std::size_t>(-1);
        world_ = &world;
        pos_ = pos;
    }
    void begin_section(int y) override {
        section_ = y;
        first_ = counts_.size();
        by_key_.clear();
    }
    /// Entries of a palette may have the same key, and rows may not.
    void add(std::string_view key, std::int64_t cells) override {
        constexpr std::size_t k_few = 64;
        if (counts_.size() - first_ < k_few) {
            for (auto i = first_; i < counts_.size(); ++i) {
                if (counts_[i].key != key) continue;
                counts_[i].cells += cells;
                return;
            }
        } else {
            if (by_key_.empty())
                for (auto i = first_; i < counts_.size(); ++i) by_key_.emplace(counts_[i].key, i);
            const auto [found, is_new] = by_key_.emplace(key, counts_.size());
            if (!is_new) {
                counts_[found->second].cells += cells;
                return;
            }
        }
        counts_.push_back({section_, key, cells});
    }

    const OpenWorld* world_ = nullptr;
    ChunkPos pos_;
    std::vector<Count> counts_;
    int section_ = 0;                                          ///< that is in work
    std::size_t first_ = 0;                                    ///< of its counts
    std::unordered_map<std::string_view, std::size_t> by_key_; ///< of a section with many
    std::size_t at_ = 0;
};

// ---- totals

enum TotalColumn : std::size_t { total_world, total_key, total_cells };

/// What has been added up, by world.
class WorldTotals {
public:
    struct OfWorld {
        const OpenWorld* world;
        KeyTotals keys;
    };
    OfWorld& of(const OpenWorld& world) {
        for (auto& totals : worlds_)
            if (totals->world == &world) return *totals;
        worlds_.push_back(std::make_unique<OfWorld>(OfWorld{&world, {}}));
        return *worlds_.back();
    }
    [[nodiscard]] const std::vector<std::unique_ptr<OfWorld>>& worlds() const { return worlds_; }

private:
    std::vector<std::unique_ptr<OfWorld>> worlds_;
};

/// Adds up the keys of all chunks that it is given. It has rows only where that takes much memory: SQLite
/// adds up what it gets.
class TotalBatch final : public CountingBatch {
public:
    TotalBatch(Session& session, const Filter& filter, bool of_fluids, WorldTotals& totals)
        : CountingBatch(session, filter, of_fluids), totals_(totals) {}

    bool next() override {
        if (!is_handed_out_) return false;
        if (++at_ < current_->keys.size()) return true;
        current_->keys.clear();
        is_handed_out_ = false;
        return false;
    }
    void column(std::size_t index, Cell cell) const override {
        if (index == total_world) cell.text(current_->world->world.name);
        if (index == total_key) cell.text(current_->keys.key(at_));
        if (index == total_cells) cell.integer(current_->keys.cells(at_));
    }
    [[nodiscard]] std::size_t memory() const override { return document_size(); }

private:
    void begin(const OpenWorld& world, ChunkPos) override {
        if (current_ == nullptr || current_->world != &world) current_ = &totals_.of(world);
        is_handed_out_ = false;
    }
    void add(std::string_view key, std::int64_t cells) override { current_->keys.add(key, cells); }
    void end() override {
        at_ = static_cast<std::size_t>(-1);
        is_handed_out_ = current_->keys.memory() > k_large_memory;
    }

    WorldTotals& totals_;
    WorldTotals::OfWorld* current_ = nullptr;
    bool is_handed_out_ = false;
    std::size_t at_ = 0;
};

/// Reads all chunks at its first row, and then has a row for each world and key.
class TotalRows final : public Rows {
public:
    static Result<std::unique_ptr<Rows>> open(Session& session, const Filter& filter, bool of_fluids) {
        auto made = std::make_unique<TotalRows>();
        TRY(made->scan_, chunk_rows(session, filter, [&session, filter, of_fluids, rows = made.get()]() {
                rows->parts_.push_back(std::make_unique<WorldTotals>());
                return std::make_unique<TotalBatch>(session, filter, of_fluids, *rows->parts_.back());
            }));
        return made;
    }

    Result<bool> next() override {
        if (scan_) {
            TRY(const bool is_there, scan_->next());
            if (is_there) return true;
            scan_.reset(); // with its threads
            add_up();
        }
        return at_++ < rows_.size();
    }
    void column(std::size_t index, Cell cell) const override {
        if (scan_) return scan_->column(index, cell);
        const auto& row = rows_[at_ - 1];
        if (index == total_world) cell.text(row.totals->world->world.name);
        if (index == total_key) cell.text(row.totals->keys.key(row.number));
        if (index == total_cells) cell.integer(row.totals->keys.cells(row.number));
    }

private:
    struct Row {
        const WorldTotals::OfWorld* totals;
        std::size_t number; ///< of the key
    };

    void add_up() {
        for (const auto& part : parts_)
            for (const auto& of_world : part->worlds()) {
                auto& all = all_.of(*of_world->world).keys;
                for (std::size_t i = 0; i < of_world->keys.size(); ++i)
                    all.add(of_world->keys.key(i), of_world->keys.cells(i));
            }
        parts_.clear();
        for (const auto& of_world : all_.worlds())
            for (std::size_t i = 0; i < of_world->keys.size(); ++i) rows_.push_back({of_world.get(), i});
    }

    std::vector<std::unique_ptr<WorldTotals>> parts_; ///< of each batch; they outlive the scan
    WorldTotals all_;
    std::vector<Row> rows_;
    std::size_t at_ = 0;
    std::unique_ptr<Rows> scan_;
};

// ---- sections

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

std::vector<Table> count_tables() {
    const Column world{"world", "TEXT", Role::world};
    const Column section{"section", "INTEGER", Role::section};
    const Column chunk_x{"chunk_x", "INTEGER", Role::chunk_x};
    const Column chunk_z{"chunk_z", "INTEGER", Role::chunk_z};
    const Column key{"key", "TEXT", Role::key};
    const Column cells{"cells", "INTEGER"};
    const std::vector<Column> counts{world, chunk_x, section, chunk_z, key, cells};
    const std::vector<Column> totals{world, key, cells};
    const auto total_opener = [](bool of_fluids) {
        return [of_fluids](Session& session, const Filter& filter) {
            return TotalRows::open(session, filter, of_fluids);
        };
    };
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
         "world, chunk_x, section, chunk_z, key", 1e5, opener<CountBatch>(false), false, true},
        {"fluid_counts", "How many cells of a section hold a fluid", counts,
         "world, chunk_x, section, chunk_z, key", 1e4, opener<CountBatch>(true), false, true},
        {"block_totals", "How many cells of a world hold a block key, in parts", totals, "world, key", 1e3,
         total_opener(false), true, true},
        {"fluid_totals", "How many cells of a world hold a fluid, in parts", totals, "world, key", 1e2,
         total_opener(true), true, true},
    };
}

} // namespace orbis::query
