#include "bson/view.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/writer.hpp"
#include "chunk/palette.hpp"
#include "jobs/clip/place_holder.hpp"
#include "jobs/prefab/lpf_format.hpp"
#include "jobs/prefab/lpf_mask.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace orbis::jobs::prefab {

namespace {

/// A cell, relative to the anchor, with what is listed for it.
struct Cell {
    BlockPos at;
    const Prefab::Block* block = nullptr;
    const Prefab::Fluid* fluid = nullptr;
    [[nodiscard]] auto order() const { return std::tuple(at.x, at.z, at.y); }
};

struct PlacedEntity {
    std::int32_t x = 0;
    std::int32_t z = 0;
    const Buffer* holder = nullptr;
    [[nodiscard]] auto order() const { return std::tuple(x, z); }
};

bool fits_16_bits(std::int64_t value) {
    return value >= std::numeric_limits<std::int16_t>::min()
           && value <= std::numeric_limits<std::int16_t>::max();
}

class LpfWriter {
public:
    LpfWriter(const Prefab& prefab, Buffer& out) : prefab_(prefab), bytes_(out), out_(out) {}

    Result<void> write(std::vector<std::string>& notes) {
        TRY_DO(gather());
        number_keys();
        out_.be(static_cast<std::uint16_t>(k_lpf_version));
        out_.be(static_cast<std::int16_t>(prefab_.block_id_version));
        out_.be(prefab_.anchor.packed());
        TRY_DO(write_keys(block_keys_));
        TRY_DO(write_keys(fluid_keys_));
        TRY_DO(write_columns());
        if (fluids_alone_ > 0)
            notes.push_back(fmt::format(
                "fluids where no block is listed: {}; in .lpf these cells become Empty", fluids_alone_));
        return {};
    }

private:
    /// The keys that blocks or fluids use, `Empty` first, and the number of each.
    struct Keys {
        std::vector<std::string_view> names;
        std::vector<std::int32_t> numbers; ///< by the key of the prefab; -1: not used
        std::int32_t number(std::uint32_t key, const Prefab& prefab) {
            auto& number = numbers[key];
            if (number >= 0) return number;
            number = prefab.keys[key] == chunk::k_empty_key ? 0 : static_cast<std::int32_t>(names.size());
            if (number != 0) names.emplace_back(prefab.keys[key]);
            return number;
        }
    };

    Result<BlockPos> relative(BlockPos at) const {
        const BlockPos out{at.x - prefab_.anchor.x, at.y - prefab_.anchor.y, at.z - prefab_.anchor.z};
        if (fits_16_bits(out.x) && fits_16_bits(out.y) && fits_16_bits(out.z)) return out;
        return fail(Errc::out_of_range, "{} is too far from the anchor for a .lpf file", at);
    }

    Result<void> gather() {
        cells_.reserve(prefab_.blocks.size() + prefab_.fluids.size());
        for (const auto& block : prefab_.blocks) {
            TRY(const auto at, relative(block.at));
            cells_.push_back({at, &block, nullptr});
        }
        for (const auto& fluid : prefab_.fluids) {
            TRY(const auto at, relative(fluid.at));
            cells_.push_back({at, nullptr, &fluid});
        }
        std::ranges::sort(cells_, {}, &Cell::order);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            if (kept > 0 && cells_[kept - 1].at == cells_[i].at) {
                auto& cell = cells_[kept - 1];
                if (cells_[i].block != nullptr) cell.block = cells_[i].block;
                if (cells_[i].fluid != nullptr) cell.fluid = cells_[i].fluid;
            } else {
                cells_[kept++] = cells_[i];
            }
        }
        cells_.resize(kept);
        fluids_alone_ = static_cast<std::size_t>(
            std::ranges::count_if(cells_, [](const Cell& cell) { return cell.block == nullptr; }));
        return gather_entities();
    }

