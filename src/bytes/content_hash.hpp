#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orbis {

/// XXH3 of the bytes, 64 bits: tells contents apart, but does not stop anyone from making two that are
/// equal on purpose. Never 0, which stands for "nothing there".
[[nodiscard]] std::uint64_t content_hash(Bytes bytes);

/// The same for bytes that come in parts.
class ContentHasher {
public:
    ContentHasher();
    ~ContentHasher();
    ContentHasher(const ContentHasher&) = delete;
    ContentHasher& operator=(const ContentHasher&) = delete;
    void add(Bytes bytes);
    [[nodiscard]] std::uint64_t hash() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// 16 lower-case hexadecimal digits, as files are named; and back.
[[nodiscard]] std::string hash_text(std::uint64_t hash);
[[nodiscard]] std::optional<std::uint64_t> parse_hash(std::string_view text);

} // namespace orbis
