#include "jobs/snapshot/key.hpp"

#include "bytes/sha256.hpp"

#include <algorithm>

namespace orbis::jobs::snapshot {

std::string Key::hex() const {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const auto byte : bytes) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out;
}

Key key_of(Bytes content) { return Key::load(sha256(content).data()); }

FrameMark mark_of(Bytes frame) {
    const auto digest = sha256(frame);
    FrameMark mark{};
    std::copy_n(digest.begin(), mark.size(), mark.begin());
    return mark;
}

} // namespace orbis::jobs::snapshot
