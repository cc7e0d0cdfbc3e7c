#include "bytes/position.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace orbis {

PositionFormat::Output PositionFormat::write(fmt::format_context& context, std::string_view name,
                                             std::initializer_list<std::int64_t> numbers,
                                             char separator) const {
    auto out = context.out();
    if (kind_ == '\0') out = std::ranges::copy(name, out).out;
    for (const auto* number = numbers.begin(); number != numbers.end(); ++number) {
        if (number != numbers.begin()) *out++ = separator;
        std::array<char, 20> digits; // of the least number, with its sign
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), *number);
        out = std::copy(digits.data(), end, out);
    }
    return out;
}

} // namespace orbis
