#include "mesh/mesh_file.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <array>
#include <libdeflate.h>
#include <new>
#include <span>
#include <tuple>

namespace orbis::mesh {

namespace {

constexpr int k_deflate_level = 6;
/// Memory for compressing that is kept from mesh to mesh.
constexpr std::size_t k_most_packed = 1 << 20;
/// Keys are a stranger's: what was learnt of them is forgotten when it is more than any world needs.
constexpr std::size_t k_most_materials = 8192;
constexpr std::size_t k_most_key_bytes = 1 << 20;

/// A record whose face is one of these is a block that stands free: a box without its bottom, or with it.
constexpr std::uint32_t k_piece = 6;
constexpr std::uint32_t k_whole_piece = 7;

/// The bytes of a number of each record: the lowest of all of them, then the next. So equal ones come to
/// stand beside each other.
template <typename Number>
void append_planes(Buffer& out, const std::vector<Quad>& quads, unsigned bytes, Number number_of) {
    for (unsigned shift = 0; shift < 8 * bytes; shift += 8)
        for (const auto& quad : quads) out.push_back(static_cast<std::uint8_t>(number_of(quad) >> shift));
}

/// The same for what a number has grown by since the record before.
template <typename Number>
void append_steps(Buffer& out, const std::vector<Quad>& quads, unsigned bytes, Number number_of) {
    for (unsigned shift = 0; shift < 8 * bytes; shift += 8) {
        std::uint32_t before = 0;
        for (const auto& quad : quads) {
            const std::uint32_t now = number_of(quad);
            out.push_back(static_cast<std::uint8_t>((now - before) >> shift));
            before = now;
        }
    }
}

/// Red of all columns, then green, then blue; each less that of the column to the north, in the first row of
/// that to the west.
void append_tints(Buffer& out, const chunk::Chunk& chunk) {
    std::array<std::int32_t, k_columns> tints;
    chunk.tints().expand(tints);
    for (const unsigned shift : {16U, 8U, 0U}) {
        const auto channel = [&](int column) {
            return static_cast<std::uint32_t>(tints[static_cast<std::size_t>(column)]) >> shift & 255;
        };
        for (int i = 0; i < k_columns; ++i) {
            const auto before = i >= k_side ? channel(i - k_side) : i > 0 ? channel(i - 1) : 0;
            out.push_back(static_cast<std::uint8_t>(channel(i) - before));
        }
    }
}

std::uint32_t cell_of(const Quad& quad) {
    return static_cast<std::uint32_t>(quad.x() | quad.z() << 5 | quad.y() << 10);
}
std::uint32_t face_of(const Quad& quad) { return quad.place >> 29; }

} // namespace

struct MeshFileMaker::Compressor {
    Compressor() : tool(libdeflate_alloc_compressor(k_deflate_level)) {
        if (tool == nullptr) throw std::bad_alloc();
    }
    ~Compressor() { libdeflate_free_compressor(tool); }
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;

