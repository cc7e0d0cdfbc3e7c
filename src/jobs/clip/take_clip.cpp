#include "jobs/clip/take_clip.hpp"

#include "chunk/block_cells.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/cells/cut_blocks.hpp"
#include "jobs/clip/place_holder.hpp"

#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

namespace orbis::jobs {
namespace {

constexpr int k_largest_filler = 16;

/// The chunks of a box, by rows. Only for boxes that are not larger than a clip may be.
template <typename Visit>
Result<void> for_each_chunk(const BlockBox& box, Visit&& visit) {
    for (auto z = std::int64_t{box.least.z >> 5}; z <= box.most.z >> 5; ++z)
        for (auto x = std::int64_t{box.least.x >> 5}; x <= box.most.x >> 5; ++x)
            TRY_DO(visit(ChunkPos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)}));
    return {};
}

BlockBox grown(const BlockBox& box, std::int64_t by) {
    const auto fit = [](std::int64_t value) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    };
    return {{fit(box.least.x - by), box.least.y, fit(box.least.z - by)},
            {fit(box.most.x + by), box.most.y, fit(box.most.z + by)}};
}

class ClipTaker {
public:
    ClipTaker(const storage::Store& store, const BlockBox& box, const world::Assets& assets,
              const TakeOptions& options)
        : store_(store), box_(box), options_(options), table_(assets.migrations.for_chunks()) {}

    Result<TakenClip> run() {
        if (options_.left_out != nullptr) {
            cut_ = *options_.left_out;
        } else {
            TRY(cut_, blocks_cut_by(store_, box_));
        }
        out_.cut.assign(cut_.begin(), cut_.end());
        TRY_DO(for_each_chunk(box_, [this](ChunkPos pos) { return chunk(pos); }));
        TRY_DO(settle_keys());
        return std::move(out_);
    }

private:
    Result<void> chunk(ChunkPos pos) {
        TRY(auto* chunk, reader_.read(store_, pos));
        if (chunk == nullptr) {
            out_.missing.push_back(pos);
            return {};
        }
        if (auto done = take(pos, *chunk); !done) return fail(reader_.placed(std::move(done).error()));
        return {};
    }

    Result<void> take(ChunkPos pos, chunk::Chunk& chunk) {
        if (!chunk.problems().empty()) return fail(chunk.problems().front().as_error());
        const auto part = box_.shared_with(BlockBox::of(pos));
        if (!part) return {};
        held_.clear();
        for (const auto& entry : chunk.block_components().entries())
            if (const auto at = entry.index.pos(pos); box_.contains(at)) held_.emplace(at, k_left_out);
        for (int y = part->least.y >> 5; y <= part->most.y >> 5; ++y) {
            // Attributes of old keys become rotations and fluids.
            if (chunk.section(y).version != chunk::Section::k_version) TRY_DO(chunk.edit_section(y));
            section(chunk, y, *part);
        }
        TRY_DO(components(pos, chunk));
        if (options_.entities) TRY_DO(entities(chunk));
        return {};
    }

    [[nodiscard]] bool leaves_out() const {
        return options_.only_whole_blocks || options_.left_out != nullptr;
    }
    [[nodiscard]] BlockPos from_corner(BlockPos pos) const {
        return {pos.x - box_.least.x, pos.y - box_.least.y, pos.z - box_.least.z};
    }

    std::uint32_t key_number(std::string_view key, std::int32_t migrations) {
        auto& known = keys_[migrations];
        if (const auto found = known.find(std::string(key)); found != known.end()) return found->second;
        const auto number = static_cast<std::uint32_t>(out_.clip.keys.size());
        out_.clip.keys.emplace_back(key);
        counts_.push_back(migrations);
        known.emplace(key, number);
        return number;
    }

