#include "bench_world.hpp"
#include "harness.hpp"
#include "query/database.hpp"
#include "world/location.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

namespace orbis::bench {

namespace {

/// Asks one question of a world again and again, with one thread.
Pass question(const BenchWorld& world, std::string sql) {
    auto location = world::find_location(world.chunks);
    if (!location) throw std::runtime_error(location.error().text());
    auto database = query::Database::open(*std::move(location), {});
    if (!database) throw std::runtime_error(database.error().text());
    return [database = std::shared_ptr<query::Database>(*std::move(database)), sql = std::move(sql)] {
        auto statement = database->prepare(sql);
        if (!statement) throw std::runtime_error(statement.error().text());
        std::uint64_t rows = 0;
        for (auto next = statement->next(); next && *next; next = statement->next()) ++rows;
        benchmark::DoNotOptimize(rows);
    };
}

void add_rows() {
    struct Asked {
        const char* name;
        const char* sql;
        double goal;
    };
    for (const auto terrain : {Terrain::dense, Terrain::sparse}) {
        const auto& world = world_for(terrain);
        for (const auto& asked :
             {Asked{"count(*) of blocks by one key", "SELECT count(*) FROM blocks WHERE key = 'Rock_Stone'",
                    1.2},
              Asked{"positions of blocks by a pattern",
                    "SELECT count(x) FROM blocks WHERE key GLOB 'Ore_Iron*'", 1.2},
              Asked{"block_counts grouped", "SELECT key, sum(cells) FROM block_counts GROUP BY key", 1.15},
              Asked{"chunks without documents", "SELECT count(x) FROM chunks", 0.05}})
            add_ratio({fmt::format("sql: {}, {}", asked.name, world.name), "× bare zstd", asked.goal,
                       Better::lower},
                      question(world, asked.sql), [&world] { world.decompress_all(); });
    }
}

const Registration registered_questions(add_rows);

} // namespace

} // namespace orbis::bench
