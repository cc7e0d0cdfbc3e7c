#include "jobs/repair/donors.hpp"

#include "bson/writer.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/snapshot/of_world.hpp"
#include "jobs/snapshot/source.hpp"
#include "storage/region_store.hpp"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

/// The game names backups `2026-01-31_04-00-12.zip`.
std::string date_of(const fs::path& path) {
    const auto name = path.stem().string();
    constexpr std::string_view shape = "dddd-dd-dd_dd-dd-dd";
    const bool fits = name.size() >= shape.size()
                      && std::equal(shape.begin(), shape.end(), name.begin(), [](char wanted, char found) {
                             return wanted == 'd' ? found >= '0' && found <= '9' : wanted == found;
                         });
    if (fits) {
        auto date = name.substr(0, shape.size());
        date[10] = ' ';
        date[13] = date[16] = ':';
        return date;
    }
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return {};
    return utc_text(std::chrono::sys_seconds(std::chrono::seconds(status.st_mtime)), UtcForm::date_time);
}

std::vector<fs::path> zips_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator at(folder, code); !code && at != fs::directory_iterator(); at.increment(code))
        if (at->path().extension() == ".zip") found.push_back(at->path());
    return found;
}

Result<void> add_zip(const fs::path& path, std::vector<Donor>& out) {
    TRY(auto location, world::find_location(path));
    out.push_back({path.string(), date_of(path), std::move(location), false});
    return {};
}

std::string date_of_snapshot(std::int64_t time) {
    return utc_text(std::chrono::sys_seconds(std::chrono::seconds(time)), UtcForm::date_time);
}

/// All snapshots of these worlds; the name of one that was taken of another path says so.
Result<void> add_snapshots(const std::string& folder, const std::vector<WorldIdentity>& worlds,
                           std::vector<Donor>& out) {
    TRY(const auto store, snapshot::SnapshotStore::open(folder));
    TRY(auto found, snapshot::snapshots_of(store, worlds));
    for (auto& one : found) {
        const auto homes = identities_of(one.location);
        const bool is_here = std::ranges::any_of(homes, [&](const WorldIdentity& taken) {
            return std::ranges::find(worlds, taken.home, &WorldIdentity::home) != worlds.end();
        });
        auto name = one.location.path + (is_here ? std::string() : fmt::format(" (of {})", one.source));
        out.push_back({std::move(name), date_of_snapshot(one.time), std::move(one.location)});
    }
    return {};
}

Result<void> add_donors(const std::string& text, const std::vector<WorldIdentity>& worlds,
                        std::vector<Donor>& out) {
    if (const auto folder = store_of_latest(text)) return add_snapshots(*folder, worlds, out);
    const fs::path path(text);
    std::error_code code;
    if (fs::is_directory(path, code)) {
        if (auto location = world::find_location(path)) {
            out.push_back({text, date_of(path), *std::move(location)});
            return {};
        }
        auto zips = zips_in(path);
        const auto archived = zips_in(path / "archive");
        zips.insert(zips.end(), archived.begin(), archived.end());
        for (const auto& zip : zips) TRY_DO(add_zip(zip, out));
        if (!zips.empty()) return {};
    }
    if (fs::exists(path, code) || text.find('@') == text.npos) {
        TRY(auto location, find_source(text));
        out.push_back({text, date_of(path), std::move(location)});
        return {};
    }
    TRY(auto location, find_source(text));
    // The path of STORE@NAME ends with the id, which is a time: 2026-01-31T04-00-12Z.
    auto id = location.path.substr(location.path.rfind('@') + 1);
    if (id.size() > 10 && id[10] == 'T') id[10] = '_';
    out.push_back({text, date_of(id), std::move(location)});
    return {};
}

Error other_world(const Donor& donor, const world::Location& location) {
    const auto theirs = identities_of(donor.location);
    const auto ours = identities_of(location);
    return error(Errc::usage, "this backup is of another world, {}; nothing was changed",
                 theirs.empty() ? "without chunks" : shown(theirs.front()))
        .in_file(donor.name)
        .advise(fmt::format("this world is {}; to use the backup anyway, add --other-world (a world gets "
                            "another UUID when its config.json was lost)",
                            ours.empty() ? location.path : shown(ours.front())));
}

} // namespace

Counterpart counterpart_of(const WorldIdentity& world, bool alone, const world::Location& backup,
                           const DonorOptions& options) {
    const auto& worlds = backup.worlds;
    const world::World* same = nullptr;
    const world::World* named = nullptr;
    for (const auto& candidate : worlds) {
        const bool has_name = candidate.name == world.name;
        if (has_name) named = &candidate;
        if (kinship(world, identity_of(candidate)) == Kinship::same && (same == nullptr || has_name))
            same = &candidate;
    }
    if (same != nullptr) return {same};
    if (named == nullptr && alone && worlds.size() == 1) named = &worlds.front();
    if (named == nullptr) return {};
    return {named, !options.other_world && kinship(world, identity_of(*named)) == Kinship::other};
}

