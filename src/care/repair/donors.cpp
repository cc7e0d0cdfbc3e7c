#include "care/repair/donors.hpp"

#include "bson/writer.hpp"
#include "bytes/utc_text.hpp"
#include "care/source.hpp"
#include "storage/region_store.hpp"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>

namespace orbis::care {

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

/// Of `STORE@2026-01-31T04-00-12Z` what stands for the date, in the form of the game's backups.
fs::path snapshot_date(const std::string& text) {
    auto name = text.substr(text.rfind('@') + 1);
    if (name.size() > 10 && name[10] == 'T') name[10] = '_';
    return name;
}

std::vector<fs::path> zips_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator at(folder, code); !code && at != fs::directory_iterator(); at.increment(code))
        if (at->path().extension() == ".zip") found.push_back(at->path());
    return found;
}

Result<void> add_donor(const fs::path& path, std::vector<Donor>& out) {
    TRY(auto place, world::find_place(path));
    out.push_back({path.string(), date_of(path), std::move(place)});
    return {};
}

} // namespace

Result<std::vector<Donor>> open_donors(const std::vector<std::string>& paths) {
    std::vector<Donor> donors;
    for (const auto& text : paths) {
        const fs::path path(text);
        std::error_code code;
        if (fs::is_directory(path, code)) {
            if (auto place = world::find_place(path)) {
                donors.push_back({text, date_of(path), *std::move(place)});
                continue;
            }
            auto zips = zips_in(path);
            const auto archived = zips_in(path / "archive");
            zips.insert(zips.end(), archived.begin(), archived.end());
            if (!zips.empty()) {
                for (const auto& zip : zips) TRY_DO(add_donor(zip, donors));
                continue;
            }
        }
        TRY(auto place, find_source(text));
        donors.push_back(
            {text, date_of(fs::exists(path, code) ? path : snapshot_date(text)), std::move(place)});
    }
    std::ranges::stable_sort(donors, [](const Donor& a, const Donor& b) { return a.date > b.date; });
    return donors;
}

struct DonorStores::Opened {
    std::shared_ptr<storage::Store> store;
    storage::ReadContext context;
};

DonorStores::DonorStores(const std::vector<Donor>& donors, const std::string& world) : donors_(donors) {
    for (const auto& donor : donors) {
        auto& opened = stores_.emplace_back();
        const auto same = std::ranges::find_if(
            donor.place.worlds, [&](const auto& candidate) { return candidate.name == world; });
        const world::World* chosen = same != donor.place.worlds.end() ? &*same : nullptr;
        if (chosen == nullptr && donor.place.worlds.size() == 1) chosen = &donor.place.worlds.front();
        if (chosen == nullptr) {
            without_.push_back(donor.name);
            continue;
        }
        auto store = chosen->open({});
        if (!store) continue;
        opened = std::make_unique<Opened>();
        opened->store = *std::move(store);
    }
}

DonorStores::~DonorStores() = default;

std::optional<DonorChunk> DonorStores::newest_good(ChunkPos pos) {
    for (std::size_t i = 0; i < stores_.size(); ++i) {
        if (!stores_[i]) continue;
        auto& [store, context] = *stores_[i];
        const auto document = store->read(pos, context);
        if (!document || !*document || !chunk_.read(**document) || !chunk_.problems().empty()
            || !bson::open_validated(**document))
            continue;
        const auto frame = store->read_frame(pos, context);
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
    for (const auto& opened : stores_) {
        if (!opened) continue;
        for (int slot = 0; slot < k_columns; ++slot) {
            const auto pos = region.chunk({slot});
            if (opened->store->contains(pos).value_or(false)) found.push_back(pos);
        }
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

const std::string& DonorStores::name_of(const DonorChunk& chunk) const { return donors_[chunk.donor].name; }

} // namespace orbis::care
