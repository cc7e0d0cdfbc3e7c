#include "world/location.hpp"

#include "bytes/joined.hpp"
#include "storage/rocksdb_store.hpp"

#include <algorithm>
#include <sstream>

namespace orbis::world {

namespace fs = std::filesystem;
using storage::Folder;
using storage::Provider;

namespace {

constexpr std::string_view k_advice =
    "give the path of a universe, a world folder, a region file, a RocksDB folder or a backup zip";

bool has_region_files(const Folder& folder) {
    const auto entries = folder.list();
    return entries && std::any_of(entries->begin(), entries->end(), [](const auto& entry) {
               return !entry.is_folder && storage::parse_region_file_name(entry.name).has_value();
           });
}

/// A link in place of a folder. What is behind it is not part of the world, but opening it says why.
bool has_link(const Folder& folder, std::string_view name) {
    const auto entry = folder.find(name);
    return entry && entry->is_link;
}

bool looks_like_world(const Folder& folder) {
    return has_link(folder, "chunks") || has_link(folder, "db") || folder.has_folder("chunks")
           || folder.has_folder("db") || folder.has_file("config.json") || folder.has_file("config.json.bak")
           || folder.has_file("config.bson") || folder.has_file("instance.bson");
}

/// The configured provider, unless the folder plainly holds something else: a world whose provider was
/// changed is copied by the game only at its next start.
Provider provider_for(const Folder& folder, const WorldConfig& config, std::optional<Error>& mismatch) {
    const bool has_chunks = folder.has_folder("chunks");
    const bool has_db = storage::is_rocksdb_folder(folder.sub("db"));
    const auto use = [&](Provider::Type type, std::string_view there, std::string_view missing) {
        mismatch = error(Errc::not_found, "{} is missing for ChunkStorage {}; only {} is there", missing,
                         storage::name(config.provider.type), there)
                       .in_file(folder.shown())
                       .advise(fmt::format("{} is used", there));
        return Provider{.type = type, .loaders = {}, .saver = {}};
    };
    const auto type = config.provider.type;
    if (type == Provider::Type::empty && has_region_files(folder.sub("chunks")))
        mismatch = error(Errc::not_found, "ChunkStorage is Empty, but chunks/ has region files")
                       .in_file(folder.shown())
                       .advise("they are not used; give the path of the chunks/ folder to open them");
    const bool wants_chunks = type == Provider::Type::hytale || type == Provider::Type::indexed_storage;
    if (wants_chunks && !has_chunks && has_db) return use(Provider::Type::rocks_db, "db/", "chunks/");
    if (type == Provider::Type::rocks_db && !has_db && has_chunks)
        return use(Provider::Type::indexed_storage, "chunks/", "db/");
    return config.provider;
}

World make_world(const Folder& folder, std::string name) {
    World world;
    world.name = std::move(name);
    world.folder = folder;
    if (auto own = folder.check_folder(); !own) {
        world.notes.push_back(std::move(own).error());
        return world;
    }
    world.config = read_world_config(folder, world.notes);
    world.provider = provider_for(folder, world.config, world.storage_mismatch);
    if (world.storage_mismatch) world.notes.push_back(*world.storage_mismatch);
    return world;
}

World make_bare(World::Source source, const Folder& folder, std::string name) {
    World world;
    world.name = std::move(name);
    world.folder = folder;
    world.source = source;
    if (source == World::Source::rocksdb) world.provider.type = Provider::Type::rocks_db;
    return world;
}

Result<void> fill_universe(Location& location, const Folder& folder) {
    location.kind = Location::Kind::universe;
    location.root = folder;
    TRY(const auto entries, folder.sub("worlds").list());
    for (const auto& entry : entries)
        if (entry.is_folder || entry.is_link)
            location.worlds.push_back(make_world(folder.sub("worlds").sub(entry.name), entry.name));
    for (auto& world : location.worlds) {
        world.universe = folder;
        world.players = folder.sub("players");
    }
    if (const auto players = folder.sub("players").list())
        location.players =
            static_cast<std::size_t>(std::count_if(players->begin(), players->end(), [](const auto& entry) {
                return !entry.is_folder && entry.name.ends_with(".json");
            }));
    return {};
}

void fill(Location& location, Location::Kind kind, const Folder& folder, World world) {
    location.kind = kind;
    location.root = folder;
    location.worlds.push_back(std::move(world));
}

/// The command that goes on with a conversion, checkout, upgrade or download into this folder, where its note
/// says it.
std::string finishing_command(const Folder& folder) {
    const auto file = folder.open(k_unfinished_note);
    const auto text = file ? read_text(**file, 65536) : Result<std::string>();
    std::istringstream lines(text ? *text : std::string());
    std::string line;
    for (int i = 0; i < 3; ++i) // source, format, command
        if (!std::getline(lines, line)) return {};
    return line;
}

void note_unfinished(World& world, const Folder& folder, const std::string& command) {
    world.finishing_command = command;
    world.unfinished =
        error(Errc::truncated, "this world is incomplete: the command that was creating it was interrupted")
            .in_file(folder.shown())
            .advise(command.empty() ? "run that command again to finish: orbis convert, orbis checkout, or "
                                      "orbis download with --continue"
                                    : "finish it with: " + command);
    world.notes.push_back(*world.unfinished);
}

Result<Location> find_in_folder(Location location, const Folder& folder, const std::string& name) {
    if (const auto readable = folder.list(); !readable) return std::unexpected(readable.error());
    for (const auto* inner : {"worlds", "universe", "universe/worlds"})
        if (has_link(folder, inner)) TRY_DO(folder.check_folder(inner));
    if (folder.has_folder("worlds")) {
        TRY_DO(fill_universe(location, folder));
    } else if (folder.sub("universe").has_folder("worlds")) {
        TRY_DO(fill_universe(location, folder.sub("universe")));
    } else if (storage::is_rocksdb_folder(folder)) {
        fill(location, Location::Kind::rocksdb, folder, make_bare(World::Source::rocksdb, folder, name));
    } else if (has_region_files(folder)) {
        fill(location, Location::Kind::chunks_folder, folder,
             make_bare(World::Source::chunks_folder, folder, name));
    } else if (looks_like_world(folder)) {
        fill(location, Location::Kind::world, folder, make_world(folder, name));
    } else {
        std::vector<std::string> names;
        if (const auto entries = folder.list())
            for (const auto& entry : *entries) names.push_back(entry.name);
        const auto count = names.size();
        if (names.size() > 5) names.resize(5);
        return fail(error(Errc::unknown_kind,
                          "not a Hytale world: no worlds/, chunks/, db/ or config.json; it contains {}{}",
                          count == 0 ? "nothing" : joined(names, ", "),
                          count > names.size() ? fmt::format(" and {} more", count - names.size()) : "")
                        .in_file(location.path)
                        .advise(k_advice));
    }
    if (folder.has_file(k_unfinished_note))
        for (auto& world : location.worlds) note_unfinished(world, folder, finishing_command(folder));
    return location;
}

Result<Location> find_in_file(Location location, const fs::path& path) {
    auto opened = open_file(path, FileMode::read);
    if (!opened) return fail(std::move(opened).error().advise(k_advice));
    const auto file = *std::move(opened);
    TRY(const auto size, file->size());
    TRY(const auto start, file->view(0, std::min<std::uint64_t>(size, 4)));
    if (as_text(start.bytes()).starts_with("PK")) {
        location.is_zip = true;
        TRY(const auto tree, storage::open_zip_tree(path));
        location.zip_comment = tree->comment();
        Folder folder(tree);
        // A zip of a folder has that folder as its only entry.
        if (const auto top = folder.list(); top && top->size() == 1 && top->front().is_folder
                                            && top->front().name != "worlds" && !looks_like_world(folder))
            folder = folder.sub(top->front().name);
        return find_in_folder(std::move(location), folder, path.stem().string());
    }
    const bool named = storage::parse_region_file_name(path.filename().string()).has_value();
    const bool marked = as_text(start.bytes()) == storage::RegionHeader::k_magic.substr(0, 4);
    if (!named && !marked)
        return fail(
            error(Errc::unknown_kind, "not a region file or a zip, but another file of {} bytes", size)
                .in_file(location.path)
                .at(0)
                .advise(k_advice));
    const Folder folder(storage::open_disk_tree(path.has_parent_path() ? path.parent_path() : fs::path("."),
                                                path.filename().string()));
    auto world = make_bare(World::Source::region_file, folder, path.filename().string());
    world.region_file = path;
    fill(location, Location::Kind::region_file, folder, std::move(world));
    return location;
}

} // namespace

std::string_view name(Location::Kind kind) {
    switch (kind) {
    case Location::Kind::universe: return "universe";
    case Location::Kind::world: return "world";
    case Location::Kind::chunks_folder: return "folder of region files";
    case Location::Kind::region_file: return "region file";
    case Location::Kind::rocksdb: return "RocksDB folder";
    }
    return "location";
}

namespace {

/// The universe around a world folder that was named itself.
std::optional<Folder> universe_around(const fs::path& world) {
    const auto worlds = world.parent_path();
    if (worlds.filename() != "worlds") return std::nullopt;
    return Folder(storage::open_disk_tree(worlds.parent_path()));
}

} // namespace

Result<Location> find_location(const fs::path& path) {
    Location location;
    location.path = path.string();
    std::error_code code;
    const auto status = fs::status(path, code);
    if (!fs::exists(status))
        return fail(error(Errc::not_found, "there is no such file or folder")
                        .in_file(location.path)
                        .advise("check the spelling of the path"));
    if (!fs::is_directory(status)) return find_in_file(std::move(location), path);
    const auto whole = fs::weakly_canonical(path, code);
    TRY(location, find_in_folder(std::move(location), Folder(storage::open_disk_tree(path)),
                                 whole.filename().string()));
    if (location.kind == Location::Kind::world) {
        auto& world = location.worlds[0];
        world.universe = universe_around(whole);
        if (world.universe) world.players = world.universe->sub("players");
    }
    return location;
}

Result<const World*> choose_world(const Location& location, std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& world : location.worlds) {
        if (name == world.name || (name.empty() && location.worlds.size() == 1)) return &world;
        names.push_back(world.name);
    }
    if (names.empty())
        return fail(error(Errc::not_found, "this universe has no worlds").in_file(location.path));
    auto problem =
        name.empty()
            ? error(Errc::not_found, "there are {} worlds here: {}", names.size(), joined(names, ", "))
            : error(Errc::not_found, "there is no world named {}; the worlds here are: {}", name,
                    joined(names, ", "));
    return fail(std::move(problem).in_file(location.path).advise("choose one with --world NAME"));
}

