#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Plain encoders of chunk blobs, written from the description of the formats and independent of the code
/// under test: slow, one cell after the other.
namespace orbis::test {

constexpr std::size_t k_image_cells = 32768;

/// What a section holds, cell by cell. Empty vectors stand for the empty value everywhere.
struct SectionImage {
    int version = 6;
    std::int32_t migrations = 11;
    std::vector<std::string> blocks;
    int block_type = 0; ///< 0: the narrowest palette that has room
    std::vector<std::uint16_t> fillers;
    std::vector<std::uint8_t> rotations;
    std::set<int> ticking;
    std::optional<std::vector<std::uint16_t>> local_light;
    std::optional<std::vector<std::uint16_t>> global_light;
    std::int16_t local_id = 0;
    std::int16_t global_id = 0;
    std::int16_t local_counter = 0;
    std::int16_t global_counter = 0;
};

/// A palette of keys; `type` 0 is the narrowest one that has room.
Buffer key_palette_image(const std::vector<std::string>& cells, int type = 0);
/// A palette of numbers of one or two bytes.
Buffer number_palette_image(const std::vector<std::uint16_t>& cells, int value_bytes, int type = 0);

Buffer light_image(const std::optional<std::vector<std::uint16_t>>& values, std::int16_t id);
Buffer section_image(const SectionImage& section);
Buffer fluid_image(const std::vector<std::string>& keys, const std::vector<int>& levels);
Buffer physics_image(const std::vector<int>& supports);

/// Heights with two bytes per key, tints with four.
Buffer column_map_image(const std::vector<std::int32_t>& values, int key_bytes);
Buffer block_chunk_image(int version, const std::vector<std::int32_t>& heights,
                         const std::vector<std::int32_t>& tints, const std::vector<SectionImage>& sections);

/// Per column the runs from the bottom: highest y and key.
using EnvironmentColumns = std::vector<std::vector<std::pair<std::int32_t, std::string>>>;
Buffer environment_image(const EnvironmentColumns& columns);

} // namespace orbis::test
