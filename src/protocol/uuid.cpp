#include "protocol/uuid.hpp"

#include "bytes/hex.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::protocol {

std::string uuid_text(const Uuid& uuid) {
    const auto hex = to_hex(uuid);
    const std::string_view digits = hex;
    return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                       digits.substr(16, 4), digits.substr(20));
}

std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')
        return std::nullopt;
    std::string digits(text);
    std::erase(digits, '-');
    const auto bytes = from_hex(digits);
    if (!bytes || bytes->size() != 16) return std::nullopt;
    Uuid uuid;
    std::ranges::copy(*bytes, uuid.begin());
    return uuid;
}

} // namespace orbis::protocol
