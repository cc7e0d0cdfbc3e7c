#include "jobs/cells/area.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace orbis::jobs {
namespace {

constexpr std::uint64_t k_most_area_chunks = 1 << 20;
/// The game packs positions into 27 bits.
constexpr std::int32_t k_area_reach = 1 << 26;

/// Numbers with signs between them; false if the text is anything else.
bool read_numbers(std::string_view text, std::span<const std::string_view> signs,
                  std::span<std::int32_t> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) {
            if (!text.starts_with(signs[i - 1])) return false;
            text.remove_prefix(signs[i - 1].size());
        }
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
        if (code != std::errc()) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return text.empty();
}

std::int32_t clamped(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                                              std::numeric_limits<std::int32_t>::max()));
}

BlockBox box_around(BlockPos centre, std::int64_t radius, std::int64_t low, std::int64_t high) {
    return {{clamped(centre.x - radius), clamped(low), clamped(centre.z - radius)},
            {clamped(centre.x + radius), clamped(high), clamped(centre.z + radius)}};
}

/// How far a row reaches from the middle, where `squares` are left of the square of the radius.
std::int64_t half_width(std::int64_t squares) {
    if (squares < 0) return -1;
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(squares)));
    while (root * root > squares) --root;
    while ((root + 1) * (root + 1) <= squares) ++root;
    return root;
}

/// Adds the cells of a row from `x1` to `x2` that are in the chunk.
void add_row(const BlockBox& part, std::int64_t x1, std::int64_t x2, int y, int z, CellSet& cells) {
    x1 = std::max<std::int64_t>(x1, part.least.x);
    x2 = std::min<std::int64_t>(x2, part.most.x);
    if (x1 > x2) return;
    const CellIndex first(static_cast<int>(x1 & 31), y, z);
    cells.insert(y >> 5, first, CellIndex(first.value + static_cast<int>(x2 - x1) + 1));
}

/// Calls `row(y, z)` for the rows of a box in a chunk.
template <typename Row>
void for_each_row(const BlockBox& part, Row&& row) {
    for (int y = part.least.y; y <= part.most.y; ++y)
        for (int z = part.least.z; z <= part.most.z; ++z) row(y, z);
}

void add_shape(const BlockBox& box, ChunkPos pos, CellSet& cells) {
    const auto part = box.shared_with(BlockBox::of(pos));
    if (!part) return;
    const auto whole = BlockBox::of(pos);
    const bool full = part->least.x == whole.least.x && part->most.x == whole.most.x
                      && part->least.z == whole.least.z && part->most.z == whole.most.z;
    if (full) { // whole layers
        for (int y = part->least.y >> 5; y <= part->most.y >> 5; ++y) {
            const int low = std::max(part->least.y - y * k_side, 0);
            const int high = std::min(part->most.y - y * k_side, k_side - 1);
            cells.insert(y, CellIndex(low * k_columns), CellIndex((high + 1) * k_columns));
        }
        return;
    }
    for_each_row(*part, [&](int y, int z) { add_row(*part, part->least.x, part->most.x, y, z, cells); });
}

void add_shape(const BlockSphere& sphere, ChunkPos pos, CellSet& cells) {
    const auto part = sphere.box().shared_with(BlockBox::of(pos));
    if (!part) return;
    const auto square = std::int64_t{sphere.radius} * sphere.radius;
    for_each_row(*part, [&](int y, int z) {
        const auto dy = std::int64_t{y} - sphere.centre.y;
        const auto dz = std::int64_t{z} - sphere.centre.z;
        if (const auto half = half_width(square - dy * dy - dz * dz); half >= 0)
            add_row(*part, sphere.centre.x - half, sphere.centre.x + half, y, z, cells);
    });
}

void add_shape(const BlockCylinder& cylinder, ChunkPos pos, CellSet& cells) {
    const auto part = cylinder.box().shared_with(BlockBox::of(pos));
    if (!part) return;
    const auto square = std::int64_t{cylinder.radius} * cylinder.radius;
    for_each_row(*part, [&](int y, int z) {
        const auto dz = std::int64_t{z} - cylinder.centre.z;
        if (const auto half = half_width(square - dz * dz); half >= 0)
            add_row(*part, cylinder.centre.x - half, cylinder.centre.x + half, y, z, cells);
    });
}

