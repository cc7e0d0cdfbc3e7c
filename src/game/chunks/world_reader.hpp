#pragma once

#include "bytes/self.hpp"
#include "game/chunks/block_lookup.hpp"
#include "game/chunks/watch_settings.hpp"
#include "game/chunks/world_access.hpp"
#include "world/location.hpp"

namespace orbis::game {

/// The chunks of a world that is only shown: as they are on the disk, also after others have changed them.
/// Writes nothing and takes no lock.
class WorldReader final : public WorldAccess {
public:
    /// Runs a task in the thread of the game; called by any.
    using Post = std::function<void(std::move_only_function<void()>)>;
    /// Others have written these chunks, or made them, or removed them: what is encoded of them is old.
    /// Called in the thread of the game.
    using Changed = std::function<void(std::span<const ChunkPos> chunks)>;

    /// `ids` must live as long, and as long as the source is used.
    static Result<std::unique_ptr<WorldReader>> open(const world::World& world, WireIds& ids,
                                                     WatchSettings settings, Post post, Changed changed);
    ~WorldReader() override;
    WorldReader(const WorldReader&) = delete;
    WorldReader& operator=(const WorldReader&) = delete;

    [[nodiscard]] std::shared_ptr<ChunkSource> source() const override;
    /// Changes nothing: the player is told what is there.
    void submit(const EditRequest& request) override;
    BlockNews end_tick(ServerTools& tools) override;
    [[nodiscard]] EditCounts counts() const override { return {.refused = refused_}; }
    /// Looks at the disk no more; what is known stays readable.
    void stop() override;

private:
    class Source;

    WorldReader(Post post, Changed changed);
    /// Runs `act` in the thread of the game, if this is still there then.
    template <typename Act>
    void post(Act act);

    Post post_;
    Changed changed_;
    std::shared_ptr<Source> source_; ///< workers may read from it for a moment longer
    std::unique_ptr<BlockLookup> lookup_;
    std::vector<BlockLookup::Answer> answers_; ///< that were not sent yet
    std::uint64_t refused_ = 0;
    Self<WorldReader> self_{this};
};

} // namespace orbis::game
