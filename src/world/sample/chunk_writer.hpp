#pragma once

#include "bytes/result.hpp"
#include "world/sample/canvas.hpp"
#include "world/sample/landscape.hpp"
#include "world/sample/light.hpp"

#include <memory>

namespace orbis::world::sample {

/// Turns the chunks of a finished canvas into documents. One per thread; the canvas and the light are only
/// read.
class ChunkWriter {
public:
    ChunkWriter(const Landscape& landscape, const Canvas& canvas, const WorldLight& light, int migrations);
    ~ChunkWriter();
    ChunkWriter(ChunkWriter&&) noexcept;

    /// The document of a chunk, in place of what `out` held.
    Result<void> write(ChunkPos pos, Buffer& out);

private:
    struct Scratch;

    const Landscape& landscape_;
    const Canvas& canvas_;
    const WorldLight& light_;
    int migrations_;
    std::unique_ptr<Scratch> scratch_;
};

/// The environment of a column at its surface and below the ground.
[[nodiscard]] std::string_view surface_environment(const Column& column);
[[nodiscard]] std::string_view cave_environment(const Column& column);

} // namespace orbis::world::sample
