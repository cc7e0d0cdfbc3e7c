#pragma once

#include "bytes/file.hpp"
#include "bytes/progress.hpp"
#include "bytes/result.hpp"
#include "bytes/sha256.hpp"
#include "game/content/pack_facts.hpp"
#include "packets/setup.hpp"
#include "storage/tree.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbis::game {

/// A user's assets that are offered to clients: the files below `Common` of a folder or zip, by the SHA-256
/// of their bytes. The list is made once; files are read when they are asked for. Does not change, so that
/// any number of threads may use it.
class ContentPack {
public:
    /// Bytes of a file that are sent at once. The game allows ten times as much; less is held per player so.
    static constexpr std::size_t k_part = 256 << 10;

    struct Asset {
        std::string hash; ///< 64 lower-case hexadecimal digits
        std::string name; ///< below `Common`, with `/`
        std::uint64_t size = 0;
        /// Of each part, for files of several: what has changed since is seen before it is sent.
        std::vector<Sha256> parts;
    };

    /// Reads and hashes all files, several at a time. Files that cannot be read or offered go to `problems`.
    /// Fails where `path` has neither a folder `Common` nor a folder `Server`.
    static Result<ContentPack> open(const std::filesystem::path& path, Progress& progress,
                                    std::vector<Error>& problems, std::size_t threads = 0);

    [[nodiscard]] const std::vector<Asset>& assets() const { return assets_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    /// For `WorldSettings`; views that live as long as this.
    [[nodiscard]] std::span<const packets::Asset> required_assets() const { return required_; }
    /// The asset of a hash, where several files are the same that with this name; null for an unknown hash.
    [[nodiscard]] const Asset* find(std::string_view hash, std::string_view name = {}) const;
    [[nodiscard]] const Asset* find_name(std::string_view name) const;
    [[nodiscard]] Result<std::unique_ptr<File>> open(const Asset& asset) const;

    /// What its files say of blocks and weather; nothing if it has no folder `Server`.
    [[nodiscard]] const PackFacts& facts() const { return facts_; }

    // Entries of the indices point into the list.
    ContentPack(ContentPack&&) = default;
    ContentPack& operator=(ContentPack&&) = default;
    ContentPack(const ContentPack&) = delete;
    ContentPack& operator=(const ContentPack&) = delete;
    ~ContentPack() = default;

private:
    ContentPack() = default;
    void index();

    storage::Folder common_;
    PackFacts facts_;
    std::vector<Asset> assets_; ///< sorted by name
    std::uint64_t bytes_ = 0;
    std::vector<packets::Asset> required_;
    std::unordered_multimap<std::string_view, const Asset*> by_hash_;
    std::unordered_map<std::string_view, const Asset*> by_name_;
};

} // namespace orbis::game
