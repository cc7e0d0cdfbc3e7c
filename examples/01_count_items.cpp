// Shows how to open a world and look into its containers: prints how many stacks of items they hold.
#include <orbis/world.hpp>

int main(int, char** arguments) {
    auto world = orbis::open_world(arguments[1]);
    if (!world) return orbis::report(world.error());
    long chests = 0;
    for (const auto& chunk : world->chunks())
        for (const auto& container : chunk.containers()) chests += container.items().size();
    std::cout << chests << '\n';
}