bool is_of_universe(const world::Location& location, const Donor& donor, const DonorOptions& options) {
    return location.worlds.empty() || std::ranges::any_of(location.worlds, [&](const world::World& world) {
               const auto found =
                   counterpart_of(identity_of(world), location.worlds.size() == 1, donor.location, options);
               return found.world != nullptr && !found.is_other;
           });
}

Result<std::vector<Donor>> open_donors(const std::vector<std::string>& paths, const world::Location& location,
                                       const DonorOptions& options, std::vector<std::string>& notes) {
    std::vector<Donor> donors;
    const auto worlds = identities_of(location);
    for (const auto& text : paths) TRY_DO(add_donors(text, worlds, donors));
    const auto is_all_other = [&](const Donor& donor) {
        return !is_of_universe(location, donor, options)
               && std::ranges::any_of(worlds, [&](const WorldIdentity& world) {
                      return counterpart_of(world, worlds.size() == 1, donor.location, options).is_other;
                  });
    };
    for (const auto& donor : donors)
        if (donor.is_named && is_all_other(donor)) return fail(other_world(donor, location));
    std::erase_if(donors, [&](const Donor& donor) {
        if (!is_all_other(donor)) return false;
        notes.push_back(fmt::format(
            "{} is a backup of another world and was skipped; add --other-world to use it", donor.name));
        return true;
    });
    std::ranges::stable_sort(donors, [](const Donor& a, const Donor& b) { return a.date > b.date; });
    return donors;
}

DonorStores::DonorStores(const std::vector<Donor>& donors, const world::World& world, bool alone,
                         const DonorOptions& options)
    : donors_(donors), stores_(donors.size()) {
    const auto identity = identity_of(world);
    for (const auto& donor : donors) {
        const auto found = counterpart_of(identity, alone, donor.location, options);
        worlds_.push_back(found.is_other ? nullptr : found.world);
        if (found.is_other) other_.push_back(donor.name);
        if (found.world == nullptr) without_.push_back(donor.name);
    }
}

DonorStores::~DonorStores() = default;

storage::Store* DonorStores::opened(std::size_t donor) {
    if (worlds_[donor] == nullptr) return nullptr;
    if (!stores_[donor]) {
        auto store = worlds_[donor]->open({});
        if (!store) worlds_[donor] = nullptr;
        if (!store) return nullptr;
        stores_[donor] = *std::move(store);
    }
    return stores_[donor].get();
}

std::optional<DonorChunk> DonorStores::newest_good(ChunkPos pos) {
    for (std::size_t i = 0; i < stores_.size(); ++i) {
        const auto* store = opened(i);
        if (store == nullptr) continue;
        const auto chunk = reader_.read(*store, pos);
        if (!chunk || *chunk == nullptr || !(*chunk)->problems().empty()
            || !bson::open_validated((*chunk)->document()))
            continue;
        const auto frame = store->read_compressed(pos, reader_.context());
        if (!frame || !*frame) continue;
        return DonorChunk{i, Buffer((*frame)->bytes.begin(), (*frame)->bytes.end()), (*frame)->raw_size};
    }
    return std::nullopt;
}

std::size_t DonorStores::likeness(ChunkPos pos, Bytes document) {
    const auto found = newest_good(pos);
    if (!found) return 0;
    Decompressor decompressor;
    const auto content = decompressor.decompress(found->frame, found->raw_size, storage::k_largest_document);
    chunk::Chunk own;
    chunk::Chunk other;
    if (!content || !own.read(document) || !other.read(*content)) return 0;
    const auto data_of = [](const chunk::Chunk& chunk, std::initializer_list<std::string_view> path) {
        const auto root = bson::Document::open(chunk.document());
        const auto element = root ? root->find_path(path) : std::nullopt;
        return element ? as_text(element->value()) : std::string_view();
    };
    std::size_t alike = 0;
    const auto compare = [&](std::initializer_list<std::string_view> path) {
        const auto mine = data_of(own, path);
        if (!mine.empty() && mine == data_of(other, path)) ++alike;
    };
    compare({"Components", "BlockChunk", "Data"});
    compare({"Components", "EnvironmentChunk", "Data"});
    for (std::size_t y = 0; y < k_sections; ++y)
        compare({"Components", "ChunkColumn", "Sections", bson::index_key(y), "Components", "Block", "Data"});
    return alike;
}

std::vector<ChunkPos> DonorStores::chunks_of(RegionPos region) {
    std::vector<ChunkPos> found;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
        const auto* store = opened(i);
        if (store == nullptr) continue;
        for (int slot = 0; slot < k_columns; ++slot) {
            const auto pos = region.chunk({slot});
            if (store->contains(pos).value_or(false)) found.push_back(pos);
        }
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

ChunksByRegion DonorStores::missing(const ChunkSet& present, std::map<RegionPos, std::string>& newest) {
    ChunksByRegion found;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
        if (worlds_[i] == nullptr) continue;
        auto store = stores_[i] ? stores_[i] : worlds_[i]->open({}).value_or(nullptr);
        if (!store) continue;
        add_missing(present, *store, found);
        for (const auto& [pos, chunks] : found) newest.try_emplace(pos, donors_[i].name);
    }
    return found;
}

const std::string& DonorStores::name_of(const DonorChunk& chunk) const { return donors_[chunk.donor].name; }

} // namespace orbis::jobs
