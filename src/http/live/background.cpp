#include "http/live/background.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace orbis::http {

void be_patient() {
    // On Linux each thread has a niceness of its own.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 15);
}

} // namespace orbis::http
