#include "http/live/background.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace orbis::http {

void lower_thread_priority() {
    // On Linux each thread has a niceness of its own. This one gives a third of an even share, with which the
    // work still comes to its end beside others that never rest; at 15 it hardly moved.
    constexpr int k_niceness = 5;
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), k_niceness);
}

} // namespace orbis::http
