#include "game/chunks/block_lookup.hpp"

#include "chunk/block_cells.hpp"
#include "chunk/chunk.hpp"
#include "game/codec/wire_ids.hpp"

#include <algorithm>
#include <utility>

namespace orbis::game {

BlockLookup::BlockLookup(std::shared_ptr<ChunkSource> source, WireIds& ids, Found found)
    : source_(std::move(source)),
      ids_(ids),
      found_(std::move(found)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void BlockLookup::ask(const Question& question) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() >= k_most_waiting) return;
        waiting_.push_back(question);
    }
    wake_.notify_one();
}

void BlockLookup::run(const std::stop_token& stop) {
    while (true) {
        std::vector<Question> questions;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
            questions.swap(waiting_);
        }
        if (auto answers = answer(std::move(questions)); !answers.empty()) found_(std::move(answers));
        context_.held.reset();
        context_.blob = {};
    }
}

/// Reads each chunk once, however many questions there are about it.
std::vector<BlockLookup::Answer> BlockLookup::answer(std::vector<Question> questions) {
    const auto chunk_of = [](const Question& question) { return question.pos.chunk(); };
    std::ranges::stable_sort(questions, {}, chunk_of);
    std::vector<Answer> answers;
    for (auto begin = questions.begin(); begin != questions.end();) {
        const auto pos = begin->pos.chunk();
        const auto end = std::find_if(begin, questions.end(),
                                      [&](const Question& other) { return other.pos.chunk() != pos; });
        const auto loaded = source_->load(pos, context_);
        const auto read = loaded && *loaded
                              ? chunk::Chunk::decode((*loaded)->document, chunk::k_blocks | chunk::k_shapes)
                              : fail(Errc::not_found, "there is no {}", pos);
        for (; begin != end; ++begin) {
            if (!read) continue;
            const auto found = read->block(begin->pos);
            // Its client may have removed the whole block. Cells in other chunks come when those are sent.
            const auto cells =
                chunk::cells_of_block(begin->pos, found, [&](BlockPos cell) -> std::optional<chunk::Filler> {
                    if (cell.chunk() != pos) return std::nullopt;
                    const auto there = read->block(cell);
                    return there.key == found.key ? std::optional(there.filler) : std::nullopt;
                });
            for (const auto cell : cells)
                answers.push_back(
                    {begin->player, cell,
                     WireBlock{ids_.blocks.id_of(found.key), read->block(cell).filler, found.rotation},
                     cell == begin->pos ? begin->ticket : 0});
        }
    }
    return answers;
}

} // namespace orbis::game
