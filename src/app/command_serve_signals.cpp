#include "app/command_serve_signals.hpp"

#include "net/loop.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace orbis::app {

SignalWatch::SignalWatch(std::initializer_list<int> signals) {
    sigemptyset(&signals_);
    for (const int number : signals) sigaddset(&signals_, number);
    descriptor_ = Descriptor(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
    // Without a descriptor to read them from they must keep their effect.
    if (descriptor_.number() < 0) sigemptyset(&signals_);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

SignalWatch::~SignalWatch() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void SignalWatch::begin(net::Loop& loop, std::function<void(int signal)> tell) {
    if (descriptor_.number() < 0) return;
    loop.watch(descriptor_.number(), true, false, [descriptor = descriptor_.number(), tell](bool, bool) {
        signalfd_siginfo info{};
        while (read(descriptor, &info, sizeof info) == sizeof info) tell(static_cast<int>(info.ssi_signo));
    });
}

void SignalWatch::release() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

} // namespace orbis::app
