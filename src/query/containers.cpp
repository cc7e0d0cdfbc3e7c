#include "query/containers.hpp"

#include "library/holds_items.hpp"
#include "query/chunk_rows.hpp"
#include "query/stacks.hpp"

#include <memory>
#include <utility>

namespace orbis::query {
namespace {

class ContainerListBatch final : public ChunkBatch {
public:
    ContainerListBatch(Session& session, const Filter& filter) : session_(session), filter_(filter) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) override {
        found_.clear();
        at_ = 0;
        memory_ = 0;
        TRY(const auto* chunk, reader.read(*world.store, pos, chunk::k_block_components));
        if (chunk == nullptr || !has_containers(*chunk)) return tell(reader, chunk);
        TRY(chunk, reader.decode(chunk::k_block_components | chunk::k_blocks));
        for (const auto& [index, holder] : chunk->block_components().entries())
            if (holds_items(holder)) add(world, index.pos(pos), holder, *chunk);
        return tell(reader, chunk);
    }
    bool next() override { return at_++ < found_.size(); }
    [[nodiscard]] const Container& container() const { return found_[at_ - 1]; }
    void column(std::size_t, Cell) const override {}
    [[nodiscard]] std::size_t memory() const override { return memory_; }

private:
    Result<void> tell(const chunk::ChunkReader& reader, const chunk::Chunk* chunk) {
        if (chunk != nullptr)
            for (const auto& problem : reader.problems()) session_.problem(problem);
        return {};
    }
    static bool has_containers(const chunk::Chunk& chunk) {
        for (const auto& [index, holder] : chunk.block_components().entries())
            if (holds_items(holder)) return true;
        return false;
    }
    void add(const OpenWorld& world, BlockPos at, const bson::Document& holder, const chunk::Chunk& chunk) {
        if (!filter_.x.contains(at.x) || !filter_.y.contains(at.y) || !filter_.z.contains(at.z)) return;
        Container made;
        made.world = &world.world;
        made.pos = at;
        made.key = chunk.block(at).key;
        const auto view = for_each_stack(holder, [&](const StackView& stack) {
            made.stacks.push_back({std::string(stack.id), stack.quantity, std::string(stack.part),
                                   slot_number(stack.slot), number_in(stack.item, "Durability")});
            memory_ += sizeof(Stack) + stack.id.size() + stack.part.size();
        });
        made.capacity = view.capacity;
        made.droplist = view.droplist;
        memory_ += sizeof(Container);
        found_.push_back(std::move(made));
    }

    Session& session_;
    const Filter filter_;
    std::vector<Container> found_;
    std::size_t at_ = 0;
    std::size_t memory_ = 0;
};

} // namespace

Result<void> for_each_container(Session& session, Filter filter,
                                const std::function<void(const Container&)>& visit) {
    filter.in_order = true;
    TRY(const auto scan,
        chunk_rows(session, filter, [&]() { return std::make_unique<ContainerListBatch>(session, filter); }));
    while (true) {
        TRY(const bool is_there, scan->next());
        if (!is_there) return {};
        visit(static_cast<const ContainerListBatch&>(scan->batch()).container());
    }
}

} // namespace orbis::query
