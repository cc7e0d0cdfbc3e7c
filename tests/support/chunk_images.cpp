#include "support/chunk_images.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <functional>

namespace orbis::test {

namespace {

void put_text(Buffer& out, const std::string& text) {
    Writer writer(out);
    writer.be(static_cast<std::uint16_t>(text.size()));
    writer.bytes(as_bytes(text));
}

void put(Buffer& out, const Buffer& more) { out.insert(out.end(), more.begin(), more.end()); }

/// Entries in order of value with descending ids, so that nothing may rely on ids being places in the list.
template <typename T>
Buffer palette_image(const std::vector<T>& cells, const T& empty, int type,
                     const std::function<void(Buffer&, const T&)>& put_value) {
    if (type == 0 && cells.empty()) return {0};
    struct Value {
        std::size_t number;
        std::size_t count = 0;
    };
    std::map<T, Value> values;
    std::vector<std::size_t> numbers(k_image_cells);
    auto last = values.end(); // most cells hold what the one before holds
    for (std::size_t i = 0; i < k_image_cells; ++i) {
        const auto& value = cells.empty() ? empty : cells[i];
        if (last == values.end() || last->first != value)
            last = values.try_emplace(value, Value{values.size()}).first;
        ++last->second.count;
        numbers[i] = last->second.number;
    }
    const bool only_empty = values.size() == 1 && values.begin()->first == empty;
    if (type == 0 && only_empty) return {0};
    if (type == 0) type = values.size() <= 16 ? 1 : values.size() <= 256 ? 2 : 3;

    Buffer out;
    Writer writer(out);
    writer.u8(static_cast<std::uint8_t>(type));
    writer.be(static_cast<std::int16_t>(values.size()));
    std::vector<std::size_t> labels(values.size());
    auto label = values.size();
    for (const auto& [value, at] : values) {
        --label;
        if (type == 3)
            writer.be(static_cast<std::uint16_t>(label));
        else
            writer.u8(static_cast<std::uint8_t>(label));
        put_value(out, value);
        writer.be(static_cast<std::uint16_t>(at.count));
        labels[at.number] = label;
    }
    for (std::size_t i = 0; i < k_image_cells; ++i) {
        const auto of_cell = labels[numbers[i]];
        if (type == 3) writer.be(static_cast<std::uint16_t>(of_cell));
        if (type == 2) writer.u8(static_cast<std::uint8_t>(of_cell));
        if (type == 1 && i % 2 == 1)
            writer.u8(static_cast<std::uint8_t>(labels[numbers[i - 1]] * 16 + of_cell));
    }
    return out;
}

void put_light_node(Buffer& out, const std::vector<std::uint16_t>& values, std::size_t first,
                    std::size_t span) {
    const auto mask_at = out.size();
    out.push_back(0);
    for (std::size_t child = 0; child < 8; ++child) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first + child * span);
        const bool uniform = std::all_of(begin, begin + static_cast<std::ptrdiff_t>(span),
                                         [&](std::uint16_t value) { return value == *begin; });
        if (uniform) {
            Writer(out).be(*begin);
        } else {
            out[mask_at] = static_cast<std::uint8_t>(out[mask_at] | 1U << child);
            put_light_node(out, values, first + child * span, span / 8);
        }
    }
}

} // namespace

Buffer key_palette_image(const std::vector<std::string>& cells, int type) {
    return palette_image<std::string>(cells, "Empty", type, put_text);
}

Buffer number_palette_image(const std::vector<std::uint16_t>& cells, int value_bytes, int type) {
    return palette_image<std::uint16_t>(cells, 0, type, [=](Buffer& out, std::uint16_t value) {
        if (value_bytes == 2)
            Writer(out).be(value);
        else
            out.push_back(static_cast<std::uint8_t>(value));
    });
}

Buffer light_image(const std::optional<std::vector<std::uint16_t>>& values, std::int16_t id) {
    Buffer out;
    Writer writer(out);
    writer.be(id);
    writer.u8(values ? 1 : 0);
    if (!values) return out;
    Buffer tree;
    put_light_node(tree, *values, 0, k_image_cells / 8);
    writer.be(static_cast<std::int32_t>(tree.size()));
    put(out, tree);
    return out;
}

