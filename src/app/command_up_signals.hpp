#pragma once

#include <csignal>

namespace orbis::app {

/// Keeps the signals that end a program from ending it, in this thread and in all that it starts, until they
/// are waited for. A second one ends it at once.
class EndingSignals {
public:
    EndingSignals() {
        sigemptyset(&signals_);
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, number);
        pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    }
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;
    ~EndingSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    void wait() {
        int number = 0;
        sigwait(&signals_, &number);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t signals_{};
    sigset_t before_{};
};

} // namespace orbis::app
