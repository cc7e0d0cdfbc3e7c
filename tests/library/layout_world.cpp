// Prints the sizes and offsets of public types: programs that were built with an older header rely on them.
// Types of the standard library are counted as what they are here, so a changed line may also come from
// another compiler.
#include <cstddef>
#include <orbis/count.hpp>
#include <orbis/describe.hpp>
#include <orbis/draw.hpp>
#include <orbis/edit.hpp>
#include <orbis/world.hpp>

#define TYPE(name)                                                                                           \
    std::cout << #name << ": " << sizeof(orbis::name) << " bytes, aligned to " << alignof(orbis::name) << '\n'
#define FIELD(name, field) std::cout << "  " << #field << " at " << offsetof(orbis::name, field) << '\n'

int main() {
    TYPE(Slot);
    TYPE(ColumnIndex);
    TYPE(CellIndex);
    TYPE(ChunkPos);
    TYPE(RegionPos);
    TYPE(SectionPos);
    TYPE(BlockPos);
    FIELD(BlockPos, x);
    FIELD(BlockPos, y);
    FIELD(BlockPos, z);
    TYPE(Rotation);
    TYPE(Filler);
    TYPE(LightValue);
    TYPE(Errc);
    TYPE(Error);
    FIELD(Error, code);
    FIELD(Error, problem);
    FIELD(Error, file);
    FIELD(Error, region);
    FIELD(Error, chunk);
    FIELD(Error, section);
    FIELD(Error, part);
    FIELD(Error, offset);
    FIELD(Error, advice);
    TYPE(Block);
    FIELD(Block, rotation);
    FIELD(Block, filler);
    TYPE(Fluid);
    FIELD(Fluid, level);
    TYPE(Item);
    FIELD(Item, quantity);
    FIELD(Item, slot);
    FIELD(Item, part);
    FIELD(Item, durability);
    FIELD(Item, max_durability);
    FIELD(Item, metadata);
    TYPE(Point);
    TYPE(Component);
    TYPE(Section);
    TYPE(Container);
    TYPE(Entity);
    TYPE(Chunk);
    TYPE(ChunkJsonOptions);
    FIELD(ChunkJsonOptions, component);
    FIELD(ChunkJsonOptions, blocks);
    TYPE(Area);
    TYPE(WalkOptions);
    FIELD(WalkOptions, area);
    TYPE(StoredChunk);
    FIELD(StoredChunk, place);
    TYPE(StoredChunk::Place);
    TYPE(ChunkRange);
    TYPE(ChunkRange::Iterator);
    TYPE(World);
    TYPE(FoundWorld);
    TYPE(BlockCount);
    TYPE(BlockCounts);
    TYPE(CountOptions);
    FIELD(CountOptions, threads);
    FIELD(CountOptions, on_progress);
    TYPE(BlockDetails);
    FIELD(BlockDetails, base);
    FIELD(BlockDetails, fluid);
    FIELD(BlockDetails, light);
    FIELD(BlockDetails, environment);
    FIELD(BlockDetails, components);
    TYPE(DrawOptions);
    FIELD(DrawOptions, area);
    FIELD(DrawOptions, threads);
    TYPE(PictureInfo);
    FIELD(PictureInfo, first);
    FIELD(PictureInfo, unreadable);
    TYPE(MapPicture);
    TYPE(EditOptions);
    FIELD(EditOptions, keeps_undo);
    FIELD(EditOptions, force);
    TYPE(SavedEdit);
    FIELD(SavedEdit, undo_archive);
    TYPE(Edit);
}
