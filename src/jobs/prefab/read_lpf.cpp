#include "bson/view.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/reader.hpp"
#include "bytes/utf8.hpp"
#include "jobs/prefab/lpf_format.hpp"
#include "jobs/prefab/lpf_mask.hpp"

#include <cmath>
#include <unordered_map>

namespace orbis::jobs::prefab {

namespace {

// The fewest bytes that these take: a count that the rest of the file cannot hold is a lie.
constexpr std::size_t k_least_key = 6;
constexpr std::size_t k_least_column = 10;
constexpr std::size_t k_least_block = 7;
constexpr std::size_t k_least_entity = 2;

class LpfReader {
public:
    explicit LpfReader(Bytes file) : in_(file) {}

    Result<Prefab> read() {
        TRY_DO(head());
        TRY_DO(keys("block keys", blocks_));
        TRY_DO(keys("fluid keys", fluids_));
        TRY(const auto columns, count(in_.be<std::int32_t>(), k_least_column, "columns"));
        for (std::size_t i = 0; i < columns; ++i) TRY_DO(column());
        if (in_.remaining() > 0)
            return fail(
                error(Errc::bad_value, "expected the end of the file, found {} more bytes", in_.remaining())
                    .at(in_.position()));
        TRY_DO(check_cells(out_));
        return std::move(out_);
    }

private:
    using Ids = std::unordered_map<std::int32_t, std::uint32_t>;

    [[nodiscard]] std::unexpected<Error> cut(std::string_view what) const {
        return fail(error(Errc::truncated, "the file ends in its {}", what).at(in_.position()));
    }

    Result<void> head() {
        const auto version = in_.be<std::uint16_t>();
        const auto migrations = in_.be<std::int16_t>();
        const auto anchor = in_.be<std::int64_t>();
        if (!in_.ok()) return cut("head");
        if (version != k_lpf_version)
            return fail(
                error(Errc::unsupported, "expected .lpf version {}, found {}", k_lpf_version, version).at(0));
        if (migrations < 0)
            return fail(error(Errc::bad_value, "expected a count of migrations, found {}", migrations).at(2));
        out_.format = Prefab::Format::lpf;
        out_.version = version;
        out_.block_id_version = migrations;
        out_.anchor = BlockPos::unpack(anchor);
        return in_range(out_.anchor);
    }

    [[nodiscard]] Result<void> in_range(BlockPos at) const {
        const auto is_far = [](std::int32_t value) { return value < -k_farthest || value > k_farthest; };
        if (is_far(at.x) || is_far(at.z) || at.y < k_lowest || at.y > k_highest)
            return fail(
                error(Errc::out_of_range, "{:n} is beyond what a world can have", at).at(in_.position()));
        return {};
    }

    Result<std::size_t> count(std::int64_t stored, std::size_t least, std::string_view what) {
        if (!in_.ok()) return cut(what);
        if (stored < 0 || static_cast<std::uint64_t>(stored) > in_.remaining() / least)
            return fail(error(Errc::out_of_range, "{} {} do not fit into the rest of the file", stored, what)
                            .at(in_.position() - 4));
        return static_cast<std::size_t>(stored);
    }

    Result<void> keys(std::string_view what, Ids& ids) {
        TRY(const auto stored, count(in_.be<std::int32_t>(), k_least_key, what));
        for (std::size_t i = 0; i < stored; ++i) {
            const auto at = in_.position();
            const auto id = in_.be<std::int32_t>();
            const auto key = as_text(in_.take(in_.be<std::uint16_t>()));
            if (!in_.ok()) return cut(what);
            if (key.empty() || !is_utf8(key) || key.find('\0') != std::string_view::npos)
                return fail(error(Errc::bad_text, "expected a name, found {}", json_quoted(key.substr(0, 40)))
                                .at(at));
            if (!ids.emplace(id, out_.keys.id_of(key)).second)
                return fail(error(Errc::bad_value, "two {} have the id {}", what, id).at(at));
        }
        return {};
    }

