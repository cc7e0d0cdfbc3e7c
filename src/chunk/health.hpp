#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"

#include <cstdint>
#include <vector>

namespace orbis::chunk {

/// Damaged and fragile blocks of a chunk, at world positions.
///
///     u8   version, 2
///     i32  n; each: i32 x, y, z, f32 health 0…1, i64 last damage in milliseconds of game time
///     i32  m; each: i32 x, y, z, f32 seconds           [from version 2]
class BlockHealth {
public:
    static constexpr std::uint8_t k_version = 2;

    struct Damaged {
        BlockPos pos;
        float health = 1;
        std::int64_t last_damage = 0;
        friend bool operator==(const Damaged&, const Damaged&) = default;
    };
    struct Fragile {
        BlockPos pos;
        float seconds = 0;
        friend bool operator==(const Fragile&, const Fragile&) = default;
    };

    bool read(Reader& in, Error& problem);
    void reset();

    [[nodiscard]] std::uint8_t version() const { return version_; }
    [[nodiscard]] const std::vector<Damaged>& damaged() const { return damaged_; }
    [[nodiscard]] const std::vector<Fragile>& fragile() const { return fragile_; }
    [[nodiscard]] bool changed() const { return changed_; }

    void set(std::vector<Damaged> damaged, std::vector<Fragile> fragile);
    /// Forgets what is known of one block; false if nothing was.
    bool forget(BlockPos pos);

    void append_to(Buffer& out) const;

private:
    std::uint8_t version_ = k_version;
    bool changed_ = false;
    Bytes raw_;
    std::vector<Damaged> damaged_;
    std::vector<Fragile> fragile_;
};

} // namespace orbis::chunk
