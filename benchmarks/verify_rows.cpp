#include "bench_world.hpp"
#include "harness.hpp"
#include "jobs/verify/verify.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <stdexcept>

namespace orbis::bench {

namespace {

/// Everything that `orbis verify` does for a folder of region files.
void verify_all(const world::Location& place, std::size_t threads) {
    NoProgress quiet;
    const auto report = jobs::verify(
        place, world::Assets::built_in(), {.quick = false, .threads = threads}, [](const jobs::Finding&) {},
        quiet);
    if (report.damage > 0) throw std::runtime_error("damage in a world");
    benchmark::DoNotOptimize(report.chunks);
}

void add_rows() {
    for (const auto terrain : {Terrain::dense, Terrain::sparse}) {
        const auto& world = world_for(terrain);
        const auto place = std::make_shared<world::Location>(world::find_location(world.chunks).value());
        add_ratio(
            {"verify: one thread, " + world.name, "× bare zstd", terrain == Terrain::dense ? 1.5 : 3.0,
             Better::lower},
            [place] { verify_all(*place, 1); }, [&world] { world.decompress_all(); });
        const auto wide = [&world,
                           found = std::make_shared<std::optional<world::Location>>()](std::size_t threads) {
            if (!*found) *found = world::find_location(eight_times(world)).value();
            verify_all(**found, threads);
        };
        add_speedup(
            {fmt::format("verify: {} × 8, two threads against one", world.name), "× faster", 1.9,
             Better::higher},
            [wide] { wide(2); }, [wide] { wide(1); });
    }
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