    Result<std::uint32_t> key(const Ids& ids, std::int32_t id, std::string_view what) const {
        const auto found = ids.find(id);
        if (found == ids.end())
            return fail(error(Errc::bad_value, "no {} has the id {}", what, id).at(in_.position()));
        return found->second;
    }

    Result<void> column() {
        const auto place = in_.be<std::int32_t>();
        TRY(const auto blocks, count(in_.be<std::int32_t>(), k_least_block, "blocks"));
        const BlockPos base{(place >> 16) + out_.anchor.x, out_.anchor.y,
                            static_cast<std::int16_t>(place & 0xFFFF) + out_.anchor.z};
        if (blocks > k_most_cells - out_.blocks.size())
            return fail(Errc::too_large, "a prefab may have {} blocks at most, this has more", k_most_cells);
        for (std::size_t i = 0; i < blocks; ++i) TRY_DO(block(base));
        const auto stored = in_.be<std::uint16_t>();
        if (!in_.ok()) return cut("entities");
        if (stored > in_.remaining() / k_least_entity) return cut("entities");
        for (std::size_t i = 0; i < stored; ++i) {
            TRY(auto entity, holder("entity"));
            out_.entities.push_back(std::move(entity));
        }
        return {};
    }

    Result<Buffer> holder(std::string_view what) {
        const auto at = in_.position() + 2;
        const auto bytes = in_.take(in_.be<std::uint16_t>());
        if (!in_.ok()) return cut(what);
        if (auto checked = bson::open_validated(bytes); !checked) {
            const auto inside = checked.error().offset.value_or(0);
            checked.error().offset.reset();
            return fail(std::move(checked.error()).about(what).at(at + inside));
        }
        return Buffer(bytes.begin(), bytes.end());
    }

    Result<void> block(BlockPos base) {
        const auto start = in_.position();
        Prefab::Block block;
        const std::int32_t y = in_.be<std::int16_t>();
        const auto id = in_.be<std::int32_t>();
        const auto mask = in_.u8();
        if (!in_.ok()) return cut("blocks");
        block.at = {base.x, base.y + y, base.z};
        TRY_DO(in_range(block.at));
        TRY(block.key, key(blocks_, id, "block key"));
        if ((mask & ~lpf_mask::k_all) != 0)
            return fail(error(Errc::unsupported, "a block has parts that are not known: mask {:#04x}", mask)
                            .at(start));
        if ((mask & lpf_mask::k_chance) != 0) block.chance = in_.be<float>();
        if ((mask & lpf_mask::k_components) != 0) {
            TRY(auto components, holder("components"));
            block.components = static_cast<std::int32_t>(out_.components.size());
            out_.components.push_back(std::move(components));
        }
        if ((mask & lpf_mask::k_support) != 0) block.support = in_.u8();
        if ((mask & lpf_mask::k_filler) != 0) block.filler.stored = in_.be<std::uint16_t>();
        if ((mask & lpf_mask::k_rotation) != 0) block.rotation.index = in_.u8();
        if ((mask & lpf_mask::k_fluid) != 0) {
            const auto fluid = in_.be<std::int32_t>();
            const auto level = in_.u8();
            if (!in_.ok()) return cut("fluids");
            TRY(const auto fluid_key, key(fluids_, fluid, "fluid key"));
            if (level > 15)
                return fail(
                    error(Errc::out_of_range, "expected a fluid level up to 15, found {}", level).at(start));
            out_.fluids.push_back({block.at, fluid_key, level});
        }
        if (!in_.ok()) return cut("blocks");
        if (block.support > 15 || !block.rotation.valid() || block.filler.stored > 32767)
            return fail(error(Errc::out_of_range, "a block has support {}, rotation {} and filler {}",
                              block.support, block.rotation.index, block.filler.stored)
                            .at(start));
        if (block.chance && !std::isfinite(*block.chance))
            return fail(error(Errc::bad_value, "expected a chance, found {}", *block.chance).at(start));
        out_.blocks.push_back(block);
        return {};
    }

    Reader in_;
    Prefab out_;
    Ids blocks_;
    Ids fluids_;
};

} // namespace

Result<Prefab> read_lpf(Bytes file) { return LpfReader(file).read(); }

} // namespace orbis::jobs::prefab
