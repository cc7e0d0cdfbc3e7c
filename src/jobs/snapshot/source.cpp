#include "jobs/snapshot/source.hpp"

#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/of_world.hpp"
#include "jobs/snapshot/view.hpp"

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

std::string how_to_name(const std::string& store) {
    return fmt::format("give {}, or {}@ID with an id from orbis snapshots {}",
                       shell_quoted(store + "@latest"), shell_quoted(store), shell_quoted(store));
}

} // namespace

Result<world::Location> find_source(const std::string& text) {
    std::error_code code;
    const auto at = text.rfind('@');
    if (fs::exists(text, code) || at == std::string::npos) {
        if (!snapshot::SnapshotStore::is_store(text)) return world::find_location(text);
        return fail(error(Errc::usage, "this is a whole store; choose one of its snapshots")
                        .in_file(text)
                        .advise(how_to_name(text)));
    }
    const auto folder = text.substr(0, at);
    if (!fs::exists(folder, code)) return world::find_location(text); // which says that nothing is there
    TRY(const auto store, snapshot::SnapshotStore::open(folder));
    if (at + 1 == text.size())
        return fail(error(Errc::usage, "the name of a snapshot is missing after the @")
                        .in_file(folder)
                        .advise(how_to_name(folder)));
    TRY(const auto snapshot, store.find(text.substr(at + 1)));
    return snapshot::open_snapshot(store, snapshot);
}

std::optional<std::string> store_of_latest(const std::string& text) {
    constexpr std::string_view latest = "@latest";
    std::error_code code;
    if (fs::exists(text, code))
        return snapshot::SnapshotStore::is_store(text) ? std::optional(text) : std::nullopt;
    if (!text.ends_with(latest)) return std::nullopt;
    auto folder = text.substr(0, text.size() - latest.size());
    return snapshot::SnapshotStore::is_store(folder) ? std::optional(std::move(folder)) : std::nullopt;
}

Result<world::Location> find_source(const std::string& text, std::span<const WorldIdentity> worlds) {
    const auto folder = store_of_latest(text);
    if (!folder) return find_source(text);
    TRY(const auto store, snapshot::SnapshotStore::open(*folder));
    TRY(auto found, snapshot::snapshots_of(store, worlds));
    return std::move(found.front().location);
}

} // namespace orbis::jobs
