#pragma once

#include "app/console.hpp"
#include "bytes/descriptor.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace orbis::app {

/// Prints lines in a thread of its own, so that the caller never waits for their reader: a pager that stands
/// still must not stop a server. Any thread may add lines.
class LineOutput {
public:
    /// Nothing else may print data to the console meanwhile.
    explicit LineOutput(Console& console);
    /// Prints what is left, as long as it is taken.
    ~LineOutput();
    LineOutput(const LineOutput&) = delete;
    LineOutput& operator=(const LineOutput&) = delete;

    /// When too many lines wait, new ones are left out; how many is printed once there is room again.
    void add(std::string line);

private:
    void run();
    /// The next lines to print; nothing when it is over.
    std::string take();
    /// False when it is over and no more lines are taken.
    bool write(std::string_view text);
    [[nodiscard]] bool wait_for_room() const;

    Console& console_;
    Descriptor end_; ///< readable when this ends
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> lines_;
    std::size_t left_out_ = 0;
    bool is_over_ = false;
    std::thread thread_;
};

} // namespace orbis::app
