#include "jobs/select/block_box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace orbis::jobs {

Result<BlockBox> BlockBox::parse(std::string_view text) {
    std::array<std::int32_t, 6> numbers{};
    constexpr std::array<std::string_view, 6> k_signs{",", ",", "..", ",", ",", ""};
    auto rest = text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), numbers[i]);
        if (code == std::errc()) rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        const bool last = i + 1 == numbers.size();
        if (code != std::errc() || !rest.starts_with(k_signs[i]) || (last && !rest.empty()))
            return fail(error(Errc::usage, "not X1,Y1,Z1..X2,Y2,Z2: {}", text)
                            .advise("such as -20,60,-20..20,90,20"));
        rest.remove_prefix(k_signs[i].size());
    }
    const auto& n = numbers;
    return BlockBox{{std::min(n[0], n[3]), std::min(n[1], n[4]), std::min(n[2], n[5])},
                    {std::max(n[0], n[3]), std::max(n[1], n[4]), std::max(n[2], n[5])}};
}

} // namespace orbis::jobs

fmt::format_context::iterator fmt::formatter<orbis::jobs::BlockBox>::format(const orbis::jobs::BlockBox& box,
                                                                            fmt::format_context& context) {
    return std::ranges::copy(fmt::format("{:n}..{:n}", box.least, box.most), context.out()).out;
}
