#include "bench_world.hpp"
#include "harness.hpp"
#include "query/database.hpp"
#include "query_memory.hpp"
#include "support/shared.hpp"
#include "world/location.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
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

/// How long a question about a box of 100 x 100 x 100 blocks takes, with everything from opening the world
/// on, in milliseconds: the best of several.
double box_time(const BenchWorld& world) {
    const test::TemporaryFolder folder;
    make_large_world(world, folder.path());
    double best = 1e9;
    for (int i = 0; i < amount(10, 1); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        auto location = world::find_location(folder / "chunks");
        if (!location) throw std::runtime_error(location.error().text());
        auto database = query::Database::open(*std::move(location), {}).value();
        auto statement =
            database->prepare("SELECT key, count(*) FROM blocks WHERE x BETWEEN 10 AND 109 AND y BETWEEN 20 "
                              "AND 119 AND z BETWEEN 30 AND 129 AND key GLOB 'Ore_*' GROUP BY key");
        for (auto next = statement->next(); next && *next;) next = statement->next();
        const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
        best = std::min(best, taken.count());
    }
    return best;
}

/// The most memory that a program takes which answers one question, in MiB.
double peak_memory(const BenchWorld& world, int threads, const std::string& sql) {
    const test::TemporaryFolder folder;
    make_large_world(world, folder.path());
    const auto command =
        fmt::format("{} --ask {} {} \"{}\"", std::filesystem::read_symlink("/proc/self/exe").string(),
                    (folder / "chunks").string(), threads, sql);
    FILE* const out = popen(command.c_str(), "r");
    long peak = 0;
    const bool told = out != nullptr && std::fscanf(out, "%ld", &peak) == 1; // NOLINT
    const bool ended = out != nullptr && pclose(out) == 0;
    if (!told || !ended) throw std::runtime_error("the question failed");
    return static_cast<double>(peak) / 1024;
}

void add_large_rows() {
    const auto& world = world_for(Terrain::sparse);
    add_value({fmt::format("sql: a box of 100 blocks of 102,400 chunks, {} in many slots", world.name), "ms",
               30, Better::lower},
              [&world] { return box_time(world); });
    struct Asked {
        const char* name;
        const char* sql;
    };
    for (const int threads : {1, 2})
        for (const auto& asked :
             {Asked{"counts", "SELECT key, sum(cells) FROM block_counts GROUP BY key"},
              Asked{"positions", "SELECT count(x) FROM blocks WHERE key GLOB 'Ore_Gold*'"}})
            add_value(
                {fmt::format("sql: memory of {}, 102,400 chunks, {} thread{}, {} in many slots", asked.name,
                             threads, threads == 1 ? "" : "s", world.name),
                 "MiB", 64, Better::lower},
                [&world, threads, sql = std::string(asked.sql)] { return peak_memory(world, threads, sql); });
}

void add_rows() {
    add_large_rows();
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

int ask_and_exit(const std::string& chunks, std::size_t threads, const std::string& sql) {
    auto location = world::find_location(chunks);
    if (!location) return 1;
    query::SessionOptions options;
    options.threads = threads;
    auto database = query::Database::open(*std::move(location), std::move(options));
    if (!database) return 1;
    auto statement = (*database)->prepare(sql);
    if (!statement) return 1;
    for (auto next = statement->next(); next && *next;) next = statement->next();
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) std::printf("%s\n", line.substr(6).c_str());
    return 0;
}

} // namespace orbis::bench
