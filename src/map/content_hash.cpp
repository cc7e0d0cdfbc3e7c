#include "map/content_hash.hpp"

#include "bytes/hex.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orbis::map {

std::uint64_t content_hash(Bytes bytes) {
    const auto hash = XXH3_64bits(bytes.data(), bytes.size());
    return hash == 0 ? 1 : hash;
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::optional<std::uint64_t> parse_hash(std::string_view text) {
    if (text.size() != 16) return std::nullopt;
    std::uint64_t hash = 0;
    for (const char c : text) {
        const auto digit = hex_digit(c);
        if (digit < 0 || (c >= 'A' && c <= 'F')) return std::nullopt;
        hash = hash << 4 | static_cast<std::uint64_t>(digit);
    }
    return hash;
}

} // namespace orbis::map
