// Shows entities, several worlds and problems: lists all that has a name, world by world.
#include <orbis/world.hpp>

int main(int, char** arguments) {
    const auto worlds = orbis::open_universe(arguments[1]);
    if (!worlds) return orbis::report(worlds.error());
    for (const auto& world : *worlds) {
        for (const auto& chunk : world.chunks()) {
            for (const auto& entity : chunk.entities()) {
                const auto at = entity.position();
                if (entity.name().empty() || !at) continue;
                std::cout << world.name() << ": " << entity.type() << " \"" << entity.name() << "\" at "
                          << at->x << ' ' << at->y << ' ' << at->z << '\n';
            }
        }
        for (const auto& problem : world.problems()) orbis::report(problem);
    }
}
