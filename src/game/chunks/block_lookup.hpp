#pragma once

#include "game/chunks/chunk_source.hpp"
#include "game/codec/section_changes.hpp"
#include "protocol/types.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace orbis::game {

struct WireIds;

/// Finds out which blocks a world has at places, in a thread of its own: for clients who think that they have
/// changed them.
class BlockLookup {
public:
    /// Questions that may wait; those that come beyond are not answered.
    static constexpr std::size_t k_most_waiting = 4096;

    struct Question {
        protocol::Uuid player;
        BlockPos pos;
        std::uint32_t ticket = 0;
    };
    struct Answer {
        protocol::Uuid player;
        BlockPos pos;
        WireBlock block;
        std::uint32_t ticket = 0;
    };
    /// Called in the thread of the lookup. Questions about chunks that are not there or cannot be read have
    /// no answer.
    using Found = std::function<void(std::vector<Answer>)>;

    /// `ids` must outlive this.
    BlockLookup(std::shared_ptr<ChunkSource> source, WireIds& ids, Found found);

    void ask(const Question& question);

private:
    void run(const std::stop_token& stop);
    [[nodiscard]] std::vector<Answer> answer(std::vector<Question> questions);

    std::shared_ptr<ChunkSource> source_;
    WireIds& ids_;
    Found found_;
    storage::ReadContext context_; ///< of the thread
    std::mutex mutex_;             ///< guards `waiting_`
    std::condition_variable_any wake_;
    std::vector<Question> waiting_;
    std::jthread thread_; ///< the last member: it uses all others
};

} // namespace orbis::game
