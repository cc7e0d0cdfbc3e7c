#include "bench_world.hpp"
#include "bson/view.hpp"
#include "chunk/chunk_reader.hpp"
#include "harness.hpp"
#include "orbis/world.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <stdexcept>

namespace orbis::bench {

namespace {

/// What the layers do for each chunk of a world, with a reader that is kept from one to the next.
template <typename Use>
Pass inner_pass(const BenchWorld& world, chunk::Parts parts, Use use) {
    return [&world, parts, use, reader = std::make_shared<chunk::ChunkReader>()] {
        std::uint64_t sum = 0;
        const auto cursor = world.store->chunks();
        for (auto next = cursor->next(); next && *next; next = cursor->next()) {
            const auto chunk = reader->read(*world.store, **next, parts);
            if (!chunk || *chunk == nullptr) throw std::runtime_error("a chunk cannot be read");
            sum += use(**chunk);
        }
        benchmark::DoNotOptimize(sum);
    };
}

/// The same through the public classes.
template <typename Use>
Pass public_pass(const World& world, Use use) {
    return [world, use] {
        std::uint64_t sum = 0;
        for (const auto& chunk : world.chunks()) sum += use(chunk);
        benchmark::DoNotOptimize(sum);
    };
}

std::uint64_t inner_counts(const chunk::Chunk& chunk) {
    std::uint64_t sum = 0;
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        const auto cells = section.blocks.histogram();
        for (std::size_t entry = 0; entry + 1 < cells.size(); ++entry)
            sum += cells[entry] * section.block_key(entry).size();
    }
    return sum;
}

std::uint64_t public_counts(const Chunk& chunk) {
    std::uint64_t sum = 0;
    for (const auto& section : chunk.sections()) {
        const auto keys = section.keys();
        const auto cells = section.counts();
        for (std::size_t entry = 0; entry + 1 < cells.size(); ++entry)
            sum += cells[entry] * keys[entry].size();
    }
    return sum;
}

std::uint64_t inner_cells(const chunk::Chunk& chunk) {
    std::array<std::uint16_t, k_cells> cells;
    std::uint64_t sum = 0;
    for (int y = 0; y < k_sections; ++y) {
        chunk.section(y).blocks.expand(cells);
        for (const auto cell : cells) sum += cell;
    }
    return sum;
}

std::uint64_t public_cells(const Chunk& chunk) {
    std::uint64_t sum = 0;
    for (const auto& section : chunk.sections())
        for (const auto cell : section.blocks()) sum += cell;
    return sum;
}

std::uint64_t inner_items(const chunk::Chunk& chunk) {
    std::uint64_t items = 0;
    for (const auto& entry : chunk.block_components().entries()) {
        const auto components = entry.holder.document("Components");
        if (!components) continue;
        for (bson::Cursor at(*components); at.next();) {
            const auto component = at->document();
            const auto container = component ? component->document("ItemContainer") : std::nullopt;
            const auto list = container ? container->document("Items") : std::nullopt;
            if (!list) continue;
            for (bson::Cursor item(*list); item.next();) items += item->document() ? 1U : 0U;
        }
    }
    return items;
}

std::uint64_t public_items(const Chunk& chunk) {
    std::uint64_t items = 0;
    for (const auto& container : chunk.containers()) items += container.items().size();
    return items;
}

void add_rows() {
    const auto& dense = world_for(Terrain::dense);
    const auto world = open_world(dense.chunks.string());
    if (!world) throw std::runtime_error(world.error().text());
    const auto row = [&dense](const std::string& what) {
        return Row{"library: " + what + ", " + dense.name, "× inner", 1.05, Better::lower};
    };
    add_ratio(row("count blocks"), public_pass(*world, public_counts),
              inner_pass(dense, chunk::k_blocks, inner_counts));
    add_ratio(row("cells as arrays"), public_pass(*world, public_cells),
              inner_pass(dense, chunk::k_blocks, inner_cells));
    add_ratio(row("items of containers"), public_pass(*world, public_items),
              inner_pass(dense, chunk::k_block_components, inner_items));
}

const Registration registered(add_rows);

} // namespace

} // namespace orbis::bench
