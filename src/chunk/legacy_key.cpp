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
    while (!rest.empty()) {
        auto value = next_part(rest, '|');
        const auto name = next_part(value, '=');
        if (name == "Deco") {
            out.support = k_decoration;
        } else if (name == "Fluid") {
            fluid = value;
        } else if (name == "Filler") {
            out.filler = filler(value).value_or(Filler{});
        } else if (const auto amount = number(value)) {
            if (name == "Yaw") yaw = *amount;
            if (name == "Pitch") pitch = *amount;
            if (name == "Roll") roll = *amount;
            if (name == "Support") out.support = static_cast<std::uint8_t>(*amount & 15);
            if (name == "FluidLevel") out.level = static_cast<std::uint8_t>(*amount & 15);
        }
    }
    out.rotation = Rotation::of_degrees(yaw, pitch, roll);
    if (out.block.starts_with(k_fluid_prefix)) {
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
