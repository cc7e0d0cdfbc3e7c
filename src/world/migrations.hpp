#pragma once

#include "chunk/migrations.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbis::world {

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

/// Old key to new key.
using Renames = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;

/// One step: what blocks were called before, and what they are called after it.
struct Migration {
    Renames direct;
    Renames names; ///< asked where `direct` does not know the key
};

/// Migrations are numbered from 0; no game has had more than a dozen.
inline constexpr unsigned k_last_migration = 4095;

/// The block migrations of the game, and those that assets added (docs/formats/tables.md).
class Migrations {
public:
    /// Adds the step with that number, or adds its renames to those that are there.
    void put(unsigned number, Migration&& migration);

    /// How many steps there are before the first number that is missing. A section that was saved with this
    /// count needs no migration.
    [[nodiscard]] std::size_t count() const;

    /// The key that a block saved at `stored` migrations has now. The text lives as long as `key` and this.
    [[nodiscard]] std::string_view apply(std::string_view key, std::size_t stored) const;

    /// The table as chunks take it; it refers to this one.
    [[nodiscard]] chunk::Migrations for_chunks() const;

private:
    struct Step {
        bool present = false;
        Migration renames;
    };
    std::vector<Step> steps_;
};

} // namespace orbis::world
