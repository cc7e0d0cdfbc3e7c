// Shows cells of whole sections and a walk on all cores: at which height is a block (WORLD KEY) most
// frequent?
#include <algorithm>
#include <array>
#include <orbis/world.hpp>

int main(int, char** arguments) {
    using Heights = std::array<std::uint64_t, orbis::k_world_height>;
    const std::string wanted = arguments[2];
    const auto world = orbis::open_world(arguments[1]);
    if (!world) return orbis::report(world.error());
    Heights total{};
    world->gather_chunks(
        // on any thread: the cells of one chunk
        [&wanted](const orbis::Chunk& chunk) {
            Heights found{};
            for (const auto& section : chunk.sections()) {
                const auto keys = section.keys();
                if (std::ranges::find(keys, wanted) == keys.end()) continue; // most sections end here
                for (std::size_t cell = 0; cell < orbis::k_cells; ++cell)
                    if (keys[section.blocks()[cell]] == wanted)
                        ++found[static_cast<std::size_t>(section.y()) * 32 + (cell >> 10)];
            }
            return found;
        },
        // one after another: no lock is needed
        [&total](orbis::ChunkPos, const Heights& found) {
            for (std::size_t y = 0; y < total.size(); ++y) total[y] += found[y];
        });
    const auto most = std::ranges::max_element(total);
    std::cout << wanted << ": " << *most << " cells at y " << most - total.begin() << '\n';
}
