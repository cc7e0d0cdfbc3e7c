#pragma once

#include "orbis/export.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis {

class Chunk;
struct ChunkState;

/// A point in a world, in blocks.
struct Point {
    double x = 0;                                                 ///< to the east
    double y = 0;                                                 ///< upwards
    double z = 0;                                                 ///< to the south
    friend bool operator==(const Point&, const Point&) = default; ///< whether both are the same
};

/// A creature, a dropped item, a marker: what a chunk holds besides blocks. Copies are cheap, and it stays
/// valid by itself.
class ORBIS_API Entity {
public:
    /// Its model, or else its item, block or spawn marker; "Entity" where nothing says what it is.
    [[nodiscard]] std::string type() const;
    /// The name that players see; empty for most.
    [[nodiscard]] std::string name() const;
    /// Where it is; nothing where it does not say.
    [[nodiscard]] std::optional<Point> position() const;
    /// The names of its components, in stored order.
    [[nodiscard]] std::vector<std::string> components() const;
    /// One of them as JSON; nothing where it has none of that name.
    [[nodiscard]] std::optional<std::string> component(std::string_view name) const;
    /// All of them as one JSON object (docs/formats/bson.md).
    [[nodiscard]] std::string json() const;

private:
    friend class Chunk;
    Entity(std::shared_ptr<ChunkState> chunk, std::size_t number)
        : chunk_(std::move(chunk)), number_(number) {}

    std::shared_ptr<ChunkState> chunk_;
    std::size_t number_; ///< in the list of the chunk
};

} // namespace orbis
