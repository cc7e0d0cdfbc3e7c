#include "protocol/map_image.hpp"

#include "protocol/missing_fields.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace orbis::protocol {
namespace {

/// No map of the game has a larger picture; a few bytes must not become a large list.
constexpr std::uint64_t k_most_pixels = 1 << 20;

const Value* field_of(const Value::Record& record, std::string_view name) {
    const auto at = std::ranges::find(record.layout->fields, name, &Field::name);
    return at == record.layout->fields.end()
               ? nullptr
               : &record.fields[static_cast<std::size_t>(at - record.layout->fields.begin())];
}

void set_field(Value::Record& record, std::string_view name, Value value) {
    const auto at = std::ranges::find(record.layout->fields, name, &Field::name);
    if (at != record.layout->fields.end())
        record.fields[static_cast<std::size_t>(at - record.layout->fields.begin())] = std::move(value);
}

/// Indices of `bits` bits each, the first in the lowest bits of the first byte.
Buffer packed(const std::vector<std::uint32_t>& indices, unsigned bits) {
    Buffer bytes((indices.size() * bits + 7) / 8);
    std::size_t at = 0;
    for (const auto index : indices)
        for (unsigned bit = 0; bit < bits; ++bit, ++at)
            if ((index >> bit & 1) != 0) bytes[at / 8] |= static_cast<std::uint8_t>(1 << (at % 8));
    return bytes;
}

void pack(const Value::List& colours, Value::Record& picture) {
    std::unordered_map<std::int64_t, std::uint32_t> numbers;
    Value::List palette;
    std::vector<std::uint32_t> indices;
    indices.reserve(colours.size());
    for (const auto& colour : colours) {
        const auto* rgba = colour.as<std::int64_t>();
        if (rgba == nullptr) continue;
        const auto [number, is_new] = numbers.emplace(*rgba, static_cast<std::uint32_t>(palette.size()));
        if (is_new) palette.push_back(colour);
        indices.push_back(number->second);
    }
    const auto bits = palette.size() < 2 ? 1U : static_cast<unsigned>(std::bit_width(palette.size() - 1));
    set_field(picture, "bitsPerIndex", Value{std::int64_t{bits}});
    set_field(picture, "palette", Value{std::move(palette)});
    set_field(picture, "packedIndices", Value{packed(indices, bits)});
}

/// Colours beyond what the indices say, and of indices that the palette does not have, are 0.
void unpack(const Value::Record& said, std::uint64_t count, Value::Record& picture) {
    const auto* bits_value = field_of(said, "bitsPerIndex");
    const auto* palette_value = field_of(said, "palette");
    const auto* packed_value = field_of(said, "packedIndices");
    const auto* bits = bits_value != nullptr ? bits_value->as<std::int64_t>() : nullptr;
    const auto* palette = palette_value != nullptr ? palette_value->as<Value::List>() : nullptr;
    const auto* bytes = packed_value != nullptr ? packed_value->as<Buffer>() : nullptr;
    if (bits == nullptr || *bits < 1 || *bits > 32 || palette == nullptr || bytes == nullptr) return;
    const auto width = static_cast<std::uint64_t>(*bits);
    count = std::min({count, std::uint64_t{bytes->size()} * 8 / width, k_most_pixels});
    Value::List colours;
    colours.reserve(count);
    for (std::uint64_t number = 0; number < count; ++number) {
        std::uint64_t index = 0;
        for (std::uint64_t bit = 0; bit < width; ++bit) {
            const auto at = number * width + bit;
            index |= std::uint64_t{(*bytes)[at / 8] >> (at % 8) & 1U} << bit;
        }
        colours.push_back(index < palette->size() ? (*palette)[index] : Value{std::int64_t{0}});
    }
    set_field(picture, "data", Value{std::move(colours)});
}

} // namespace

std::optional<Value> translated_map_image(const Value::Record& said, const Layout& to) {
    if (to.name != "MapImage" || said.layout->name != "MapImage") return std::nullopt;
    const auto* data = field_of(said, "data");
    if ((data != nullptr) == (to.find("data") != nullptr)) return std::nullopt;
    auto value = plainest_value(to);
    auto& picture = std::get<Value::Record>(value.content);
    std::uint64_t count = 1;
    for (const auto* const side : {"width", "height"}) {
        const auto* length = field_of(said, side);
        if (length == nullptr || length->as<std::int64_t>() == nullptr) continue;
        set_field(picture, side, *length);
        count *=
            static_cast<std::uint64_t>(std::clamp<std::int64_t>(*length->as<std::int64_t>(), 0, 1 << 16));
    }
    if (data == nullptr)
        unpack(said, count, picture);
    else if (const auto* colours = data->as<Value::List>())
        pack(*colours, picture);
    return value;
}

} // namespace orbis::protocol
