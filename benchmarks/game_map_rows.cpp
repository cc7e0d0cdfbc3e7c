#include "bench_world.hpp"
#include "game/mapview/map_images.hpp"
#include "harness.hpp"

#include <chrono>
#include <ctime>
#include <thread>

namespace orbis::bench {

namespace {

struct Drawn {
    double milliseconds = 0; ///< of processor time, for each tile
    double kilobytes = 0;    ///< of each frame
};

/// Every tile of the world, from chunks on the disk to frames.
Drawn draw_all(const BenchWorld& world) {
    const map::Colours colours(world::Assets::built_in());
    game::MapImages images(colours, [&](ChunkPos pos, storage::ReadContext& context) {
        return world.store->read(pos, context);
    });
    const auto begin = std::clock();
    for (const auto pos : world.positions) (void)images.get(pos);
    while (!images.is_idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto count = static_cast<double>(world.positions.size());
    Drawn drawn{.milliseconds = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / count};
    for (const auto pos : world.positions)
        if (const auto tile = images.get(pos); tile && tile->frame)
            drawn.kilobytes += static_cast<double>(tile->frame->frame().bytes().size()) / 1024 / count;
    return drawn;
}

void add_rows() {
    const auto& world = world_for(Terrain::dense);
    const auto name = "game: tiles of the game's map, " + world.name;
    add_value({name, "ms each", 1, Better::lower}, [&world] { return draw_all(world).milliseconds; });
    add_value({name, "KiB each", 5, Better::lower}, [&world] { return draw_all(world).kilobytes; });
}

const Registration k_rows(add_rows);

} // namespace

} // namespace orbis::bench