    /// The result takes no more memory than it has bytes, because it is kept.
    void append(Buffer& out, Bytes bytes) {
        packed.resize(libdeflate_zlib_compress_bound(tool, bytes.size()));
        const auto size =
            libdeflate_zlib_compress(tool, bytes.data(), bytes.size(), packed.data(), packed.size());
        out.reserve(out.size() + size);
        out.insert(out.end(), packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
        if (packed.size() > k_most_packed) packed = {};
    }

    libdeflate_compressor* tool;
    Buffer packed;
};

MeshFileMaker::MeshFileMaker(const world::Assets& assets)
    : assets_(assets), colours_(assets), compressor_(std::make_unique<Compressor>()) {}
MeshFileMaker::~MeshFileMaker() = default;

void MeshFileMaker::forget_old() {
    if (materials_ && materials_->size() <= k_most_materials && materials_->key_bytes() <= k_most_key_bytes)
        return;
    mesher_.reset();
    materials_ = std::make_unique<Materials>(assets_);
    mesher_ = std::make_unique<ChunkMesher>(*materials_);
}

/// `f` of a surface pixel (docs/formats/map.md), by the environment where the fluid is met first.
map::Colour MeshFileMaker::fluid_colour(chunk::Chunk& chunk, const Material& fluid, const Quad& first) const {
    auto colour = fluid.block.particle;
    if (!fluid.is_water) return colour;
    chunk.read_environments();
    const auto tint =
        colours_.water_tint(chunk.environments().at(ColumnIndex(first.x() | first.z() << 5), first.y()));
    if (!tint) return colour;
    const auto times = [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a * b / 255); };
    return {times(colour.red, tint->red), times(colour.green, tint->green), times(colour.blue, tint->blue)};
}

/// Gives the materials of the rectangles numbers of their own, and writes their table.
void MeshFileMaker::number_materials(chunk::Chunk& chunk, Buffer& table) {
    numbers_.assign(materials_->size(), 0);
    Writer to(table);
    std::uint16_t count = 0;
    for (auto& quad : quads_) {
        auto& number = numbers_[quad.material()];
        if (number == 0) {
            number = ++count; // no more than there are, and 0 is none of them
            const auto& material = (*materials_)[quad.material()];
            const bool is_fluid = material.kind == Material::Kind::fluid;
            const auto& look = material.block;
            const auto base = is_fluid ? fluid_colour(chunk, material, quad) : look.base;
            const bool is_dimmed = !is_fluid && look.has_particle && look.biome_percent < 100;
            const auto particle = is_dimmed ? look.particle : map::Colour{255, 255, 255};
            for (const auto channel : {base.red, base.green, base.blue, particle.red, particle.green,
                                       particle.blue, is_fluid ? std::uint8_t{0} : look.biome_percent,
                                       static_cast<std::uint8_t>(material.alpha * 255)})
                to.u8(channel);
        }
        quad.look = (quad.look & 0xFFFF'0000) | static_cast<std::uint32_t>(number - 1);
    }
}

/// Blocks that stand free become one record each. Their faces follow each other, the upper one first.
void MeshFileMaker::join_pieces() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < quads_.size(); ++i) {
        auto quad = quads_[i];
        if ((*materials_)[quad.material()].kind == Material::Kind::piece) {
            if (quad.face() != Face::up) continue;
            const bool has_bottom = i + 1 < quads_.size() && quads_[i + 1].face() == Face::down
                                    && cell_of(quads_[i + 1]) == cell_of(quad);
            quad.place |= (has_bottom ? k_whole_piece : k_piece) << 29;
        }
        quads_[kept++] = quad;
    }
    quads_.resize(kept);
}

Buffer MeshFileMaker::make(chunk::Chunk& chunk, const Neighbours& around, Faces faces, const Part& part) {
    forget_old();
    quads_.clear();
    mesher_->make(chunk, around, {.part = part, .surface = faces == Faces::surface, .lamps = true}, quads_);
    made_ = quads_.size();
    join_pieces();
    const auto clear =
        std::ranges::stable_partition(quads_, [this](const Quad& quad) { return !is_clear(quad); });
    const auto opaque = quads_.size() - clear.size();
    body_.clear();
    // In the order in which they are met: what was made before must not show.
    number_materials(chunk, body_);
    const auto materials = body_.size() / 8;
    const auto order = [](const Quad& quad) {
        return std::tuple(quad.material(), cell_of(quad), face_of(quad), quad.look);
    };
    std::ranges::sort(std::span(quads_).first(opaque), {}, order);
    std::ranges::sort(std::span(quads_).subspan(opaque), {}, order);

    append_tints(body_, chunk);
    append_steps(body_, quads_, 3, cell_of);
    append_planes(body_, quads_, 1, [](const Quad& quad) { return static_cast<unsigned>(quad.width() - 1); });
    append_planes(body_, quads_, 1,
                  [](const Quad& quad) { return static_cast<unsigned>(quad.height() - 1); });
    append_planes(body_, quads_, 1,
                  [](const Quad& quad) { return face_of(quad) | static_cast<unsigned>(quad.shape()) << 3; });
    append_steps(body_, quads_, 2, [](const Quad& quad) { return std::uint32_t{quad.material()}; });
    append_planes(body_, quads_, 2, [](const Quad& quad) { return std::uint32_t{quad.light()}; });

    Buffer out;
    Writer to(out);
    to.bytes(as_bytes(std::string_view("OMSH")));
    to.u8(1);
    to.u8(static_cast<std::uint8_t>((faces == Faces::all ? 1 : 0) | (chunk.problems().empty() ? 0 : 2)));
    to.le(static_cast<std::uint16_t>(materials));
    to.le(static_cast<std::uint32_t>(opaque));
    to.le(static_cast<std::uint32_t>(quads_.size() - opaque));
    compressor_->append(out, body_);
    return out;
}

} // namespace orbis::mesh
