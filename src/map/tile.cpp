#include "map/tile.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <libdeflate.h>
#include <new>
#include <spng.h>
#include <sys/mman.h>

namespace orbis::map {
namespace {

constexpr std::size_t k_side_pixels = k_tile_side;
constexpr std::size_t k_pixels = k_side_pixels * k_side_pixels;
constexpr std::size_t k_most_colours = 256;

enum class ColourType : std::uint8_t { rgb = 2, palette = 3, rgba = 6 };

std::uint32_t word(Rgba pixel) {
    std::uint32_t value = 0;
    std::memcpy(&value, &pixel, sizeof value);
    return value;
}

bool is_opaque(const TilePixels& tile) {
    std::uint8_t all = 255;
    for (std::size_t i = 0; i < k_pixels; ++i) all &= tile.data()[i].a;
    return all == 255;
}

/// Up to 256 colours with their places, by open addressing.
class ColourTable {
public:
    ColourTable() { slots_.fill(-1); }

    /// The place of a colour; -1 when it is one too many.
    int place(Rgba colour, std::vector<Rgba>& palette) {
        auto slot = word(colour) * 0x9E3779B1U >> (32 - k_bits);
        while (slots_[slot] >= 0) {
            if (palette[static_cast<std::size_t>(slots_[slot])] == colour) return slots_[slot];
            slot = (slot + 1) & (k_slots - 1);
        }
        if (palette.size() == k_most_colours) return -1;
        slots_[slot] = static_cast<std::int16_t>(palette.size());
        palette.push_back(colour);
        return slots_[slot];
    }

private:
    static constexpr unsigned k_bits = 10;
    static constexpr std::size_t k_slots = 1U << k_bits;
    std::array<std::int16_t, k_slots> slots_;
};

/// Appends one chunk of a PNG file.
///
///     u32 be length of the data, 4 bytes name, data, u32 be CRC-32 of name and data
class PngChunk {
public:
    PngChunk(Buffer& out, std::string_view name) : out_(out), start_(out.size()) {
        Writer to(out_);
        to.be<std::uint32_t>(0);
        to.bytes(as_bytes(name));
    }

