#include "jobs/prefab/paste_prefab.hpp"

#include "jobs/prefab/prefab_clip.hpp"

namespace orbis::jobs::prefab {

namespace {

Result<void> check_chunks(const world::World& world, const ClipSource& source) {
    TRY(const auto store, world.open({}));
    std::uint64_t missing = 0;
    std::optional<ChunkPos> first;
    const auto chunks = source.chunks();
    for (const auto pos : chunks) {
        TRY(const bool is_there, store->contains(pos));
        if (is_there) continue;
        ++missing;
        if (!first) first = pos;
    }
    if (!first) return {};
    return fail(error(Errc::not_found,
                      "the world does not have {} of the {} chunks that the prefab reaches, such as {}",
                      missing, chunks.size(), *first)
                    .advise("let the game generate them first, or use --create-chunks to make them of air"));
}

/// Where entities give way.
Result<BlockBox> replaced_box(const Clip& clip, BlockPos at, const Turn& turn) {
    auto box = bounds(clip).value_or(BlockBox{});
    const auto first = turn.apply(box.least);
    const auto second = turn.apply(box.most);
    box.least = {std::min(first.x, second.x) + at.x, first.y + at.y, std::min(first.z, second.z) + at.z};
    box.most = {std::max(first.x, second.x) + at.x, second.y + at.y, std::max(first.z, second.z) + at.z};
    const std::int64_t wide = std::int64_t{box.most.x >> 5} - (box.least.x >> 5) + 1;
    const std::int64_t deep = std::int64_t{box.most.z >> 5} - (box.least.z >> 5) + 1;
    if (wide > k_most_replaced_chunks || deep > k_most_replaced_chunks
        || wide * deep > k_most_replaced_chunks)
        return fail(error(Errc::too_large,
                          "the prefab reaches over {} × {} chunks, too many to replace all entities in", wide,
                          deep)
                        .advise("leave out --replace-entities"));
    return box;
}

} // namespace

Result<PutReport> paste_prefab(const world::World& world, const Prefab& prefab, BlockPos at,
                               const PutOptions& options, const world::Assets& assets, Progress& progress,
                               std::vector<std::string>& notes) {
    notes.insert(notes.end(), prefab.notes.begin(), prefab.notes.end());
    TRY(const auto clip, to_clip(prefab, assets.migrations, notes));
    TRY(const auto source, make_clip_source(clip, at, options));
    if (!options.edit.create_chunks) TRY_DO(check_chunks(world, *source));
    ClipEditExtras extras;
    if (options.replace_entities) {
        TRY(extras.entities_removed, replaced_box(clip, at, options.turn));
    }
    return put_parts(world, *source, options, extras, assets, progress);
}

} // namespace orbis::jobs::prefab