BlockBox box_of(const BlockBox& box) { return box; }
template <typename Shape>
BlockBox box_of(const Shape& shape) {
    return shape.box();
}

/// Leaves the highest cells of each column.
void keep_surface(const chunk::Chunk& chunk, const world::Assets& assets, int depth, CellSet& cells) {
    std::array<std::vector<bool>, k_sections> opaque;
    for (int y = 0; y < k_sections; ++y) {
        auto& entries = opaque[static_cast<std::size_t>(y)];
        const auto& section = chunk.section(y);
        for (std::size_t i = 0; i <= section.blocks.entries().size(); ++i)
            entries.push_back(!assets.is_transparent(section.block_key(i)));
    }
    const auto top_of = [&](ColumnIndex column) {
        for (int y = k_world_height; y-- > 0;) {
            const auto& section = chunk.section(y >> 5);
            if (section.blocks.kind() == chunk::PaletteKind::empty) {
                y &= ~31; // the loop goes on below this section
                continue;
            }
            const auto entry = section.blocks.entry_at(CellIndex(column.x(), y, column.z()));
            if (opaque[static_cast<std::size_t>(y >> 5)][entry]) return y;
        }
        return -1;
    };
    CellSet surface;
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const int top = top_of(column);
        for (int y = top; y >= 0 && y > top - depth; --y)
            surface.insert(y >> 5, CellIndex(column.x(), y, column.z()));
    }
    for (int y = 0; y < k_sections; ++y) {
        if (!cells.any(y)) continue;
        const auto words = cells.edit(y);
        const auto kept = surface.words(y);
        for (std::size_t w = 0; w < words.size(); ++w) words[w] &= kept[w];
        cells.settle(y);
    }
}

} // namespace

Result<BlockSphere> BlockSphere::parse(std::string_view text) {
    static constexpr std::array<std::string_view, 3> k_signs{",", ",", "~"};
    std::array<std::int32_t, 4> n{};
    if (!read_numbers(text, k_signs, n) || n[3] < 0)
        return fail(error(Errc::usage, "not X,Y,Z~RADIUS: {}", text).advise("such as 0,80,0~12"));
    return BlockSphere{{n[0], n[1], n[2]}, n[3]};
}

bool BlockSphere::contains(BlockPos pos) const {
    const auto dx = static_cast<double>(pos.x) - centre.x;
    const auto dy = static_cast<double>(pos.y) - centre.y;
    const auto dz = static_cast<double>(pos.z) - centre.z;
    return dx * dx + dy * dy + dz * dz <= static_cast<double>(radius) * radius;
}

BlockBox BlockSphere::box() const {
    return box_around(centre, radius, std::int64_t{centre.y} - radius, std::int64_t{centre.y} + radius);
}

Result<BlockCylinder> BlockCylinder::parse(std::string_view text) {
    static constexpr std::array<std::string_view, 4> k_signs{",", ",", "~", "+"};
    std::array<std::int32_t, 5> n{0, 0, 0, 0, 1};
    if ((!read_numbers(text, k_signs, n) && !read_numbers(text, k_signs, std::span(n).first(4))) || n[3] < 0
        || n[4] < 1)
        return fail(error(Errc::usage, "not X,Y,Z~RADIUS+HEIGHT: {}", text).advise("such as 0,60,0~12+20"));
    return BlockCylinder{{n[0], n[1], n[2]}, n[3], n[4]};
}

bool BlockCylinder::contains(BlockPos pos) const {
    const auto dx = static_cast<double>(pos.x) - centre.x;
    const auto dz = static_cast<double>(pos.z) - centre.z;
    return pos.y >= centre.y && std::int64_t{pos.y} < std::int64_t{centre.y} + height
           && dx * dx + dz * dz <= static_cast<double>(radius) * radius;
}

BlockBox BlockCylinder::box() const {
    return box_around(centre, radius, centre.y, std::int64_t{centre.y} + height - 1);
}

void Area::add(const std::vector<BlockPos>& positions) {
    has_positions_ = true;
    for (const auto pos : positions) positions_[pos.chunk()].push_back(pos);
}

void Area::limit_to_chunks(std::function<bool(ChunkPos)> is_wanted,
                           std::optional<std::vector<ChunkPos>> listed) {
    is_wanted_ = std::move(is_wanted);
    listed_ = std::move(listed);
}

