#include "app/describe_place.hpp"

#include <fmt/format.h>

namespace orbis::app {

std::string kind_text(const world::Place& place) {
    return fmt::format("{}{}", world::name(place.kind), place.is_zip ? " in a zip" : "");
}

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", human_count(count), thing, count == 1 ? "" : "s");
}

bool print_notes(Console& console, const world::World& world) {
    for (const auto& note : world.notes) console.problem(note);
    return !world.notes.empty();
}

} // namespace orbis::app
