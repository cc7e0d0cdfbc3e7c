#include "jobs/puzzle/chunk_edges.hpp"

#include "bytes/fnv.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

using Axis = ChunkEdges::Axis;
using Plane = ChunkEdges::Plane;
using Seam = ChunkEdges::Seam;

/// The planes that are looked at, by their x or z; each seam is between two that follow one another.
constexpr std::array k_depths{0, 1, 14, 15, 16, 17, 30, 31};
constexpr std::size_t k_layer = k_side;

/// Never 0, which stands for an empty cell.
std::uint16_t cell_hash(std::uint32_t hash) {
    return static_cast<std::uint16_t>(std::max<std::uint32_t>((hash ^ hash >> 16) & 0xFFFF, 1));
}

class EdgeMaker {
public:
    explicit EdgeMaker(const chunk::Chunk& chunk) : chunk_(chunk) {}

    ChunkEdges make() {
        columns();
        for (auto& axis : planes_)
            for (auto& plane : axis) plane.assign(k_sections * k_side * k_layer, 0);
        for (int y = 0; y < k_sections; ++y) section(y);
        for (const auto axis : {Axis::along_x, Axis::along_z}) {
            auto& planes = planes_[axis];
            auto& inside = made_.inside[axis];
            inside[Seam::low] = difference(planes[0], planes[1]);
            inside[Seam::before_middle] = difference(planes[2], planes[3]);
            inside[Seam::middle] = difference(planes[3], planes[4]);
            inside[Seam::behind_middle] = difference(planes[4], planes[5]);
            inside[Seam::high] = difference(planes[6], planes[7]);
            made_.first[axis] = trimmed(planes[0]);
            made_.last[axis] = trimmed(planes[7]);
        }
        return std::move(made_);
    }

private:
    void columns() {
        for (int i = 0; i < k_columns; ++i) {
            const ColumnIndex column(i);
            const auto at = static_cast<std::size_t>(i);
            made_.heights[at] = chunk_.heights().at(column);
            made_.tints[at] = static_cast<std::uint32_t>(chunk_.tints().at(column)) & 0xFFFFFF;
            std::uint32_t hash = 0;
            for (const auto& run : chunk_.environments().runs(column))
                hash = (hash ^ fnv1a_32(run.key) ^ static_cast<std::uint32_t>(run.max_y)) * 0x9E37'79B1;
            made_.environments[at] = hash;
        }
    }

    void section(int y) {
        const auto& section = chunk_.section(y);
        take(section.blocks, y, [&](std::size_t i) { return section.block_key(i); });
        take(section.fluids, y, [&](std::size_t i) { return section.fluids.entries()[i].value; });
    }

    template <typename KeyOf>
    void take(const chunk::KeyPalette& palette, int y, const KeyOf& key_of) {
        if (palette.kind() == chunk::PaletteKind::empty) return;
        hashes_.clear();
        for (std::size_t i = 0; i < palette.entries().size(); ++i) {
            const auto key = key_of(i);
            hashes_.push_back(key == chunk::k_empty_key ? std::uint16_t{0} : cell_hash(fnv1a_32(key)));
        }
        hashes_.push_back(0); // cells without an entry
        palette.expand(cells_);
        for (std::size_t depth = 0; depth < k_depths.size(); ++depth)
            for (int layer = 0; layer < k_side; ++layer)
                for (int i = 0; i < k_side; ++i) {
                    const auto to = static_cast<std::size_t>((y * k_side + layer) * k_side + i);
                    put(planes_[Axis::along_x][depth][to], CellIndex(k_depths[depth], layer, i));
                    put(planes_[Axis::along_z][depth][to], CellIndex(i, layer, k_depths[depth]));
                }
    }

    void put(std::uint16_t& to, CellIndex cell) const {
        const auto hash = hashes_[cells_[static_cast<std::size_t>(cell.value)]];
        if (hash == 0) return;
        to = to == 0 ? hash : cell_hash(to * 31U + hash); // a fluid beside a block
    }

    static Plane trimmed(const Plane& plane) {
        const auto last = std::find_if(plane.rbegin(), plane.rend(), [](auto cell) { return cell != 0; });
        const auto used = static_cast<std::size_t>(plane.rend() - last);
        const auto layers = (used + k_layer - 1) / k_layer;
        return {plane.begin(), plane.begin() + static_cast<std::ptrdiff_t>(layers * k_layer)};
    }

    const chunk::Chunk& chunk_;
    ChunkEdges made_;
    std::array<std::array<Plane, k_depths.size()>, 2> planes_;
    std::vector<std::uint16_t> hashes_;
    std::array<std::uint16_t, k_cells> cells_{};
};

} // namespace

ChunkEdges edges_of(const chunk::Chunk& chunk) {
    auto maker = std::make_unique<EdgeMaker>(chunk); // the cells of a section are too much for the stack
    return maker->make();
}

PlaneDifference difference(const Plane& a, const Plane& b) {
    const auto& shorter = a.size() < b.size() ? a : b;
    const auto& longer = a.size() < b.size() ? b : a;
    PlaneDifference found;
    for (std::size_t layer = 0; layer < shorter.size(); layer += k_layer) {
        std::uint16_t different = 0;
        std::uint16_t open = 0;
        for (std::size_t i = layer; i < layer + k_layer; ++i) { // of a fixed length, for the vectoriser
            different = static_cast<std::uint16_t>(different + (a[i] != b[i] ? 1 : 0));
            open = static_cast<std::uint16_t>(open + ((a[i] == 0) != (b[i] == 0) ? 1 : 0));
        }
        found.open += open;
        found.solid += static_cast<std::uint32_t>(different - open);
    }
    for (std::size_t i = shorter.size(); i < longer.size(); ++i) found.open += longer[i] != 0 ? 1U : 0U;
    return found;
}

} // namespace orbis::jobs
