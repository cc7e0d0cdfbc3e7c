#include "app/describe_place.hpp"

#include "bytes/shell_quote.hpp"
#include "care/snapshot/world_identity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

std::string kind_text(const world::Place& place) {
    return fmt::format("{}{}", world::name(place.kind), place.is_zip ? " in a zip" : "");
}

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", human_count(count), thing, count == 1 ? "" : "s");
}

std::string place_argument(const std::filesystem::path& path, std::string_view world) {
    return shell_quoted(path.string()) + (world.empty() ? "" : " --world " + shell_quoted(world));
}

Error no_such_chunk(const storage::Store& store, ChunkPos pos, std::string_view place) {
    return error(Errc::not_found,
                 "this chunk is not stored; the game has not generated it, or it was removed")
        .in_file(store.name())
        .at(pos)
        .advise(fmt::format("orbis ls {} lists the chunks that are there", place));
}

void describe(JsonWriter& json, const care::ConvertReport& report) {
    json.member("written", report.written)
        .member("already_there", report.already_there)
        .member("verified", report.verified)
        .member("files_copied", report.files_copied)
        .member("missing", report.missing)
        .member("problems", report.problems.size());
}

bool print_notes(Console& console, const world::World& world) {
    for (const auto& note : world.notes) console.problem(note);
    return world.unfinished.has_value();
}

void note_other_world(Console& console, const world::World& world, const world::World& backup) {
    const auto ours = care::identity_of(world);
    const auto theirs = care::identity_of(backup);
    if (care::kinship(ours, theirs) == care::Kinship::other)
        console.note(
            fmt::format("the backup is of another world: {}; this one is {}", shown(theirs), shown(ours)));
}

} // namespace orbis::app
