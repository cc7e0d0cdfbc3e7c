#pragma once

#include "bytes/parallel.hpp"
#include "storage/store.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <vector>

namespace orbis::storage {

/// The chunks of a store. Regions that cannot be read count as nothing, or go to `on_error` when there is
/// one.
std::uint64_t count_chunks(const Store& store, const std::function<void(Error&&)>& on_error = {});

/// Goes through a list of positions, which must outlive this.
std::unique_ptr<Cursor> make_list_cursor(std::span<const ChunkPos> positions);

/// The positions region by region, so that a walk over them opens each file once.
std::vector<ChunkPos> in_region_order(std::span<const ChunkPos> positions);

/// Goes through every chunk of a cursor on several threads, in constant memory.
///
/// `work(pos, tool)` makes a `T` on any thread, with a tool that the thread keeps from chunk to chunk; `emit(
/// pos, T&)` gets them in the order of the store, one at a time. A region that cannot be opened goes to
/// `on_error` (also in order) and the walk goes on. `emit` ends the walk early by returning false.
template <typename T, typename Tool = ReadContext>
struct Walk {
    std::function<T(ChunkPos pos, Tool& tool)> work;
    std::function<bool(ChunkPos pos, T& made)> emit;
    std::function<void(const Error& error)> on_error;
    std::function<std::unique_ptr<Tool>()> make_tool = [] { return std::make_unique<Tool>(); };
};

/// Chunks that go to a thread at once: as many as take about this long, so that handing them over costs
/// nothing next to reading them, and no thread has much left to do when there is nothing more for the others.
inline constexpr auto k_walk_batch_time = std::chrono::microseconds(100);
inline constexpr std::size_t k_walk_batch = 8; ///< at most

template <typename T, typename Tool = ReadContext>
void walk(Cursor& cursor, std::size_t threads, const Walk<T, Tool>& job) {
    struct Item {
        ChunkPos pos;
        std::optional<Error> error;
        std::optional<T> made;
    };
    std::vector<std::vector<Item>> ring(in_flight_limit(threads));
    std::vector<std::unique_ptr<Tool>> tools(threads);
    std::atomic<bool> stopped = false;
    std::atomic<std::size_t> batch_size =
        threads == 1 ? k_walk_batch : 1; // until it is known what chunks take
    const auto pull = [&](std::size_t ticket) {
        auto& batch = ring[ticket];
        batch.clear();
        const auto size = batch_size.load(std::memory_order_relaxed);
        while (!stopped && batch.size() < size) {
            auto next = cursor.next();
            if (next && !*next) break;
            if (next)
                batch.push_back({**next, std::nullopt, std::nullopt});
            else
                batch.push_back({{}, std::move(next).error(), std::nullopt});
        }
        return !batch.empty();
    };
    const auto work = [&](std::size_t ticket, std::size_t worker) {
        auto& tool = tools[worker];
        if (!tool) tool = job.make_tool();
        const auto begin = std::chrono::steady_clock::now();
        for (auto& item : ring[ticket])
            if (!item.error) item.made.emplace(job.work(item.pos, *tool));
        if (threads == 1) return;
        const auto took = std::chrono::steady_clock::now() - begin;
        const auto fitting =
            k_walk_batch_time * ring[ticket].size() / std::max(took, std::chrono::nanoseconds(1));
        batch_size.store(std::clamp<std::size_t>(fitting, 1, k_walk_batch), std::memory_order_relaxed);
    };
    const auto push = [&](std::size_t ticket) {
        for (auto& item : ring[ticket]) {
            if (stopped) return;
            if (item.error)
                job.on_error(*item.error);
            else if (!job.emit(item.pos, *item.made))
                stopped = true;
        }
    };
    run_ordered({.pull = pull, .work = work, .push = push}, threads);
}

/// The same for all chunks of a store.
template <typename T, typename Tool = ReadContext>
void walk(const Store& store, std::size_t threads, const Walk<T, Tool>& job) {
    walk<T, Tool>(*store.chunks(), threads, job);
}

} // namespace orbis::storage
