#pragma once

#include "bytes/result.hpp"
#include "chunk/parts.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::map {

/// What a map can show (docs/formats/map.md has the formula of each).
enum class LayerKind : std::uint8_t {
    surface,     ///< as the game's own map
    slice,       ///< the same with everything above a height taken away
    cave,        ///< open space below the ground and below a height, rock dark
    height,      ///< heights as colours, with lines
    light,       ///< the world at night: where lamps shine, and where nothing does
    environment, ///< a colour per environment
};

struct Layer {
    LayerKind kind = LayerKind::surface;
    int y = 0; ///< of slice and cave, 0…319; 0 for the others

    [[nodiscard]] bool has_height() const { return kind == LayerKind::slice || kind == LayerKind::cave; }
    friend constexpr auto operator<=>(Layer, Layer) = default;
};

/// `surface`, `height`, `light`, `environment`, `slice@64`, `cave@64`.
[[nodiscard]] std::string id(Layer layer);
/// For people: `Surface`, `Slice at 64` …
[[nodiscard]] std::string title(Layer layer);
/// Reads an id; heights that the world does not have are refused.
Result<Layer> parse_layer(std::string_view text);
/// Reads ids by commas, each once and in the order given. `slice@32..128/16` is one every 16 blocks.
Result<std::vector<Layer>> parse_layers(std::string_view list);

/// What must be read of a chunk to paint the layer. Painters read the environments by themselves where there
/// is water to colour.
[[nodiscard]] chunk::Parts parts_of(Layer layer);

} // namespace orbis::map
