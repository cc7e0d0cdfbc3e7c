#include "proxy/stream_way.hpp"

#include <algorithm>

namespace orbis::proxy {

void StreamWay::add(Bytes bytes, net::QuicConnection* to) {
    if (is_given_up_) return;
    if (is_open_ && to != nullptr)
        to->write(stream, bytes);
    else
        waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void StreamWay::end(net::QuicConnection* to) {
    if (is_given_up_) return;
    is_ended_ = true;
    if (is_open_ && to != nullptr && delayed_ == 0) to->finish(stream);
}

void StreamWay::open(net::QuicConnection& to) {
    is_open_ = true;
    if (const auto waiting = std::exchange(waiting_, {}); !waiting.empty()) to.write(stream, waiting);
    if (is_ended_ && delayed_ == 0) to.finish(stream);
}

void StreamWay::release(std::size_t count, net::QuicConnection* to) {
    delayed_ -= count;
    if (is_ended_) end(to);
}

void StreamWay::give_up() {
    is_given_up_ = true;
    waiting_ = {};
}

std::size_t StreamWay::held(const net::QuicConnection* to) const {
    return waiting_.size() + delayed_ + gate.waiting() + (is_open_ && to != nullptr ? to->held(stream) : 0);
}

std::size_t StreamWay::settle(const net::QuicConnection* to, std::size_t most) {
    const auto kept = held(to);
    if (owed_ <= kept) return 0;
    const auto count = std::min(owed_ - kept, most);
    owed_ -= count;
    return count;
}

} // namespace orbis::proxy
