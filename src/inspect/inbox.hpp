#pragma once

#include "capture/record.hpp"
#include "inspect/latency.hpp"

#include <mutex>
#include <string>
#include <vector>

namespace orbis::inspect {

/// Where the threads of a proxy leave copies of frames. They never wait for who takes them: what does not fit
/// is dropped and counted.
class Inbox {
public:
    explicit Inbox(std::size_t most_bytes = 64 << 20) : most_bytes_(most_bytes) {}

    struct Letter {
        capture::Record record; ///< a view of the next two
        Buffer frame;
        std::string build_name;
    };
    struct Trip {
        std::uint64_t player;
        Latency::Sample sample;
    };
    struct Batch {
        std::vector<Letter> letters{};
        std::vector<Trip> trips{};
        std::uint64_t dropped = 0;
    };

    void add(const capture::Record& record);
    void add(const Trip& trip);
    /// All that is there.
    Batch take();

private:
    const std::size_t most_bytes_;
    std::mutex mutex_;
    Batch waiting_;
    std::size_t bytes_ = 0;
};

} // namespace orbis::inspect