    void section(const chunk::Chunk& chunk, int y, const BlockBox& part) {
        const auto& section = chunk.section(y);
        std::vector<std::uint32_t> numbers(section.blocks.entries().size() + 1, k_unknown);
        for (int inner = std::max(part.least.y, y * k_side); inner <= std::min(part.most.y, y * k_side + 31);
             ++inner)
            for (std::int64_t z = part.least.z; z <= part.most.z; ++z)
                for (std::int64_t x = part.least.x; x <= part.most.x; ++x)
                    cell(section, numbers,
                         {static_cast<std::int32_t>(x), inner, static_cast<std::int32_t>(z)});
    }

    void cell(const chunk::Section& section, std::vector<std::uint32_t>& numbers, BlockPos pos) {
        const auto at = pos.cell();
        const auto block = section.block_at(at);
        auto& number = numbers[section.blocks.entry_at(at)];
        if (!cut_.empty() && leaves_out() && cut_.contains(block.filler.base(pos))) return;
        if (options_.empty_blocks || block.key != chunk::k_empty_key) {
            if (number == k_unknown)
                number =
                    key_number(block.key, block.key == chunk::k_empty_key ? k_any : section.migration_count);
            if (!held_.empty())
                if (const auto held = held_.find(pos); held != held_.end())
                    held->second = out_.clip.blocks.size();
            out_.clip.blocks.push_back({.at = from_corner(pos),
                                        .key = number,
                                        .rotation = block.rotation,
                                        .filler = block.filler,
                                        .support = section.support_at(at),
                                        .ticks = section.ticking.contains(at)});
        }
        const auto fluid = section.fluid_at(at);
        const bool none = fluid.level == 0 || fluid.key == chunk::k_empty_key;
        if (!none)
            out_.clip.fluids.push_back({from_corner(pos), key_number(fluid.key, k_any), fluid.level});
        else if (options_.empty_fluids)
            out_.clip.fluids.push_back({from_corner(pos), key_number(chunk::k_empty_key, k_any), 0});
    }

    Result<void> components(ChunkPos pos, const chunk::Chunk& chunk) {
        for (const auto& entry : chunk.block_components().entries()) {
            const auto at = entry.index.pos(pos);
            const auto block = held_.find(at);
            if (block == held_.end() || block->second == k_left_out) continue;
            TRY(auto holder, placed_block_holder(entry.holder, from_corner(at)));
            out_.clip.blocks[block->second].components =
                static_cast<std::int32_t>(out_.clip.components.size());
            out_.clip.components.push_back(std::move(holder));
        }
        return {};
    }

    [[nodiscard]] bool contains(Turn::Point point) const {
        const auto between = [](double value, std::int32_t least, std::int32_t most) {
            return value >= least && value < double{1} + most;
        };
        return between(point.x, box_.least.x, box_.most.x) && between(point.y, box_.least.y, box_.most.y)
               && between(point.z, box_.least.z, box_.most.z);
    }

    Result<void> entities(const chunk::Chunk& chunk) {
        for (const auto& holder : chunk.entities().holders()) {
            const auto point = entity_point(holder);
            if (!point || !contains(*point)) continue;
            TRY(auto entity, placed_entity(holder, {.turn = {},
                                                    .dx = -std::int64_t{box_.least.x},
                                                    .dy = -std::int64_t{box_.least.y},
                                                    .dz = -std::int64_t{box_.least.z}}));
            out_.clip.entities.push_back(std::move(entity));
        }
        return {};
    }

    /// Sections of one world may have been saved by different versions of the game.
    Result<void> settle_keys() {
        auto& clip = out_.clip;
        std::set<std::int32_t> found(counts_.begin(), counts_.end());
        found.erase(k_any);
        clip.migration_count = found.empty() ? table_.count : *found.rbegin();
        if (found.size() <= 1) return {};
        if (clip.migration_count > table_.count)
            return fail(
                error(Errc::unsupported,
                      "the box has block keys after {} and after {} migrations, but only {} are known",
                      *found.begin(), *found.rbegin(), table_.count)
                    .advise("open the world with one version of the game first"));
        clip.migration_count = table_.count;
        for (std::size_t i = 0; i < clip.keys.size(); ++i)
            if (counts_[i] != k_any)
                clip.keys[i] = std::string(table_.apply(std::string(clip.keys[i]), counts_[i]));
        return {};
    }

