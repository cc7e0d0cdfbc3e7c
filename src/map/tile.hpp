#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "bytes/tile_pos.hpp"
#include "map/pixel_deflate.hpp"
#include "map/unshaded_chunk.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace orbis::map {

/// Side of a tile in pixels.
inline constexpr int k_tile_side = k_tile_chunks * k_side;

/// The memory of tiles in work, which comes beside a fixed bound. It is taken from the system and given back
/// at once, so that it is what it says and holes between tiles cannot add up.
class TileMemory {
public:
    /// The most that this process has had at once.
    [[nodiscard]] static std::size_t peak() { return s_peak; }

    /// For vectors of pixels.
    template <typename T>
    struct Allocator {
        using value_type = T;
        Allocator() = default;
        template <typename Other>
        explicit Allocator(const Allocator<Other>&) {}
        T* allocate(std::size_t count) { return static_cast<T*>(take(count * sizeof(T))); }
        void deallocate(T* memory, std::size_t count) noexcept { give_back(memory, count * sizeof(T)); }
        /// Fresh memory is all zeros, which is a transparent pixel.
        void construct(T*) noexcept {}
        /// A copy.
        void construct(T* at, const T& value) { std::construct_at(at, value); }
        friend bool operator==(const Allocator&, const Allocator&) { return true; }
    };

private:
    static void* take(std::size_t bytes);
    static void give_back(void* memory, std::size_t bytes) noexcept;
    static inline std::atomic<std::size_t> s_now = 0;
    static inline std::atomic<std::size_t> s_peak = 0;
};

/// The pixels of a tile, row by row from the north.
class TilePixels {
public:
    /// All transparent.
    TilePixels() : pixels_(static_cast<std::size_t>(k_tile_side) * k_tile_side) {}

    [[nodiscard]] Rgba* data() { return pixels_.data(); }
    [[nodiscard]] const Rgba* data() const { return pixels_.data(); }
    [[nodiscard]] Rgba* at(int x, int z) { return pixels_.data() + z * k_tile_side + x; }
    [[nodiscard]] const Rgba* at(int x, int z) const { return pixels_.data() + z * k_tile_side + x; }
    [[nodiscard]] Rgba get(int x, int z) const { return *at(x, z); }
    void clear();
    /// Whether no pixel can be seen: such a tile is not kept.
    [[nodiscard]] bool empty() const;

private:
    std::vector<Rgba, TileMemory::Allocator<Rgba>> pixels_;
};

/// Makes PNG files of tiles: the same bytes for the same pixels. Keeps its memory: one per thread.
class TileEncoder {
public:
    /// The file; valid until the next call.
    Bytes encode(const TilePixels& tile);

    /// Names whatever the bytes depend on beside the pixels.
    static std::string_view version();

private:
    bool index_colours(const TilePixels& tile);
    void fill_rgb(const TilePixels& tile);
    void fill_rgba(const TilePixels& tile);

    PixelDeflate deflate_;
    std::vector<Rgba> palette_;
    Buffer rows_; ///< each with its filter byte
    Buffer out_;
};

/// Reads a tile that was made by `TileEncoder`, or any PNG of that size.
Result<void> decode_tile(Bytes png, TilePixels& out);

/// Draws a tile at half its size into the quarter of its parent that it covers.
void shrink_into(const TilePixels& child, TilePos child_pos, TilePixels& parent);

} // namespace orbis::map
