#pragma once

#include "bytes/result.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace orbis::world {
class Assets;
}

/// What is between worlds on disk and packets on the wire.
namespace orbis::game {

/// Compares names as the game does: letters of ASCII count the same in both cases.
struct FoldedHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const;
};
struct FoldedEqual {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const;
};

/// Names of one kind (blocks, fluids or environments) and their numbers on the wire
/// (docs/formats/column-packets.md). A name keeps its id as long as the table lives, and every view of a name
/// stays valid as long. All functions may be called by several threads at once.
class IdTable {
public:
    /// Names that a table keeps at most; those that come later get the id of `Unknown`.
    static constexpr std::size_t k_most_names = 1 << 20;

    /// The reserved names get the ids from 0 on, new ones those from `first_free` on up to `highest`.
    IdTable(std::span<const std::string_view> reserved, std::int32_t first_free,
            std::int32_t highest = std::numeric_limits<std::int32_t>::max() - 1);

    /// The id of a name, a new one where it had none. That of `Unknown` where the table is full.
    std::int32_t id_of(std::string_view name);
    [[nodiscard]] std::optional<std::int32_t> find(std::string_view name) const;
    /// As it was first written; nothing for an id that has no name.
    [[nodiscard]] std::optional<std::string_view> name(std::int32_t id) const;
    /// Highest id in use or reserved, and one: `maxId` of the packets that announce the names.
    [[nodiscard]] std::int32_t end() const;

    /// Another one for each table, and after each `put`: as long as it stays, so do the ids of names.
    [[nodiscard]] std::uint32_t edition() const { return edition_.load(std::memory_order_acquire); }

    /// For a client: the server says which name an id stands for, instead of what it stood for before.
    Result<void> put(std::int32_t id, std::string_view name);

private:
    [[nodiscard]] bool full() const { return names_.size() >= k_most_names || end_ > highest_; }
    void add(std::int32_t id, std::string_view name);

    static std::uint32_t next_edition();

    mutable std::shared_mutex mutex_;
    std::atomic<std::uint32_t> edition_ = next_edition();
    std::deque<std::string> names_; ///< never removed: views of them are out
    std::unordered_map<std::string_view, std::int32_t, FoldedHash, FoldedEqual> by_name_;
    std::unordered_map<std::int32_t, std::string_view> by_id_;
    std::int32_t unknown_ = 0;
    std::int32_t end_;
    std::int32_t highest_;
};

/// The numbers of one server, or of one connection to a server.
struct WireIds {
    /// Only the reserved ids; a client puts what the server announces.
    WireIds();
    /// Those, and the names of the tables in their order. Names that only a world has are added when they are
    /// met.
    explicit WireIds(const world::Assets& assets);

    IdTable blocks;
    IdTable fluids;
    IdTable environments; ///< up to 65535, as packets have two bytes for one
};

} // namespace orbis::game
