#include "app/command.hpp"
#include "app/completion.hpp"
#include "app/world_argument.hpp"
#include "jobs/snapshot/store.hpp"
#include "protocol/catalogue.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace orbis::app {

namespace {

using jobs::snapshot::SnapshotStore;

/// What these values of parameters are called (options.hpp) says how they are completed.
template <std::size_t Size>
bool is_one_of(std::string_view name, const std::array<std::string_view, Size>& names) {
    return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 9> k_file_names{"PATH", "FILE", "OUT",    "DST",     "SRC",
                                                       "A",    "B",    "BACKUP", "UNIVERSE"};
constexpr std::array<std::string_view, 3> k_folder_names{"FOLDER", "DIR", "STORE"};

/// The snapshots of a store by id and name. `before` stands before each: nothing, or `STORE@`.
Completions snapshots_of(const std::string& folder, const std::string& before) {
    Completions found;
    if (!SnapshotStore::is_store(folder)) return found;
    const auto store = SnapshotStore::open(folder);
    if (!store) return found;
    found.values.push_back({before + "latest", "The newest snapshot"});
    std::vector<Error> ignored;
    for (const auto& one : store->list(ignored)) {
        const auto help = fmt::format("{} of {}", counted(one.manifest.chunks, "chunk"), one.manifest.source);
        found.values.push_back({before + one.id, help});
        if (!one.manifest.name.empty()) found.values.push_back({before + one.manifest.name, help});
    }
    return found;
}

/// A path is left to the shell, but behind `STORE@` come the snapshots of the store.
Completions paths_of(const std::string& typed) {
    if (const auto at = typed.rfind('@'); at != std::string::npos && at > 0)
        if (auto found = snapshots_of(typed.substr(0, at), typed.substr(0, at + 1)); !found.values.empty())
            return found;
    return {.kind = Completions::Kind::files};
}

/// The worlds of the universe that the line names.
Completions worlds_of(const Parameter& parameter, const LineSoFar& line) {
    constexpr std::array<std::string_view, 5> k_here{"PATH", "SRC", "UNIVERSE", "A", "STORE"};
    constexpr std::array<std::string_view, 1> k_there{"--from"};
    constexpr std::array<std::string_view, 1> k_snapshot{"SNAPSHOT"};
    const bool is_other = parameter.names.front() == "--from-world";
    auto path = is_other ? line.value_of(k_there) : line.value_of(k_here);
    if (const auto snapshot = line.value_of(k_snapshot); !is_other && !snapshot.empty())
        path += "@" + snapshot;
    Completions found;
    if (path.empty()) return found;
    for (auto& world : world_names(path)) found.values.push_back({std::move(world), "World"});
    return found;
}

Completions block_keys(std::string_view before) {
    Completions found;
    for (const auto& type : world::Assets::built_in().blocks.all())
        if (!type.key.starts_with('*')) // a state of a block, which nobody types
            found.values.push_back({fmt::format("{}{}", before, type.key), type.group});
    return found;
}

Completions selections(const std::string& typed) {
    constexpr std::string_view k_block = "block:";
    if (typed.starts_with(k_block)) return block_keys(k_block);
    Completions found;
    for (const auto* term : {"all", "beds", "benches", "containers", "entities", "inhabited", "placed"})
        found.values.push_back({term});
    for (const auto* term : {"block:", "blocks:", "chunks:", "region:", "players~", "spawn~", "sql:"})
        found.values.push_back({term});
    found.may_go_on = std::ranges::all_of(found.values, [&](const Candidate& each) {
        return !each.value.starts_with(typed) || each.value.ends_with(':') || each.value.ends_with('~');
    });
    return found;
}

Completions packet_names(const LineSoFar& line) {
    constexpr std::array<std::string_view, 1> k_action{"ACTION"};
    constexpr std::array<std::string_view, 1> k_build{"--build"};
    const auto action = line.value_of(k_action);
    const auto build = line.value_of(k_build);
    Completions found;
    if (action == "encode" || action == "dissector") return found;
    const auto schema = protocol::find_schema(build.empty() ? protocol::k_default_build : build);
    if (!schema) return found;
    for (const auto& packet : (*schema)->registry().packets())
        found.values.push_back({std::string(packet.name), fmt::format("packet {}", packet.id)});
    if (action == "show")
        for (const auto& [name, layout] : (*schema)->layouts())
            if ((*schema)->packet(name) == nullptr) found.values.push_back({name, "type"});
    return found;
}

} // namespace

Completions complete_value(const Parameter& parameter, const std::string& typed, const LineSoFar& line) {
    Completions found;
    const auto& name = parameter.value_name();
    for (const auto& word : parameter.words) found.values.push_back({word});
    if (!found.values.empty()) return found;
    if (is_one_of(name, k_file_names)) return paths_of(typed);
    if (is_one_of(name, k_folder_names)) return {.kind = Completions::Kind::folders};
    if (name == "WORLD") return worlds_of(parameter, line);
    if (name == "KEY") return block_keys("");
    if (name == "SELECTION") return selections(typed);
    if (name == "PACKET") return packet_names(line);
    if (name == "SNAPSHOT") {
        constexpr std::array<std::string_view, 1> k_store{"STORE"};
        return snapshots_of(line.value_of(k_store), "");
    }
    if (name == "BUILD")
        for (const auto& build : protocol::builds())
            found.values.push_back({std::string(build.build), "Build"});
    if (name == "VERB")
        for (const auto& verb : verbs()) found.values.push_back({verb.name, verb.summary});
    return found;
}

} // namespace orbis::app
