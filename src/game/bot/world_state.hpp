#pragma once

#include "game/bot/wire_palette.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace orbis::game {

/// A block and a fluid as a client gets to know them: numbers that the server has given names.
struct SeenBlock {
    std::int32_t id = 0;
    std::uint16_t filler = 0;
    std::uint8_t rotation = 0;
    friend bool operator==(const SeenBlock&, const SeenBlock&) = default;
};
struct SeenFluid {
    std::int32_t id = 0;
    std::uint8_t level = 0;
    friend bool operator==(const SeenFluid&, const SeenFluid&) = default;
};

/// Single cells that differ from the state below them, by index.
template <typename Cell>
class Changes {
public:
    struct Change {
        std::uint16_t index;
        Cell cell;
    };

    [[nodiscard]] const Cell* find(CellIndex cell) const {
        const auto at =
            std::ranges::lower_bound(all_, static_cast<std::uint16_t>(cell.value), {}, &Change::index);
        return at != all_.end() && at->index == cell.value ? &at->cell : nullptr;
    }
    void set(const Change& change) {
        const auto at = std::ranges::lower_bound(all_, change.index, {}, &Change::index);
        if (at != all_.end() && at->index == change.index)
            at->cell = change.cell;
        else
            all_.insert(at, change);
    }
    [[nodiscard]] std::size_t bytes() const { return all_.size() * sizeof(Change); }

private:
    std::vector<Change> all_; ///< ascending
};

// States of parts of a world. They never change, so that many can share one: a change makes a new state.
// `hash` names the packets that led here, `bytes` is what a state takes in memory.

/// The blocks of a section: those of the last SetChunk, and what was changed since.
struct SectionBlocks {
    struct Base {
        WirePalette blocks;
        WirePalette fillers;
        WirePalette rotations;
    };
    SectionPos pos{};
    std::uint64_t hash = 0;
    std::shared_ptr<const Base> base{}; ///< null: all empty
    Changes<SeenBlock> changes{};

    [[nodiscard]] SeenBlock at(CellIndex cell) const;
    [[nodiscard]] std::size_t bytes() const;
};

struct SectionFluids {
    struct Base {
        WirePalette fluids;
        Buffer levels; ///< two to a byte, the even index in the low half; empty: all 0
    };
    SectionPos pos{};
    std::uint64_t hash = 0;
    std::shared_ptr<const Base> base{};
    Changes<SeenFluid> changes{};

    [[nodiscard]] SeenFluid at(CellIndex cell) const;
    [[nodiscard]] std::size_t bytes() const;
};

struct ColumnHeights {
    ChunkPos pos{};
    std::uint64_t hash = 0;
    std::array<std::int16_t, k_columns> heights{};

    [[nodiscard]] std::size_t bytes() const { return sizeof(*this); }
};

struct ColumnEnvironments {
    ChunkPos pos{};
    std::uint64_t hash = 0;
    Buffer data{};                                 ///< as in the packet
    std::array<std::uint32_t, k_columns> starts{}; ///< of the columns in it

    /// The number of the environment at a height.
    [[nodiscard]] std::int32_t at(ColumnIndex column, int y) const;
    [[nodiscard]] std::size_t bytes() const { return sizeof(*this) + data.size(); }
};

/// What the numbers of one kind stand for.
struct NameTable {
    std::uint64_t hash = 0;
    std::unordered_map<std::int32_t, std::string> names{};
    std::unordered_map<std::string, std::int32_t> ids{}; ///< by the name in lower case
    std::size_t bytes = 0;                               ///< of all names

    void put(std::int32_t id, std::string_view name);
    void remove(std::int32_t id);
    [[nodiscard]] std::optional<std::int32_t> find(std::string_view name) const;
    /// The name, or `#17` where it was not announced.
    [[nodiscard]] std::string name(std::int32_t id) const;
};

/// States that any view has, found by their hash. The server sends the same bytes to all its players, so what
/// one bot has decoded the others only look up. A hash of 64 bits is no protection against forged contents.
class StatePool {
public:
    /// `make` is asked for the state if it is not there yet; it gives a `Result<std::shared_ptr<T>>`.
    template <typename T, typename Make>
    Result<std::shared_ptr<const T>> get(std::uint64_t hash, Make&& make) {
        auto& known = std::get<StatesByHash<T>>(all_);
        if (const auto found = known.states.find(hash); found != known.states.end())
            if (auto state = found->second.lock()) {
                ++shared_;
                return state;
            }
        auto made = make();
        if (!made) return std::unexpected(std::move(made).error());
        std::shared_ptr<T> state = *std::move(made);
        state->hash = hash;
        ++made_;
        if (known.states.size() >= known.clean_at) known.clean();
        known.states[hash] = state;
        return state;
    }

    [[nodiscard]] std::uint64_t made() const { return made_; }
    [[nodiscard]] std::uint64_t shared() const { return shared_; }

private:
    template <typename T>
    struct StatesByHash {
        std::unordered_map<std::uint64_t, std::weak_ptr<const T>> states;
        std::size_t clean_at = 1024;
        void clean() {
            std::erase_if(states, [](const auto& entry) { return entry.second.expired(); });
            clean_at = std::max<std::size_t>(1024, states.size() * 2);
        }
    };
    std::tuple<StatesByHash<SectionBlocks>, StatesByHash<SectionFluids>, StatesByHash<ColumnHeights>,
               StatesByHash<ColumnEnvironments>, StatesByHash<NameTable>>
        all_;
    std::uint64_t made_ = 0;
    std::uint64_t shared_ = 0;
};

} // namespace orbis::game
