#pragma once

#include "bytes/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::game {

/// The kinds of JSON files of an assets tree that registries are made from (docs/formats/registries.md).
enum class PackKind : std::uint8_t {
    item,
    block, ///< files of their own, and those within items and their states
    hitbox,
    block_sounds,
    item_sounds,
    sound_set,
    sound_event,
    audio_category,
    fluid,
    fluid_look,
    environment,
    weather,
    stat,
    root,        ///< files of their own, and those within other files
    interaction, ///< the same
    unarmed,
    model,
    movement,
    gameplay,
    quality,
    reticle,
    item_animations,
    resource,
};
inline constexpr std::size_t k_pack_kinds = 23;

/// What a file says, and behind it what its parents say.
struct PackObject {
    std::string_view id;
    std::string_view file; ///< for messages
    std::span<const nlohmann::json* const> chain;
    const nlohmann::json* item_tags = nullptr; ///< of a block in an item: those of the item

    /// The member that counts: the first in the chain. Null if there is none, or if it says null.
    [[nodiscard]] const nlohmann::json* find(std::string_view key) const;
};

/// The JSON files of an assets tree, with what they take from their parents. Files that are no use are left
/// out with a message. All of them together may have 64 MiB and six million values.
class PackDocuments {
public:
    PackDocuments();
    ~PackDocuments();
    PackDocuments(PackDocuments&&) noexcept;
    PackDocuments& operator=(PackDocuments&&) noexcept;

    static std::optional<PackKind> kind_of(std::string_view path);

    /// Takes one file; of several with the same name the last counts. The document that it became.
    Result<const nlohmann::json*> read(PackKind kind, std::string_view path, std::string_view text);
    /// Follows the parents, and finds what is inside of other files: blocks, states, interactions.
    void finish(std::vector<Error>& problems);

    /// All objects of a kind by their ids.
    [[nodiscard]] std::vector<PackObject> all(PackKind kind) const;
    [[nodiscard]] std::optional<PackObject> find(PackKind kind, std::string_view id) const;

private:
    struct Entry {
        std::string file;
        std::vector<const nlohmann::json*> chain;
        const nlohmann::json* item_tags = nullptr;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    struct File;
    Result<std::vector<const nlohmann::json*>> chain_of(PackKind kind, const std::string& id,
                                                        std::vector<Error>& problems) const;
    Result<std::vector<const nlohmann::json*>> block_chain(const std::string& id) const;
    void add_blocks(std::vector<Error>& problems);
    void add_states(const std::string& id, const Entry& block, int depth);
    void add_inline(PackKind kind, const std::string& id, const std::string& file,
                    const nlohmann::json& document, int depth);

    std::array<std::map<std::string, std::unique_ptr<File>, std::less<>>, k_pack_kinds> files_;
    std::array<Entries, k_pack_kinds> entries_;
    std::size_t bytes_ = 0;
    std::size_t values_ = 0;
};

} // namespace orbis::game
