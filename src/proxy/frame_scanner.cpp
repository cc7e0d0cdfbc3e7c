#include "proxy/frame_scanner.hpp"

#include "bytes/reader.hpp"

#include <algorithm>

namespace orbis::proxy {
namespace {

using protocol::k_frame_header;

/// One large frame does not hold its memory forever.
constexpr std::size_t k_memory_kept = 64 << 10;

} // namespace

bool FrameScanner::read_header(Bytes header, User& user) {
    const auto length = load_le<std::int32_t>(header.data());
    const auto id = load_le<std::int32_t>(header.data() + 4);
    if (length < 0 || static_cast<std::uint32_t>(length) > protocol::k_largest_payload) {
        is_lost_ = true;
        return false;
    }
    const auto size = static_cast<std::size_t>(length);
    if (user.wants(id, static_cast<std::uint32_t>(length))) {
        wanted_ = k_frame_header + size;
        return true;
    }
    rest_ = k_frame_header + size;
    return false;
}

void FrameScanner::feed(Bytes bytes, User& user) {
    std::size_t start = 0; // of what passes through together
    std::size_t at = 0;
    const auto pass = [&] {
        if (at > start) user.on_rest(bytes.subspan(start, at - start), !is_lost_);
        start = at;
    };
    while (at < bytes.size() && !is_lost_) {
        if (rest_ > 0) {
            const auto count = std::min(rest_, bytes.size() - at);
            rest_ -= count;
            at += count;
            continue;
        }
        // A header that is here as a whole is read in its place.
        if (waiting_.empty() && wanted_ == 0 && bytes.size() - at >= k_frame_header) {
            const bool is_gathered = read_header(bytes.subspan(at, k_frame_header), user);
            if (is_lost_) {
                is_lost_ = false;
                pass(); // these were frames
                is_lost_ = true;
                break;
            }
            if (!is_gathered) continue;
        }
        pass();
        const auto goal = wanted_ > 0 ? wanted_ : k_frame_header;
        const auto count = std::min(goal - waiting_.size(), bytes.size() - at);
        waiting_.insert(waiting_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                        bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
        at += count;
        start = at;
        if (waiting_.size() < goal) break;
        if (wanted_ == 0) {
            if (read_header(waiting_, user)) {
                if (wanted_ > k_frame_header) continue;
            } else {
                const auto header = std::exchange(waiting_, {});
                if (!is_lost_) rest_ -= k_frame_header;
                user.on_rest(header, !is_lost_);
                continue;
            }
        }
        wanted_ = 0;
        auto frame = std::exchange(waiting_, {});
        user.on_frame(frame);
        frame.clear();
        if (frame.capacity() <= k_memory_kept) waiting_ = std::move(frame);
    }
    if (is_lost_) at = bytes.size();
    pass();
}

void FrameScanner::finish(User& user) {
    wanted_ = 0;
    if (const auto left = std::exchange(waiting_, {}); !left.empty()) user.on_rest(left, false);
}

} // namespace orbis::proxy
