#include "jobs/snapshot/of_world.hpp"

#include "bytes/joined.hpp"
#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/view.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace orbis::jobs::snapshot {

namespace {

/// The snapshots of one world by the home that they were taken of, each list ascending by time.
using ByHome = std::map<std::string, std::vector<std::size_t>>;

ByHome kin_of(const WorldIdentity& world, const std::vector<OpenedSnapshot>& all) {
    ByHome found;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const auto& candidate : identities_of(all[i].location))
            if (kinship(world, candidate) == Kinship::same) {
                found[candidate.home].push_back(i);
                break;
            }
    return found;
}

bool is_zip(const OpenedSnapshot& snapshot) { return snapshot.source.ends_with(".zip"); }

/// Whether all snapshots of another home are of the time before the world came to its own.
bool was_home_before(const std::vector<std::size_t>& there, const std::vector<std::size_t>& here,
                     const std::vector<OpenedSnapshot>& all) {
    std::error_code code;
    return all[there.back()].time <= all[here.front()].time
           && !std::filesystem::exists(all[there.front()].source, code);
}

Error which_copy(const SnapshotStore& store, const ByHome& homes) {
    std::vector<std::string> names;
    for (const auto& [home, ignored] : homes) names.push_back(home);
    return error(Errc::usage, "this store has snapshots of several copies of this world: {}",
                 joined(names, ", "))
        .in_file(store.path().string())
        .advise(fmt::format("choose one snapshot: orbis snapshots {} lists them with their sources",
                            shell_quoted(store.path().string())));
}

Result<void> choose(const SnapshotStore& store, const WorldIdentity& world,
                    const std::vector<OpenedSnapshot>& all, std::set<std::size_t>& chosen) {
    auto homes = kin_of(world, all);
    const auto take = [&](const std::vector<std::size_t>& some) { chosen.insert(some.begin(), some.end()); };
    std::erase_if(homes, [&](const auto& entry) { // a backup stays what it was
        if (!is_zip(all[entry.second.front()])) return false;
        take(entry.second);
        return true;
    });
    const auto own = homes.find(world.home);
    if (own == homes.end() && homes.size() > 1) return fail(which_copy(store, homes));
    for (const auto& [home, some] : homes)
        if (own == homes.end() || home == world.home || was_home_before(some, own->second, all)) take(some);
    return {};
}

Error none_of_this_world(const SnapshotStore& store, std::span<const WorldIdentity> worlds,
                         const std::vector<OpenedSnapshot>& all) {
    std::set<std::string> sources;
    for (const auto& snapshot : all) sources.insert(snapshot.source);
    const auto path = store.path().string();
    if (all.empty())
        return error(Errc::not_found, "this store has no readable snapshot")
            .in_file(path)
            .advise(fmt::format("check the store: orbis snapshots {} --verify", shell_quoted(path)));
    return error(Errc::not_found, "there is no snapshot of this world, {}; this store has snapshots of {}",
                 worlds.empty() ? "which has no name" : shown(worlds.front()), joined(sources, ", "))
        .in_file(path)
        .advise(
            fmt::format("choose one: orbis snapshots {} lists them with their sources", shell_quoted(path)));
}

} // namespace

Result<std::vector<OpenedSnapshot>> snapshots_of(const SnapshotStore& store,
                                                 std::span<const WorldIdentity> worlds) {
    std::vector<Error> problems;
    auto listed = store.list(problems);
    TRY(auto contents, store.contents(problems));
    std::ranges::stable_sort(listed, {}, [](const Snapshot& one) { return one.manifest.time; });
    const std::shared_ptr<const Contents> shared = std::move(contents);
    std::vector<OpenedSnapshot> all;
    for (const auto& one : listed)
        all.push_back({one.id, one.manifest.source, one.manifest.time, open_snapshot(store, one, shared)});
    std::set<std::size_t> chosen;
    for (const auto& world : worlds) TRY_DO(choose(store, world, all, chosen));
    if (chosen.empty()) return fail(none_of_this_world(store, worlds, all));
    std::vector<OpenedSnapshot> found;
    for (auto number = chosen.rbegin(); number != chosen.rend(); ++number)
        found.push_back(std::move(all[*number]));
    for (auto& world : found.front().location.worlds)
        world.notes.insert(world.notes.end(), problems.begin(), problems.end());
    return found;
}

} // namespace orbis::jobs::snapshot
