// Shows how to count the blocks of a world on all cores: prints the five that it has most of.
#include <algorithm>
#include <orbis/count.hpp>

int main(int, char** arguments) {
    const auto world = orbis::open_world(arguments[1]);
    if (!world) return orbis::report(world.error());
    const auto counts = orbis::count_blocks(*world);
    std::vector<std::pair<std::uint64_t, std::string>> most;
    for (const auto& [key, count] : counts.keys) most.emplace_back(count.cells, key);
    std::ranges::sort(most, std::greater{});
    for (std::size_t i = 0; i < most.size() && i < 5; ++i)
        std::cout << most[i].first << ' ' << most[i].second << '\n';
}
