#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace orbis {

/// How many threads a job gets by default: one for each core that this process may use.
std::size_t default_threads();

/// Runs a stream of items through several threads and hands the results on in order.
///
/// `pull(ticket)` is called under a lock and says whether there is an item for this ticket; `work(ticket,
/// worker)` runs on any thread; `push(ticket)` is called for each ticket in ascending order, one at a time.
/// A ticket is a number below `in_flight_limit(threads)` that names the place of the item in the caller's own
/// ring of slots, so memory stays the same however many items there are. The first exception stops the stream
/// and is thrown to the caller.
struct OrderedStream {
    std::function<bool(std::size_t ticket)> pull;
    std::function<void(std::size_t ticket, std::size_t worker)> work;
    std::function<void(std::size_t ticket)> push;
};

[[nodiscard]] constexpr std::size_t in_flight_limit(std::size_t threads) { return threads * 4; }

/// With one thread everything runs on the calling one.
void run_ordered(const OrderedStream& stream, std::size_t threads);

} // namespace orbis
