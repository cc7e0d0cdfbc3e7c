#pragma once

#include "app/console.hpp"
#include "bytes/temporary_folder.hpp"
#include "map/layer.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <memory>

namespace orbis::app {

/// A picture of a dry run: the chunks before on the left, as they would be on the right.
class EditPicture {
public:
    /// An error if there must not be a picture at that path.
    static Result<EditPicture> begin(std::filesystem::path path);
    /// Takes a chunk as it would be written.
    Result<void> take(ChunkPos pos, const storage::CompressedChunk& frame);
    /// Draws that layer of what was taken; a note says what the picture shows.
    Result<void> draw(Console& console, const world::World& world, const world::Assets& assets,
                      map::Layer layer, std::size_t threads);

private:
    std::filesystem::path path_;
    TemporaryFolder folder_;
    std::shared_ptr<storage::Store> after_;
};

} // namespace orbis::app
