#pragma once

#include "bytes/bytes.hpp"

#include <cstddef>

namespace orbis::bench {

/// What it took to send bytes from one thread to another.
struct Transfer {
    double seconds = 0;     ///< by the clock on the wall
    double cpu_seconds = 0; ///< of both threads
};

/// Sends `words` again and again, until it is so many bytes, over loopback on one stream with nothing but
/// ngtcp2 and sockets: the same settings and the same TLS as ours, but no queues, no frames, no loop, and one
/// connection known in advance.
Transfer send_bare(Bytes words, std::size_t bytes);

/// Processor time of this process so far.
double process_seconds();

} // namespace orbis::bench