Buffer section_image(const SectionImage& section) {
    Buffer out;
    Writer writer(out);
    if (section.version >= 6) writer.be(section.migrations);
    const auto blocks = key_palette_image(section.blocks, section.block_type);
    put(out, blocks);
    if (blocks[0] != 0) {
        writer.be(static_cast<std::uint16_t>(section.ticking.size()));
        std::vector<std::uint64_t> words;
        for (const int cell : section.ticking) {
            words.resize(std::max(words.size(), static_cast<std::size_t>(cell) / 64 + 1));
            words[static_cast<std::size_t>(cell) / 64] += std::uint64_t{1} << (cell % 64);
        }
        writer.be(static_cast<std::uint16_t>(words.size()));
        for (const auto word : words) writer.be(word);
    }
    if (section.version >= 4) put(out, number_palette_image(section.fillers, 2));
    if (section.version >= 5)
        put(out, number_palette_image({section.rotations.begin(), section.rotations.end()}, 1));
    put(out, light_image(section.local_light, section.local_id));
    put(out, light_image(section.global_light, section.global_id));
    writer.be(section.local_counter);
    writer.be(section.global_counter);
    return out;
}

Buffer fluid_image(const std::vector<std::string>& keys, const std::vector<int>& levels) {
    auto out = key_palette_image(keys);
    out.push_back(levels.empty() ? 0 : 1);
    for (std::size_t i = 0; i + 1 < levels.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(levels[i] + levels[i + 1] * 16));
    return out;
}

Buffer physics_image(const std::vector<int>& supports) {
    Buffer out = {static_cast<std::uint8_t>(supports.empty() ? 0 : 1)};
    for (std::size_t i = 0; i + 1 < supports.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(supports[i] * 16 + supports[i + 1]));
    return out;
}

Buffer column_map_image(const std::vector<std::int32_t>& values, int key_bytes) {
    std::vector<std::int32_t> keys;
    std::vector<bool> bits;
    for (const auto value : values) {
        auto found = std::find(keys.begin(), keys.end(), value);
        if (found == keys.end()) found = keys.insert(keys.end(), value);
        const auto index = static_cast<unsigned>(found - keys.begin());
        for (unsigned bit = 0; bit < 10; ++bit) bits.push_back((index >> bit & 1) != 0);
    }
    Buffer out;
    Writer writer(out);
    writer.le(static_cast<std::int16_t>(keys.size()));
    for (const auto key : keys) {
        if (key_bytes == 2)
            writer.le(static_cast<std::int16_t>(key));
        else
            writer.le(key);
    }
    writer.le(std::int32_t{1280});
    for (std::size_t byte = 0; byte < 1280; ++byte) {
        unsigned value = 0;
        for (unsigned bit = 0; bit < 8; ++bit) value |= (bits[byte * 8 + bit] ? 1U : 0U) << bit;
        writer.u8(static_cast<std::uint8_t>(value));
    }
    return out;
}

Buffer block_chunk_image(int version, const std::vector<std::int32_t>& heights,
                         const std::vector<std::int32_t>& tints, const std::vector<SectionImage>& sections) {
    Buffer out = {0};
    put(out, column_map_image(heights, 2));
    put(out, column_map_image(tints, 4));
    if (version > 2) return out;
    Writer(out).be(static_cast<std::int32_t>(sections.size()));
    for (auto section : sections) {
        section.version = version;
        put(out, section_image(section));
    }
    return out;
}

Buffer environment_image(const EnvironmentColumns& columns) {
    std::map<std::string, std::int32_t> ids;
    for (const auto& column : columns)
        for (const auto& [top, key] : column)
            ids.try_emplace(key, static_cast<std::int32_t>(ids.size() * 3 + 5));
    Buffer out;
    Writer writer(out);
    writer.be(static_cast<std::int32_t>(ids.size()));
    for (const auto& [key, id] : ids) {
        writer.be(id);
        put_text(out, key);
    }
    for (const auto& column : columns) {
        writer.be(static_cast<std::int32_t>(column.size() - 1));
        for (std::size_t i = 0; i + 1 < column.size(); ++i) writer.be(column[i].first);
        for (const auto& [top, key] : column) writer.be(ids[key]);
    }
    return out;
}

} // namespace orbis::test
