#pragma once

#include "bytes/descriptor.hpp"
#include "bytes/result.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace orbis::app {

/// Reads lines of a terminal, a pipe or a file in a thread of its own, until the input ends or this does.
class LineInput {
public:
    /// While many of these exist, no more lines are read: a flood of input waits.
    using Ticket = std::shared_ptr<void>;
    /// Called in the thread of the input; an error in place of a line that is too long.
    using Take = std::function<void(Result<std::string> line, Ticket ticket)>;

    /// The descriptor stays the caller's.
    LineInput(int descriptor, Take take);
    ~LineInput();
    LineInput(const LineInput&) = delete;
    LineInput& operator=(const LineInput&) = delete;

private:
    struct Gate;

    void run();
    /// Waits until there is something to read; false when it is over.
    bool wait();
    void split(std::string_view bytes);
    void hand_over();

    int descriptor_;
    Take take_;
    Descriptor end_; ///< readable when this ends
    std::shared_ptr<Gate> gate_;
    std::string line_;
    bool is_too_long_ = false;
    std::thread thread_;
};

} // namespace orbis::app
