#pragma once

#include "bytes/descriptor.hpp"

#include <csignal>
#include <functional>
#include <initializer_list>

namespace orbis::net {
class Loop;
}

namespace orbis::app {

/// Makes signals events of a loop. To be made before any thread, since threads inherit which signals they
/// leave alone.
class SignalWatch {
public:
    explicit SignalWatch(std::initializer_list<int> signals);
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// To be called before the loop runs; the signals are reported in its thread.
    void begin(net::Loop& loop, std::function<void(int signal)> tell);
    /// From now on they do what they do by themselves: the next one ends the program.
    void release();

private:
    sigset_t signals_{};
    sigset_t before_{};
    Descriptor descriptor_;
};

} // namespace orbis::app