    static constexpr std::uint32_t k_unknown = 0xFFFF'FFFF;
    static constexpr std::int32_t k_any = -1; ///< of keys that are never renamed
    static constexpr std::size_t k_left_out = std::numeric_limits<std::size_t>::max();

    const storage::Store& store_;
    const BlockBox& box_;
    const TakeOptions& options_;
    chunk::Migrations table_;
    chunk::ChunkReader reader_;
    TakenClip out_;
    std::set<BlockPos> cut_;
    std::map<std::int32_t, std::unordered_map<std::string, std::uint32_t>> keys_;
    std::vector<std::int32_t> counts_;     ///< of each key
    std::map<BlockPos, std::size_t> held_; ///< blocks with components, and where they are in the clip
};

Result<void> check_box(const BlockBox& box, std::uint64_t most_cells) {
    if (box.least.y < 0 || box.most.y >= k_world_height)
        return fail(error(Errc::out_of_range, "the box {} reaches beyond the world", box)
                        .advise(fmt::format("y goes from 0 to {}", k_world_height - 1)));
    if (box.cells() > most_cells)
        return fail(error(Errc::too_large, "the box {} has more than {} cells", box, most_cells)
                        .advise("take it in several parts"));
    return {};
}

} // namespace

Result<TakenClip> take_clip(const storage::Store& store, const BlockBox& box, const world::Assets& assets,
                            const TakeOptions& options) {
    TRY_DO(check_box(box, options.most_cells));
    return ClipTaker(store, box, assets, options).run();
}

Result<std::set<BlockPos>> blocks_cut_by(const storage::Store& store, const BlockBox& box) {
    std::map<BlockPos, std::string> keys; // of bases, as their other cells say
    chunk::ChunkReader reader;
    const auto look = [&](ChunkPos pos) -> Result<void> {
        auto chunk = reader.read(store, pos, chunk::k_blocks | chunk::k_shapes);
        if (!chunk && !box.touches(pos)) return {}; // what is around the box may be damaged
        if (!chunk) return fail(std::move(chunk).error());
        if (*chunk == nullptr) return {};
        for_each_filler(pos, **chunk, [&](BlockPos cell, chunk::Filler filler) {
            if (const auto base = filler.base(cell); box.contains(cell) != box.contains(base))
                keys.try_emplace(base, (*chunk)->block(cell).key);
        });
        return {};
    };
    TRY_DO(for_each_chunk(grown(box, k_largest_filler), look));
    std::set<BlockPos> cut;
    for (const auto& [base, key] : keys) {
        const auto chunk = reader.read(store, base.chunk(), chunk::k_blocks | chunk::k_shapes);
        if (!chunk || *chunk == nullptr) continue;
        const auto block = (*chunk)->block(base);
        if (block.key == key && !block.filler) cut.insert(base); // else its base is gone
    }
    return cut;
}

Result<BlockBox> box_with_whole(const storage::Store& store, const BlockBox& box,
                                const std::set<BlockPos>& bases) {
    auto out = box;
    const auto take_in = [&](BlockPos pos) {
        out.least = {std::min(out.least.x, pos.x), std::min(out.least.y, pos.y),
                     std::min(out.least.z, pos.z)};
        out.most = {std::max(out.most.x, pos.x), std::max(out.most.y, pos.y), std::max(out.most.z, pos.z)};
    };
    chunk::ChunkReader reader;
    TRY_DO(for_each_chunk(grown(box, k_largest_filler), [&](ChunkPos pos) -> Result<void> {
        const auto chunk = reader.read(store, pos, chunk::k_blocks | chunk::k_shapes);
        if (!chunk || *chunk == nullptr) return {};
        for_each_filler(pos, **chunk, [&](BlockPos cell, chunk::Filler filler) {
            if (!bases.contains(filler.base(cell))) return;
            take_in(cell);
            take_in(filler.base(cell));
        });
        return {};
    }));
    return out;
}

} // namespace orbis::jobs
