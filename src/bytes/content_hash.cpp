#include "bytes/content_hash.hpp"

#include "bytes/hex.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orbis {

namespace {

std::uint64_t never_zero(std::uint64_t hash) { return hash == 0 ? 1 : hash; }

} // namespace

std::uint64_t content_hash(Bytes bytes) { return never_zero(XXH3_64bits(bytes.data(), bytes.size())); }

struct ContentHasher::State {
    XXH3_state_t xxh;
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh); }
ContentHasher::~ContentHasher() = default;
void ContentHasher::add(Bytes bytes) { XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size()); }
std::uint64_t ContentHasher::hash() const { return never_zero(XXH3_64bits_digest(&state_->xxh)); }

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

} // namespace orbis