Result<void> Area::check() const {
    const auto is_inside = [](const BlockBox& box) {
        return box.least.y >= 0 && box.most.y < k_world_height && box.least.x >= -k_area_reach
               && box.most.x < k_area_reach && box.least.z >= -k_area_reach && box.most.z < k_area_reach;
    };
    const auto refuse = [](const auto& what) {
        return fail(error(Errc::usage, "{} is not inside the world", what)
                        .advise(fmt::format("y goes from 0 to {}, x and z from {} to {}", k_world_height - 1,
                                            -k_area_reach, k_area_reach - 1)));
    };
    for (const auto& shape : shapes_) {
        const auto* box = std::get_if<BlockBox>(&shape);
        // Round shapes may well reach into the ground; a box with corners outside is a mistake.
        if (box != nullptr && !is_inside(*box)) return refuse(*box);
        const auto around = std::visit([](const auto& each) { return box_of(each); }, shape);
        const BlockBox world{{-k_area_reach, 0, -k_area_reach},
                             {k_area_reach - 1, k_world_height - 1, k_area_reach - 1}};
        if (!around.shared_with(world)) return refuse(around);
    }
    for (const auto& [chunk, positions] : positions_)
        for (const auto pos : positions)
            if (!is_inside({pos, pos})) return refuse(pos);
    return {};
}

std::optional<std::vector<ChunkPos>> Area::chunks() const {
    std::vector<ChunkPos> out;
    if (shapes_.empty() && !has_positions_) {
        if (!is_wanted_) return std::nullopt;
        return listed_;
    }
    std::uint64_t most = 0;
    for (const auto& shape : shapes_) {
        const auto box = std::visit([](const auto& each) { return box_of(each); }, shape);
        most += static_cast<std::uint64_t>((std::int64_t{box.most.x >> 5} - (box.least.x >> 5) + 1))
                * static_cast<std::uint64_t>((std::int64_t{box.most.z >> 5} - (box.least.z >> 5) + 1));
        if (most > k_most_area_chunks) return std::nullopt;
        for (int x = box.least.x >> 5; x <= box.most.x >> 5; ++x)
            for (int z = box.least.z >> 5; z <= box.most.z >> 5; ++z) out.push_back({x, z});
    }
    for (const auto& [pos, positions] : positions_) out.push_back(pos);
    std::erase_if(out, [this](ChunkPos pos) { return !allows(pos); });
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

bool Area::touches(ChunkPos pos) const {
    if (!allows(pos)) return false;
    if (shapes_.empty() && !has_positions_) return true;
    return positions_.contains(pos) || std::ranges::any_of(shapes_, [pos](const Shape& shape) {
               return std::visit([pos](const auto& each) { return box_of(each).touches(pos); }, shape);
           });
}

bool Area::contains(BlockPos pos) const {
    if (!allows(pos.chunk())) return false;
    if (shapes_.empty() && !has_positions_) return pos.y >= 0 && pos.y < k_world_height;
    if (const auto found = positions_.find(pos.chunk());
        found != positions_.end() && std::ranges::find(found->second, pos) != found->second.end())
        return true;
    return std::ranges::any_of(shapes_, [pos](const Shape& shape) {
        return std::visit([pos](const auto& each) { return each.contains(pos); }, shape);
    });
}

void Area::choose_missing(ChunkPos pos, CellSet& cells) const {
    if (!allows(pos) || surface_ > 0) return;
    if (shapes_.empty() && !has_positions_)
        for (int y = 0; y < k_sections; ++y) cells.insert_all(y);
    for (const auto& shape : shapes_)
        std::visit([&](const auto& each) { add_shape(each, pos, cells); }, shape);
    if (const auto found = positions_.find(pos); found != positions_.end())
        for (const auto each : found->second) cells.insert(each);
}

void Area::choose(ChunkPos pos, const chunk::Chunk& chunk, const world::Assets& assets,
                  CellSet& cells) const {
    if (!allows(pos)) return;
    if (shapes_.empty() && !has_positions_)
        for (int y = 0; y < k_sections; ++y) cells.insert_all(y);
    for (const auto& shape : shapes_)
        std::visit([&](const auto& each) { add_shape(each, pos, cells); }, shape);
    if (const auto found = positions_.find(pos); found != positions_.end())
        for (const auto each : found->second) cells.insert(each);
    if (surface_ > 0) keep_surface(chunk, assets, surface_, cells);
}

} // namespace orbis::jobs
