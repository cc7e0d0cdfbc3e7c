#include "app/depth_picture.hpp"

#include "app/console.hpp"
#include "app/pixel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace orbis::app {

namespace {

constexpr Rgb k_paper = 0x16181d;
constexpr Rgb k_grid = 0x33373f;
constexpr Rgb k_ink = 0xd8dce3;
constexpr Rgb k_faint = 0x8a919e;
constexpr std::array<Rgb, 5> k_bars{0x62c08a, 0xb57be0, 0xe0647f, 0x5fc7d4, 0xc9a66b};

/// Colours of their own for what has one.
constexpr std::array<std::pair<std::string_view, Rgb>, 5> k_metals{{{"Copper", 0xe08a4a},
                                                                    {"Iron", 0xb9c0cc},
                                                                    {"Cobalt", 0x4f8fe0},
                                                                    {"Silver", 0xe6edf5},
                                                                    {"Gold", 0xf2c744}}};

Rgb colour_of_kind(std::string_view name, std::size_t number) {
    const auto metal = std::ranges::find_if(
        k_metals, [name](const auto& entry) { return name.find(entry.first) != std::string_view::npos; });
    return metal == k_metals.end() ? k_bars[number % k_bars.size()] : metal->second;
}

constexpr std::int64_t k_row = 4;      ///< pixels per height
constexpr std::int64_t k_panel = 150;  ///< the longest bar
constexpr std::int64_t k_between = 26; ///< panels
constexpr std::int64_t k_left = 44;
constexpr std::int64_t k_top = 44;
constexpr std::int64_t k_bottom = 24;
constexpr std::int64_t k_step = 10; ///< heights between lines

/// The heights that have anything, up to whole steps.
std::pair<std::int64_t, std::int64_t> used_heights(const std::vector<KindDepths>& kinds) {
    std::int64_t least = k_sections * k_side;
    std::int64_t most = 0;
    for (const auto& kind : kinds)
        for (std::size_t y = 0; y < kind.cells.size(); ++y)
            if (kind.cells[y] != 0) {
                least = std::min(least, static_cast<std::int64_t>(y));
                most = std::max(most, static_cast<std::int64_t>(y));
            }
    if (least > most) return {0, k_step - 1};
    return {least / k_step * k_step, most / k_step * k_step + k_step - 1};
}

} // namespace

Picture draw_depths(const std::vector<KindDepths>& kinds) {
    constexpr std::size_t k_most_kinds = 40;
    const auto shown = std::min(kinds.size(), k_most_kinds);
    const auto [least, most] = used_heights(kinds);
    const auto heights = most - least + 1;
    const auto width =
        k_left + static_cast<std::int64_t>(std::max<std::size_t>(shown, 1)) * (k_panel + k_between);
    Picture picture(static_cast<std::uint32_t>(width),
                    static_cast<std::uint32_t>(k_top + heights * k_row + k_bottom), k_paper);
    const auto row_of = [&, top = most](std::int64_t y) { return k_top + (top - y) * k_row; };
    for (auto y = least; y <= most + 1; y += k_step) {
        const auto at = row_of(y) + k_row; // below the row of this height
        picture.fill(k_left, at, width - k_left - k_between, 1, k_grid);
        const auto label = fmt::format("{}", y);
        draw_text(picture, k_left - 8 - text_width(label), at - k_letter_height / 2 - 1, label, k_faint);
    }
    draw_text(picture, k_left - 8 - text_width("y"), 10, "y", k_ink);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& kind = kinds[i];
        const auto x = k_left + static_cast<std::int64_t>(i) * (k_panel + k_between);
        const auto colour = colour_of_kind(kind.name, i);
        const auto largest = std::max<std::uint64_t>(1, std::ranges::max(kind.cells));
        constexpr std::size_t k_letters =
            static_cast<std::size_t>((k_panel + k_between) / k_letter_width) - 1;
        draw_text(picture, x, 10, std::string_view(kind.name).substr(0, k_letters), colour);
        draw_text(picture, x, 22, human_count(kind.total), k_faint);
        picture.fill(x, k_top, 1, heights * k_row, k_grid);
        for (auto y = least; y <= most; ++y) {
            const auto cells = kind.cells[static_cast<std::size_t>(y)];
            if (cells == 0) continue;
            const auto length = std::max<std::int64_t>(
                1, static_cast<std::int64_t>(static_cast<double>(cells) / static_cast<double>(largest)
                                             * k_panel));
            picture.fill(x + 1, row_of(y), length, k_row - 1, colour);
        }
    }
    return picture;
}

} // namespace orbis::app
