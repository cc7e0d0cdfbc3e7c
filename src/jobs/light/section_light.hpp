#pragma once

#include "chunk/section.hpp"
#include "jobs/light/light_border.hpp"
#include "jobs/light/light_rule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orbis::jobs {

/// Computes the lights of one section after another, as the game does (docs/formats/light.md). Keeps its
/// memory; use one per thread.
class SectionLight {
public:
    using Values = chunk::Light::Expanded;
    using ConstValues = chunk::Light::ConstExpanded;
    using Heights = std::span<const std::int16_t, k_columns>;

    SectionLight();

    /// What to take blocks for whose light is not known.
    enum class Guess : std::uint8_t { none, darkest, brightest };

    /// Takes the blocks and fluids of a section.
    void read(const chunk::Section& section, const world::Assets& assets, Guess guess = Guess::none);
    /// Its keys whose light is not known. With any, no light of this section can be computed without a guess.
    [[nodiscard]] const std::set<std::string, std::less<>>& unknown() const { return unknown_; }

    /// The local light; `y` is the number of the section. False if it cannot be known.
    [[nodiscard]] bool compute_local(Heights heights, int y, Values out);
    /// The global light, from the local one and what comes from around. False if it cannot be known.
    [[nodiscard]] bool compute_global(ConstValues local, const LightGivers& around, Values out);
    /// What other sections get of this local light; usable also where single blocks are unknown.
    [[nodiscard]] LightGiver giver(ConstValues local) const;

private:
    // The cells have a wall around them, so that light ends there without being asked.
    static constexpr int k_row = k_side + 2;
    static constexpr int k_layer = k_row * k_row;
    static constexpr std::size_t k_room = std::size_t{k_layer} * k_row;
    static constexpr std::uint8_t k_unknown_cost = 16;
    static constexpr std::size_t place(int x, int y, int z) {
        return static_cast<std::size_t>((y + 1) * k_layer + (z + 1) * k_row + x + 1);
    }

    struct Lamp {
        std::uint16_t cell;
        std::uint16_t gives;
    };
    /// Light that enters from around.
    struct Entry {
        std::uint16_t cell;
        std::uint8_t channel;
        std::uint8_t level;
    };

    [[nodiscard]] bool is_unknown() const { return guess_ == Guess::none && !unknown_.empty(); }
    [[nodiscard]] LightRule guessed(LightRule rule) const;
    void read_blocks(const chunk::Section& section, const world::Assets& assets);
    void read_fluids(const chunk::Section& section, const world::Assets& assets);
    [[nodiscard]] bool light_columns(Heights heights, int y);
    void light_lamps(int channel);
    void push(std::size_t at, std::uint8_t level);
    void spread();
    void store(int channel, Values out) const;
    void load(int channel, ConstValues values);
    using BorderOf = std::shared_ptr<const LightBorder> LightGiver::*;
    void spread_from(BorderOf border, const LightGivers& around, ConstValues local, Values out);
    void take_entries(ConstValues local, const LightBorder& border, int dx, int dy, int dz);
    [[nodiscard]] bool needs_corners(ConstValues global, const LightGivers& around) const;

    Guess guess_ = Guess::none;
    bool is_air_ = false;
    std::vector<std::uint8_t> enter_;
    std::vector<std::uint8_t> leave_;
    std::vector<std::uint8_t> level_;
    std::array<std::vector<std::uint16_t>, 16> waiting_; ///< places by the level they are to pass on
    std::vector<std::uint16_t> cells_;
    std::vector<std::uint16_t> brightest_; ///< a second global light, to compare
    std::vector<Lamp> lamps_;
    std::vector<Entry> entries_;
    std::set<std::string, std::less<>> unknown_;
};

} // namespace orbis::jobs