    Result<void> gather_entities() {
        for (const auto& entity : prefab_.entities) {
            TRY(const auto document, bson::Document::open(entity));
            const auto position = entity_point(document);
            const auto x = position ? std::floor(position->x) - prefab_.anchor.x : 0;
            const auto z = position ? std::floor(position->z) - prefab_.anchor.z : 0;
            constexpr double k_most = std::numeric_limits<std::int16_t>::max();
            if (!(std::abs(x) <= k_most && std::abs(z) <= k_most)) // also where one of them is no number
                return fail(Errc::out_of_range, "an entity is too far from the anchor for a .lpf file");
            entities_.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(z), &entity});
        }
        std::ranges::stable_sort(entities_, {}, &PlacedEntity::order);
        return {};
    }

    void number_keys() {
        for (auto* keys : {&block_keys_, &fluid_keys_}) {
            keys->names.emplace_back(chunk::k_empty_key);
            keys->numbers.assign(prefab_.keys.size(), -1);
        }
        for (const auto& cell : cells_) {
            if (cell.block != nullptr) (void)block_keys_.number(cell.block->key, prefab_);
            if (cell.fluid != nullptr) (void)fluid_keys_.number(cell.fluid->key, prefab_);
        }
    }

    Result<void> write_keys(const Keys& keys) {
        out_.be(static_cast<std::int32_t>(keys.names.size()));
        for (std::size_t i = 0; i < keys.names.size(); ++i) {
            const auto name = keys.names[i];
            if (name.size() > std::numeric_limits<std::uint16_t>::max())
                return fail(Errc::too_large, "the name {} … is too long for a .lpf file",
                            json_quoted(name.substr(0, 40)));
            out_.be(static_cast<std::int32_t>(i));
            out_.be(static_cast<std::uint16_t>(name.size()));
            out_.bytes(as_bytes(name));
        }
        return {};
    }

    Result<void> write_columns() {
        const auto count_at = out_.position();
        out_.be(std::int32_t{0});
        std::int32_t columns = 0;
        std::size_t cell = 0;
        std::size_t entity = 0;
        while (cell < cells_.size() || entity < entities_.size()) {
            auto place = cell < cells_.size() ? std::tuple(cells_[cell].at.x, cells_[cell].at.z)
                                              : entities_[entity].order();
            if (entity < entities_.size()) place = std::min(place, entities_[entity].order());
            const auto first_cell = cell;
            const auto first_entity = entity;
            while (cell < cells_.size() && std::tuple(cells_[cell].at.x, cells_[cell].at.z) == place) ++cell;
            while (entity < entities_.size() && entities_[entity].order() == place) ++entity;
            out_.be((std::get<0>(place) << 16) | (std::get<1>(place) & 0xFFFF));
            TRY_DO(write_column(std::span(cells_).subspan(first_cell, cell - first_cell),
                                std::span(entities_).subspan(first_entity, entity - first_entity)));
            ++columns;
        }
        store_be(bytes_.data() + count_at, columns); // was not known before
        return {};
    }

    Result<void> write_column(std::span<const Cell> cells, std::span<const PlacedEntity> entities) {
        out_.be(static_cast<std::int32_t>(cells.size()));
        for (const auto& cell : cells) TRY_DO(write_cell(cell));
        if (entities.size() > std::numeric_limits<std::uint16_t>::max())
            return fail(Errc::too_large, "a column has {} entities, more than a .lpf file can hold",
                        entities.size());
        out_.be(static_cast<std::uint16_t>(entities.size()));
        for (const auto& entity : entities) TRY_DO(write_holder(*entity.holder));
        return {};
    }

    Result<void> write_holder(const Buffer& holder) {
        if (holder.size() > std::numeric_limits<std::uint16_t>::max())
            return fail(Errc::too_large,
                        "the components of a block or entity take {} bytes; a .lpf file can hold 65535",
                        holder.size());
        out_.be(static_cast<std::uint16_t>(holder.size()));
        out_.bytes(holder);
        return {};
    }

    Result<void> write_cell(const Cell& cell) {
        static const Prefab::Block k_nothing;
        const auto& block = cell.block != nullptr ? *cell.block : k_nothing;
        const bool has_components = block.components != Prefab::k_no_components;
        unsigned mask = 0;
        const auto add = [&](bool is_there, unsigned bit) { mask |= is_there ? bit : 0U; };
        add(block.chance.has_value(), lpf_mask::k_chance);
        add(has_components, lpf_mask::k_components);
        add(block.support != 0, lpf_mask::k_support);
        add(static_cast<bool>(block.filler), lpf_mask::k_filler);
        add(block.rotation.index != 0, lpf_mask::k_rotation);
        add(cell.fluid != nullptr, lpf_mask::k_fluid);
        out_.be(static_cast<std::int16_t>(cell.at.y));
        out_.be(cell.block != nullptr ? block_keys_.number(block.key, prefab_) : 0);
        out_.u8(static_cast<std::uint8_t>(mask));
        if (block.chance) out_.be(*block.chance);
        if (has_components)
            TRY_DO(write_holder(prefab_.components[static_cast<std::size_t>(block.components)]));
        if (block.support != 0) out_.u8(block.support);
        if (block.filler) out_.be(block.filler.stored);
        if (block.rotation.index != 0) out_.u8(block.rotation.index);
        if (cell.fluid != nullptr) {
            out_.be(fluid_keys_.number(cell.fluid->key, prefab_));
            out_.u8(cell.fluid->level);
        }
        return {};
    }

    const Prefab& prefab_;
    Buffer& bytes_;
    Writer out_;
    std::vector<Cell> cells_;
    std::vector<PlacedEntity> entities_;
    Keys block_keys_;
    Keys fluid_keys_;
    std::size_t fluids_alone_ = 0;
};

} // namespace

Result<Buffer> write_lpf(const Prefab& prefab, std::vector<std::string>& notes) {
    Buffer out;
    TRY_DO(LpfWriter(prefab, out).write(notes));
    return out;
}

} // namespace orbis::jobs::prefab
