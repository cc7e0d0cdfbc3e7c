#pragma once

#include "orbis/position.hpp"

#include <fmt/core.h>

/// As people read them: `chunk 3,-4`, `region -1.0`.
template <>
struct fmt::formatter<orbis::ChunkPos> {
    static constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    static auto format(orbis::ChunkPos pos, fmt::format_context& context) {
        return fmt::format_to(context.out(), "chunk {},{}", pos.x, pos.z);
    }
};

template <>
struct fmt::formatter<orbis::RegionPos> {
    static constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    static auto format(orbis::RegionPos pos, fmt::format_context& context) {
        return fmt::format_to(context.out(), "region {}.{}", pos.x, pos.z);
    }
};
