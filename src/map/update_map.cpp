#include "map/update_map.hpp"

#include "bytes/atomic_file.hpp"
#include "map/world_index.hpp"
#include "page/files.hpp"
#include "storage/write_lock.hpp"

#include <algorithm>

namespace orbis::map {

namespace fs = std::filesystem;

namespace {

/// Made first, so that a folder in which the very first run was killed is known as ours.
constexpr std::string_view k_mark = "orbis-map.txt";
constexpr std::string_view k_mark_text = "A map that orbis makes. Files in here come and go with it.\n";

Result<void> check_target(const fs::path& folder) {
    std::error_code code;
    if (!fs::exists(folder, code)) return {};
    if (fs::is_directory(folder, code) && (fs::is_empty(folder, code) || fs::exists(folder / k_mark, code)))
        return {};
    return fail(error(Errc::exists, "a map needs a new or empty folder, or a map made by orbis; this is {}",
                      fs::is_directory(folder, code) ? "a folder with other files" : "a file")
                    .in_file(folder.string())
                    .advise("choose another folder for the map"));
}

/// Writes a file unless it is there with the same content.
Result<void> settle(MapFiles& files, const fs::path& path, Bytes content) {
    const auto there = read_map_file(path);
    if (there && std::ranges::equal(*there, content)) return {};
    return files.replace(path, content);
}

Result<void> write_page(MapFiles& files, const fs::path& folder) {
    std::set<std::string> assets;
    for (const auto& file : page::files()) {
        if (file.is_of_inspector() || file.is_of_viewer()) continue;
        const fs::path path(file.path);
        if (file.path.starts_with("assets/")) assets.insert(path.lexically_relative("assets").string());
        if (file.path != "index.html") TRY_DO(settle(files, folder / path, file.bytes));
    }
    // Last: it names the others.
    if (const auto* index = page::find("index.html"))
        TRY_DO(settle(files, folder / "index.html", index->bytes));
    if (!assets.empty()) TRY_DO(remove_others(files, folder / "assets", assets));
    return {};
}

/// The folders of all worlds, those of other runs too.
std::set<std::string> world_folders(const fs::path& folder) {
    std::set<std::string> folders;
    std::error_code code;
    for (fs::directory_iterator at(folder / "worlds", code), end; !code && at != end; at.increment(code)) {
        std::error_code unknown;
        if (at->is_directory(unknown)) folders.insert(at->path().filename().string());
    }
    return folders;
}

/// Removes the map of a world that `map.js` does not name any more. The index goes first, so that what a
/// kill leaves of the rest is not taken for a map.
Result<std::uint64_t> remove_world(MapFiles& files, const fs::path& folder) {
    std::error_code code;
    const bool has_index = fs::exists(folder / "world.js", code);
    TRY_DO(files.remove(folder / "world.js"));
    TRY(const auto removed, remove_others(files, folder, {}));
    fs::remove(folder, code);
    return removed + (has_index ? 1 : 0);
}

} // namespace

std::vector<Layer> default_layers() {
    return parse_layers("surface,slice@32..128/32,cave@32..128/32,height,light,environment").value();
}

Result<MapUpdate> update_map(const world::Location& location, const world::Assets& assets, MapFiles& files,
                             const fs::path& folder, const UpdateOptions& options, Progress& progress) {
    TRY_DO(check_target(folder));
    TRY_DO(create_folders(folder));
    TRY(const auto lock, storage::WriteLock::take(folder, true));
    TRY_DO(settle(files, folder / k_mark, as_bytes(k_mark_text)));
    MapUpdate out;
    std::set<std::string> present;
    for (const auto& world : location.worlds) {
        TRY(auto update, update_world(world, assets, files, folder / "worlds" / folder_of_world(world.name),
                                      options, progress));
        out.worlds.push_back(std::move(update));
        present.insert(folder_of_world(world.name));
    }
    out.has_page = !page::files().empty();
    if (out.has_page) TRY_DO(write_page(files, folder));
    std::vector<std::string> kept;
    std::vector<std::string> dropped;
    for (const auto& name : world_folders(folder)) {
        std::error_code code;
        const auto path = folder / "worlds" / name;
        // What a link leads to is not ours to remove.
        if (location.kind == world::Location::Kind::universe && !present.contains(name)
            && !fs::is_symlink(path, code))
            dropped.push_back(name);
        else if (fs::exists(path / "world.js", code))
            kept.push_back(name);
    }
    const auto script = map_script(options.program, options.title, false, kept);
    TRY_DO(settle(files, folder / "map.js", as_bytes(script)));
    for (const auto& name : dropped) {
        TRY(const auto removed, remove_world(files, folder / "worlds" / name));
        out.dropped.push_back({world_of_folder(name), removed});
    }
    return out;
}

} // namespace orbis::map