    void finish() {
        const auto length = out_.size() - start_ - 8;
        store_be(out_.data() + start_, static_cast<std::uint32_t>(length));
        const auto crc = libdeflate_crc32(0, out_.data() + start_ + 4, length + 4);
        Writer(out_).be(crc);
    }

private:
    Buffer& out_;
    std::size_t start_;
};

void append_header(Buffer& out, ColourType type) {
    Writer to(out);
    to.bytes(as_bytes(std::string_view("\x89PNG\r\n\x1a\n", 8)));
    PngChunk chunk(out, "IHDR");
    to.be<std::uint32_t>(k_tile_side);
    to.be<std::uint32_t>(k_tile_side);
    to.u8(8);
    to.u8(static_cast<std::uint8_t>(type));
    to.zeros(3); // deflate, the five filters, not interlaced
    chunk.finish();
}

void append_palette(Buffer& out, const std::vector<Rgba>& palette) {
    Writer to(out);
    PngChunk colours(out, "PLTE");
    for (const auto colour : palette) {
        to.u8(colour.r);
        to.u8(colour.g);
        to.u8(colour.b);
    }
    colours.finish();
    const auto opaque_from =
        std::find_if(palette.rbegin(), palette.rend(), [](Rgba colour) { return colour.a != 255; }).base();
    if (opaque_from == palette.begin()) return;
    PngChunk alphas(out, "tRNS");
    for (auto colour = palette.begin(); colour != opaque_from; ++colour) to.u8(colour->a);
    alphas.finish();
}

/// The mean of four pixels, weighted by alpha and rounded half up.
Rgba mean(Rgba a, Rgba b, Rgba c, Rgba d) {
    const auto quarter = [](unsigned sum) { return static_cast<std::uint8_t>((sum + 2) >> 2); };
    if ((a.a & b.a & c.a & d.a) == 255)
        return {quarter(unsigned{a.r} + b.r + c.r + d.r), quarter(unsigned{a.g} + b.g + c.g + d.g),
                quarter(unsigned{a.b} + b.b + c.b + d.b), 255};
    const unsigned weight = unsigned{a.a} + b.a + c.a + d.a;
    if (weight < 2) return {}; // alpha rounds to nothing
    const auto channel = [&](std::uint8_t Rgba::* of) {
        const unsigned sum =
            unsigned{a.*of} * a.a + unsigned{b.*of} * b.a + unsigned{c.*of} * c.a + unsigned{d.*of} * d.a;
        return static_cast<std::uint8_t>((2 * sum + weight) / (2 * weight));
    };
    return {channel(&Rgba::r), channel(&Rgba::g), channel(&Rgba::b), quarter(weight)};
}

/// This many pixels at once.
constexpr int k_mean_block = 16;

/// The means of squares of two by two pixels. Chunks are opaque or nothing: where a block is the one or the
/// other there is nothing to weigh, and the loops become vector instructions.
void mean_block(const Rgba* upper, const Rgba* lower, Rgba* out) {
    std::uint32_t all = 0xFFFF'FFFF;
    std::uint32_t any = 0;
    for (int i = 0; i < 2 * k_mean_block; ++i) {
        all &= word(upper[i]) & word(lower[i]);
        any |= word(upper[i]) | word(lower[i]);
    }
    constexpr auto k_alpha = std::endian::native == std::endian::little ? 0xFF00'0000U : 0x0000'00FFU;
    if ((any & k_alpha) == 0) {
        std::fill_n(out, k_mean_block, Rgba{});
    } else if ((all & k_alpha) != k_alpha) {
        for (int i = 0; i < k_mean_block; ++i)
            out[i] = mean(upper[2 * i], upper[2 * i + 1], lower[2 * i], lower[2 * i + 1]);
    } else {
        for (int i = 0; i < k_mean_block; ++i) {
            // Two channels in each word, with room for the sum of four.
            constexpr std::uint32_t k_channels = 0x00FF'00FF;
            constexpr std::uint32_t k_half_up = 0x0002'0002;
            const auto a = word(upper[2 * i]);
            const auto b = word(upper[2 * i + 1]);
            const auto c = word(lower[2 * i]);
            const auto d = word(lower[2 * i + 1]);
            const auto even = (a & k_channels) + (b & k_channels) + (c & k_channels) + (d & k_channels);
            const auto odd =
                (a >> 8 & k_channels) + (b >> 8 & k_channels) + (c >> 8 & k_channels) + (d >> 8 & k_channels);
            const auto mixed =
                ((even + k_half_up) >> 2 & k_channels) | ((odd + k_half_up) >> 2 & k_channels) << 8;
            out[i] = std::bit_cast<Rgba>(mixed);
        }
    }
}

} // namespace

void* TileMemory::take(std::size_t bytes) {
    // All pages at once: one by one, as they are touched, takes several times as long.
    auto* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    const auto now = s_now += bytes;
    for (auto peak = s_peak.load(); peak < now && !s_peak.compare_exchange_weak(peak, now);) {
    }
    return memory;
}

void TileMemory::give_back(void* memory, std::size_t bytes) noexcept {
    s_now -= bytes;
    munmap(memory, bytes);
}

void TilePixels::clear() { std::ranges::fill(pixels_, Rgba{}); }

bool TilePixels::empty() const {
    return std::ranges::all_of(pixels_, [](Rgba pixel) { return pixel.a == 0; });
}

std::string_view TileEncoder::version() { return "png 1"; }

bool TileEncoder::index_colours(const TilePixels& tile) {
    palette_.clear();
    rows_.resize((k_side_pixels + 1) * k_side_pixels);
    ColourTable table;
    const auto* pixel = tile.data();
    auto* out = rows_.data();
    auto last = *pixel;
    auto place = table.place(last, palette_);
    for (std::size_t row = 0; row < k_side_pixels; ++row) {
        *out++ = 0;
        for (std::size_t i = 0; i < k_side_pixels; ++i, ++pixel) {
            if (!(*pixel == last)) {
                last = *pixel;
                place = table.place(last, palette_);
                if (place < 0) return false;
            }
            *out++ = static_cast<std::uint8_t>(place);
        }
    }
    return true;
}

void TileEncoder::fill_rgb(const TilePixels& tile) {
    rows_.resize((k_side_pixels * 3 + 1) * k_side_pixels);
    const auto* pixel = tile.data();
    auto* out = rows_.data();
    for (std::size_t row = 0; row < k_side_pixels; ++row) {
        *out++ = 0;
        for (std::size_t i = 0; i < k_side_pixels; ++i, ++pixel, out += 3) {
            out[0] = pixel->r;
            out[1] = pixel->g;
            out[2] = pixel->b;
        }
    }
}

void TileEncoder::fill_rgba(const TilePixels& tile) {
    constexpr auto k_row = k_side_pixels * sizeof(Rgba);
    rows_.resize((k_row + 1) * k_side_pixels);
    auto* out = rows_.data();
    for (std::size_t row = 0; row < k_side_pixels; ++row, out += k_row + 1) {
        out[0] = 0;
        std::memcpy(out + 1, tile.data() + row * k_side_pixels, k_row);
    }
}

Bytes TileEncoder::encode(const TilePixels& tile) {
    auto type = ColourType::palette;
    if (!index_colours(tile)) {
        type = is_opaque(tile) ? ColourType::rgb : ColourType::rgba;
        type == ColourType::rgb ? fill_rgb(tile) : fill_rgba(tile);
    }
    out_.clear();
    append_header(out_, type);
    if (type == ColourType::palette) append_palette(out_, palette_);
    PngChunk data(out_, "IDAT");
    const std::size_t pixel = type == ColourType::palette ? 1 : type == ColourType::rgb ? 3 : 4;
    deflate_.append(rows_, k_side_pixels * pixel + 1, pixel, out_);
    data.finish();
    PngChunk(out_, "IEND").finish();
    return out_;
}

Result<void> decode_tile(Bytes png, TilePixels& out) {
    struct Free {
        void operator()(spng_ctx* context) const { spng_ctx_free(context); }
    };
    const std::unique_ptr<spng_ctx, Free> context(spng_ctx_new(0));
    if (!context) return fail(Errc::too_large, "not enough memory for a picture");
    spng_ihdr header{};
    int code = spng_set_png_buffer(context.get(), png.data(), png.size());
    if (code == 0) code = spng_get_ihdr(context.get(), &header);
    if (code == 0 && (header.width != k_tile_side || header.height != k_tile_side))
        return fail(Errc::bad_value, "expected a tile of {0} × {0} pixels, found {1} × {2}", k_tile_side,
                    header.width, header.height);
    if (code == 0)
        code = spng_decode_image(context.get(), out.data(), k_pixels * sizeof(Rgba), SPNG_FMT_RGBA8,
                                 SPNG_DECODE_TRNS);
    if (code != 0) return fail(Errc::bad_value, "cannot read a tile: {}", spng_strerror(code));
    return {};
}

void shrink_into(const TilePixels& child, TilePos child_pos, TilePixels& parent) {
    constexpr int k_half = k_tile_side / 2;
    static_assert(k_half % k_mean_block == 0);
    const int left = (child_pos.x & 1) * k_half;
    const int top = (child_pos.z & 1) * k_half;
    for (int z = 0; z < k_half; ++z) {
        const auto* upper = child.at(0, 2 * z);
        const auto* lower = upper + k_tile_side;
        auto* out = parent.at(left, top + z);
        for (int x = 0; x < k_half; x += k_mean_block, upper += 2 * k_mean_block, lower += 2 * k_mean_block)
            mean_block(upper, lower, out + x);
    }
}

} // namespace orbis::map
