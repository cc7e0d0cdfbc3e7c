#pragma once

#include "bytes/bytes.hpp"

#include <optional>
#include <random>

namespace orbis::test {

/// A document for tests of stores: random text, some of it compressible. No two are the same.
inline Buffer random_document(std::mt19937_64& random, std::size_t most) {
    Buffer document(8 + random() % most);
    const auto spread = 1 + random() % 255;
    for (auto& byte : document) byte = static_cast<std::uint8_t>(random() % spread);
    const auto stamp = random();
    for (std::size_t i = 0; i < 8; ++i) document[i] = static_cast<std::uint8_t>(stamp >> (8 * i));
    return document;
}

/// A document that says which version it is in each of its numbers, so that a mixture of two shows.
inline Buffer stamped_document(std::uint32_t version, std::size_t numbers) {
    Buffer document;
    document.reserve(numbers * 4);
    for (std::size_t i = 0; i < numbers; ++i)
        for (const int shift : {0, 8, 16, 24})
            document.push_back(static_cast<std::uint8_t>(version >> shift));
    return document;
}

/// The version that a stamped document says; nothing when it is not whole.
inline std::optional<std::uint32_t> stamp_of(Bytes document) {
    if (document.size() < 4 || document.size() % 4 != 0) return std::nullopt;
    std::uint32_t version = 0;
    for (std::size_t i = 0; i < 4; ++i) version |= static_cast<std::uint32_t>(document[i]) << (8 * i);
    for (std::size_t i = 4; i < document.size(); ++i)
        if (document[i] != document[i - 4]) return std::nullopt;
    return version;
}

} // namespace orbis::test
