#include "chunk/legacy_key.hpp"

#include "chunk/palette.hpp"

#include <array>
#include <charconv>

namespace orbis::chunk {

namespace {

constexpr std::string_view k_fluid_prefix = "Fluid_";
constexpr std::uint8_t k_decoration = 15;

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string_view next_part(std::string_view& rest, char separator) {
    const auto end = rest.find(separator);
    const auto part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
}

std::optional<Filler> filler(std::string_view text) {
    std::array<int, 3> offsets{};
    for (auto& offset : offsets) {
        const auto value = number(next_part(text, ','));
        if (!value || !Filler::fits(*value)) return std::nullopt;
        offset = *value;
    }
    if (!text.empty()) return std::nullopt;
    return Filler::of_offset(offsets[0], offsets[1], offsets[2]);
}

/// The number where it is one from 0 to 15.
std::optional<std::uint8_t> nibble(std::string_view text) {
    const auto value = number(text);
    if (!value || *value < 0 || *value > 15) return std::nullopt;
    return static_cast<std::uint8_t>(*value);
}

/// Degrees where they are quarter turns; others have no place in a rotation.
std::optional<int> turns(std::string_view text) {
    const auto value = number(text);
    return value && *value % 90 == 0 ? value : std::nullopt;
}

/// `Fluid_Water` is flowing water where a level is given, else a source.
std::string fluid_today(std::string_view old, std::uint8_t level) {
    if (old == "Fluid_Water_Test") return "Water_Finite";
    for (const std::string_view known : {"Water", "Lava", "Tar", "Slime", "Poison"})
        if (old.starts_with(k_fluid_prefix) && old.substr(k_fluid_prefix.size()) == known)
            return std::string(known) + (level > 0 ? "" : "_Source");
    return std::string(old);
}

} // namespace

LegacyKey split_legacy_key(std::string_view key) {
    LegacyKey out;
    auto rest = key;
    out.block = next_part(rest, '|');
    int yaw = 0;
    int pitch = 0;
    int roll = 0;
    std::string_view fluid;
    const auto take = [&](const auto& found, auto& into) {
        if (found)
            into = *found;
        else
            out.whole = false;
    };
    while (!rest.empty()) {
        auto value = next_part(rest, '|');
        const auto name = next_part(value, '=');
        if (name == "Deco" && value.empty())
            out.support = k_decoration;
        else if (name == "Fluid")
            fluid = value;
        else if (name == "Filler")
            take(filler(value), out.filler);
        else if (name == "Yaw")
            take(turns(value), yaw);
        else if (name == "Pitch")
            take(turns(value), pitch);
        else if (name == "Roll")
            take(turns(value), roll);
        else if (name == "Support")
            take(nibble(value), out.support);
        else if (name == "FluidLevel")
            take(nibble(value), out.level);
        else if (!name.empty() || !value.empty())
            out.whole = false;
    }
    out.rotation = Rotation::of_degrees(yaw, pitch, roll);
    if (out.block.starts_with(k_fluid_prefix)) {
        if (!fluid.empty() && fluid != out.block) out.whole = false; // a cell has room for one
        fluid = out.block;
        out.block = k_empty_key;
    }
    if (!fluid.empty() && fluid != k_empty_key)
        out.fluid = fluid_today(fluid, out.level);
    else
        out.level = 0;
    return out;
}

} // namespace orbis::chunk
