#pragma once

#include "bytes/bytes.hpp"
#include "map/layer.hpp"
#include "map/unshaded_chunk.hpp"
#include "world/assets.hpp"

#include <cstddef>
#include <memory>
#include <optional>

/// Pixels straight from docs/formats/map.md, one column after the other and as plain as can be: what the
/// painter must agree with on every pixel.
namespace orbis::map::reference {

class World {
public:
    explicit World(const world::Assets& assets = world::Assets::built_in());
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    /// A document that cannot be decoded is left out.
    void add(ChunkPos pos, Buffer document);
    /// How many there are.
    [[nodiscard]] std::size_t chunks() const;

    [[nodiscard]] Rgba pixel(Layer layer, int x, int z) const;
    /// The height that the layer is shaded with; nothing if there is no chunk.
    [[nodiscard]] std::optional<int> height(Layer layer, int x, int z) const;

private:
    class Columns;
    std::unique_ptr<Columns> columns_;
};

} // namespace orbis::map::reference