Result<const World*> choose_counterpart(const Location& backup, std::string_view wanted, const World& world) {
    if (!wanted.empty()) return choose_world(backup, wanted);
    if (backup.worlds.size() == 1) return &backup.worlds.front();
    const auto& uuid = world.config.uuid;
    const auto has_uuid = [&](const World& candidate) { return candidate.config.uuid == uuid; };
    if (!uuid.empty() && std::ranges::count_if(backup.worlds, has_uuid) == 1)
        return &*std::ranges::find_if(backup.worlds, has_uuid);
    auto chosen = choose_world(backup, world.name);
    if (!chosen) chosen.error().advice = "choose one with --from-world NAME";
    return chosen;
}

Result<Location> narrow_to_world(Location location, std::string_view name) {
    if (name.empty()) return location;
    TRY(const auto* chosen, choose_world(location, name));
    if (location.kind != Location::Kind::universe) return location;
    auto only = *chosen;
    location.kind = Location::Kind::world;
    location.path = only.folder.shown();
    location.root = only.folder;
    location.worlds.clear();
    location.worlds.push_back(std::move(only));
    return location;
}

Result<std::shared_ptr<storage::Store>> World::open(const storage::StoreOptions& options) const {
    switch (source) {
    case Source::provider: return storage::open_store(folder, provider, options);
    case Source::chunks_folder: return storage::open_region_store(folder, options);
    case Source::region_file: return storage::open_single_region(region_file, options);
    case Source::other: return open_other(options);
    case Source::rocksdb: break;
    }
    const auto path = folder.on_disk();
    if (!path)
        return fail(error(Errc::unsupported, "a RocksDB world inside a zip cannot be read there")
                        .in_file(folder.shown())
                        .advise("unpack the zip first"));
    return storage::open_rocksdb_store(*path, options);
}

std::vector<storage::MisplacedFolder> World::misplaced_folders() const {
    if (source == Source::chunks_folder) return storage::misplaced_folders(folder);
    if (source == Source::provider) return storage::misplaced_folders(folder.sub("chunks"));
    return {};
}

} // namespace orbis::world
