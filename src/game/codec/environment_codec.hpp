#pragma once

#include "bytes/bytes.hpp"
#include "chunk/environment.hpp"
#include "game/codec/wire_ids.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace orbis::game {

/// Turns the environments of a chunk into those of packets (docs/formats/column-packets.md). Keeps its
/// memory.
///
///     1024 × column z*32+x: u16 runs, runs × { u16 from y, u16 id }
class EnvironmentWriter {
public:
    /// Appends all columns. Names that have no id yet get one. Runs below the world are left out, and what is
    /// more than 320 runs in a column.
    void write(const chunk::Environments& environments, IdTable& ids, Buffer& out);

private:
    void read_mappings(const chunk::Environments& environments, IdTable& ids);
    [[nodiscard]] std::uint16_t wire_id(std::int32_t id) const;
    std::uint8_t* write_column(const std::uint8_t* bounds, std::int32_t count, std::uint8_t* to) const;

    Buffer stored_;                            ///< of environments that have changed
    std::array<std::uint16_t, 256> low_ids_{}; ///< on the wire, by the chunk's id
    std::unordered_map<std::int32_t, std::uint16_t>
        high_ids_; ///< for other ids, which real chunks rarely have
};

} // namespace orbis::game
