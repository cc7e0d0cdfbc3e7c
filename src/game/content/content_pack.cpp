#include "game/content/content_pack.hpp"

#include "bytes/hex.hpp"
#include "bytes/parallel.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace orbis::game {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_longest_asset_name = 512;
constexpr std::size_t k_most_files = 500'000;
constexpr std::size_t k_most_pack_problems = 1000;
constexpr int k_deepest_folder = 64;
constexpr std::uint64_t k_largest_asset = std::numeric_limits<std::int32_t>::max();
constexpr const char* k_folder = "Common";

void report(std::vector<Error>& problems, Error problem) {
    if (problems.size() < k_most_pack_problems) problems.push_back(std::move(problem));
}

/// The folder `Common`, which may stand deeper as in the zips of mods.
std::optional<storage::Folder> find_common(const storage::Folder& root) {
    if (root.has_folder(k_folder)) return root.sub(k_folder);
    const auto entries = root.list();
    if (!entries) return std::nullopt;
    for (const auto& entry : *entries)
        if (entry.is_folder && root.sub(entry.name).has_folder(k_folder))
            return root.sub(entry.name).sub(k_folder);
    return std::nullopt;
}

class AssetWalk {
public:
    explicit AssetWalk(std::vector<Error>& problems) : problems_(problems) {}

    void folder(const storage::Folder& folder, const std::string& prefix, int depth) {
        const auto entries = folder.list();
        if (!entries) return report(problems_, entries.error());
        if (depth > k_deepest_folder)
            return report(problems_,
                          error(Errc::too_deep, "folders deeper than {} are left out", k_deepest_folder)
                              .in_file(folder.shown()));
        for (const auto& entry : *entries) {
            auto name = prefix + entry.name;
            if (entry.is_folder)
                this->folder(folder.sub(entry.name), name + "/", depth + 1);
            else
                file(folder, entry, std::move(name));
        }
    }

    std::vector<ContentPack::Asset> found;

private:
    void file(const storage::Folder& folder, const storage::TreeEntry& entry, std::string name) {
        if (name.size() > k_longest_asset_name || entry.size > k_largest_asset
            || found.size() >= k_most_files)
            return report(problems_,
                          error(Errc::too_large,
                                "not offered: expected at most {} bytes, a name of {} and {} files",
                                k_largest_asset, k_longest_asset_name, k_most_files)
                              .in_file(folder.shown(entry.name)));
        found.push_back({.hash = {}, .name = std::move(name), .size = entry.size, .parts = {}});
    }

    std::vector<Error>& problems_;
};

/// Fills in hashes from the bytes as they are now.
Result<void> hash_file(const storage::Folder& common, ContentPack::Asset& asset) {
    TRY(const auto file, common.open(asset.name));
    TRY(asset.size, file->size());
    if (asset.size > k_largest_asset) return fail(Errc::too_large, "{} bytes: not offered", asset.size);
    TRY(const auto view, file->view(0, asset.size));
    asset.hash = sha256_hex(view.bytes());
    if (asset.size > ContentPack::k_part)
        for (std::size_t at = 0; at < asset.size; at += ContentPack::k_part)
            asset.parts.push_back(sha256(
                view.bytes().subspan(at, std::min<std::size_t>(ContentPack::k_part, asset.size - at))));
    return file->check(view);
}

} // namespace

Result<ContentPack> ContentPack::open(const fs::path& path, Progress& progress, std::vector<Error>& problems,
                                      std::size_t threads) {
    std::error_code code;
    const auto status = fs::status(path, code);
    if (!fs::exists(status))
        return fail(error(Errc::not_found, "there is no such file or folder")
                        .in_file(path.string())
                        .advise("check the spelling of the path"));
    std::shared_ptr<const storage::Tree> tree;
    if (fs::is_directory(status)) {
        tree = storage::open_disk_tree(path);
    } else {
        TRY(tree, storage::open_zip_tree(path));
    }
    const auto common = find_common(storage::Folder(tree));
    // A pack of textures and sounds alone has no folder `Server`, one of rules alone no folder `Common`.
    auto facts = PackFacts::read(path, problems);
    if (!common && !facts)
        return fail(error(Errc::unknown_kind, "it has no folder '{}' and no folder 'Server'", k_folder)
                        .in_file(path.string())
                        .advise("give the assets folder of the game or of a mod, or its zip"));
    ContentPack pack;
    if (facts) pack.facts_ = *std::move(facts);
    if (!common) return pack;
    pack.common_ = *common;

    AssetWalk walk(problems);
    walk.folder(*common, {}, 0);
    auto& found = walk.found;
    progress.begin("assets", found.size());
    if (threads == 0) threads = default_threads();
    std::vector<std::pair<std::size_t, Result<void>>> slots(in_flight_limit(threads));
    std::size_t next = 0;
    run_ordered({.pull =
                     [&](std::size_t ticket) {
                         if (next == found.size()) return false;
                         slots[ticket] = {next++, Result<void>{}};
                         return true;
                     },
                 .work =
                     [&](std::size_t ticket, std::size_t) {
                         auto& [place, done] = slots[ticket];
                         done = hash_file(*common, found[place]);
                     },
                 .push =
                     [&](std::size_t ticket) {
                         auto& [place, done] = slots[ticket];
                         if (done)
                             pack.assets_.push_back(std::move(found[place]));
                         else
                             report(problems,
                                    std::move(done).error().in_file(common->shown(found[place].name)));
                         progress.step();
                     }},
                threads);
    pack.index();
    return pack;
}

void ContentPack::index() {
    std::ranges::sort(assets_, {}, &Asset::name);
    required_.reserve(assets_.size());
    for (const auto& asset : assets_) {
        bytes_ += asset.size;
        required_.push_back({.hash = asset.hash, .name = asset.name});
        by_hash_.emplace(asset.hash, &asset);
        by_name_.emplace(asset.name, &asset);
    }
}

const ContentPack::Asset* ContentPack::find(std::string_view hash, std::string_view name) const {
    const auto [first, last] = by_hash_.equal_range(hash);
    if (first == last) return nullptr;
    for (auto it = first; it != last; ++it)
        if (it->second->name == name) return it->second;
    return first->second;
}

const ContentPack::Asset* ContentPack::find_name(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

Result<std::unique_ptr<File>> ContentPack::open(const Asset& asset) const { return common_.open(asset.name); }

} // namespace orbis::game
