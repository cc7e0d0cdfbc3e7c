#include "jobs/light/section_light.hpp"

#include <algorithm>

namespace orbis::jobs {
namespace {

constexpr int k_channels = 4;
constexpr int k_sky = 3;
constexpr std::uint8_t k_brightest = 15;

int channel_of(std::uint16_t light, int channel) { return light >> (4 * channel) & 15; }

std::uint16_t brighter(std::uint16_t a, std::uint16_t b) {
    unsigned out = 0;
    for (int channel = 0; channel < k_channels; ++channel)
        out |= static_cast<unsigned>(std::max(channel_of(a, channel), channel_of(b, channel)))
               << (4 * channel);
    return static_cast<std::uint16_t>(out);
}

std::uint16_t weaker(std::uint16_t light, int by) {
    unsigned out = 0;
    for (int channel = 0; channel < k_channels; ++channel)
        out |= static_cast<unsigned>(std::max(channel_of(light, channel) - by, 0)) << (4 * channel);
    return static_cast<std::uint16_t>(out);
}

/// The range of a coordinate whose cells touch the section in that direction.
struct Range {
    int first;
    int last;
    static Range towards(int step) {
        if (step == 0) return {0, k_side - 1};
        const int edge = step < 0 ? 0 : k_side - 1;
        return {edge, edge};
    }
};

template <typename Visit>
void for_each_outer(Visit&& visit) {
    constexpr int k_last = k_side - 1;
    for (int y = 0; y < k_side; ++y)
        for (int z = 0; z < k_side; ++z) {
            const bool whole = y == 0 || y == k_last || z == 0 || z == k_last;
            for (int x = 0; x < k_side; x += whole ? 1 : k_last) visit(x, y, z);
        }
}

/// The 26 sections around one.
template <typename Visit>
void for_each_step(Visit&& visit) {
    for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz)
            for (int dx = -1; dx <= 1; ++dx)
                if (dx != 0 || dy != 0 || dz != 0) visit(dx, dy, dz);
}

} // namespace

SectionLight::SectionLight()
    : enter_(k_room, LightRule::k_wall),
      leave_(k_room, LightRule::k_wall),
      level_(k_room),
      cells_(k_cells),
      brightest_(k_cells) {}

void SectionLight::read(const chunk::Section& section, const world::Assets& assets, Guess guess) {
    guess_ = guess;
    unknown_.clear();
    lamps_.clear();
    read_blocks(section, assets);
    read_fluids(section, assets);
}

/// What is taken for a rule that is not known.
LightRule SectionLight::guessed(LightRule rule) const {
    if (guess_ == Guess::brightest) return rule;
    if (guess_ == Guess::darkest) return k_darkest_rule;
    return {.leave = k_unknown_cost, .is_known = false};
}

void SectionLight::read_blocks(const chunk::Section& section, const world::Assets& assets) {
    const auto& blocks = section.blocks;
    std::vector<LightRule> rules;
    bool has_lamps = false;
    is_air_ = true;
    const auto counts = blocks.histogram();
    for (std::size_t i = 0; i <= blocks.entries().size(); ++i) {
        const auto stored = section.block_key(i);
        const auto count = section.version < chunk::Section::k_version ? 0 : section.migration_count;
        const auto key = assets.migrations.apply(stored, static_cast<std::size_t>(std::max(count, 0)));
        rules.push_back(block_light_rule(key, assets));
        if (counts[i] == 0) continue;
        is_air_ = is_air_ && key == chunk::k_empty_key;
        if (!rules.back().is_known) {
            unknown_.emplace(key);
            rules.back() = guessed(rules.back());
        }
        has_lamps = has_lamps || rules.back().gives != 0;
    }
    if (!is_air_) blocks.expand(std::span<std::uint16_t, k_cells>(cells_));
    for (int y = 0; y < k_side; ++y)
        for (int z = 0; z < k_side; ++z) {
            const auto first = place(0, y, z);
            if (is_air_) {
                std::fill_n(enter_.begin() + static_cast<std::ptrdiff_t>(first), k_side, std::uint8_t{0});
                std::fill_n(leave_.begin() + static_cast<std::ptrdiff_t>(first), k_side, std::uint8_t{0});
                continue;
            }
            const auto* entries = cells_.data() + CellIndex(0, y, z).value;
            for (std::size_t x = 0; x < k_side; ++x) {
                const auto& rule = rules[entries[x]];
                enter_[first + x] = rule.enter;
                leave_[first + x] = rule.leave;
            }
        }
    if (!has_lamps) return;
    for (std::size_t i = 0; i < k_cells; ++i)
        if (const auto gives = rules[cells_[i]].gives; gives != 0)
            lamps_.push_back({static_cast<std::uint16_t>(i), gives});
}

void SectionLight::read_fluids(const chunk::Section& section, const world::Assets& assets) {
    const auto add = [&](std::string_view key, LightRule rule, CellIndex first, CellIndex end) {
        if (rule.is_known && rule.gives == 0) return;
        const bool is_known = rule.is_known;
        if (!is_known) {
            unknown_.emplace(key);
            rule = guessed(rule);
        }
        for (int i = first.value; i < end.value; ++i) {
            const CellIndex cell(i);
            if (rule.gives != 0) lamps_.push_back({static_cast<std::uint16_t>(i), rule.gives});
            auto& leave = leave_[place(cell.x(), cell.y(), cell.z())];
            if (!is_known && leave != LightRule::k_wall) leave = std::max(leave, rule.leave);
        }
    };
    if (section.keys_have_fluids()) {
        for (int i = 0; i < k_cells; ++i)
            if (const auto fluid = section.fluid_at(CellIndex(i)); fluid.level != 0)
                add(fluid.key, fluid_light_rule(fluid.key, assets), CellIndex(i), CellIndex(i + 1));
        return;
    }
    const auto& fluids = section.fluids;
    if (fluids.kind() == chunk::PaletteKind::empty) return;
    std::vector<LightRule> rules;
    for (const auto& entry : fluids.entries()) rules.push_back(fluid_light_rule(entry.value, assets));
    fluids.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
        if (entry < rules.size()) add(fluids.entries()[entry].value, rules[entry], first, end);
    });
}

void SectionLight::push(std::size_t at, std::uint8_t level) {
    level_[at] = level;
    if (level > 1) waiting_[level].push_back(static_cast<std::uint16_t>(at));
}

/// From the brightest to the darkest, so that each cell passes its light on once.
void SectionLight::spread() {
    constexpr std::array<int, 6> k_steps{1, -1, k_row, -k_row, k_layer, -k_layer};
    for (std::size_t level = k_brightest; level > 1; --level) {
        auto& waiting = waiting_[level];
        for (const std::size_t at : waiting) {
            if (level_[at] != level || leave_[at] == LightRule::k_wall) continue;
            const int left = static_cast<int>(level) - 1 - leave_[at];
            if (left <= 0) continue;
            for (const int step : k_steps) {
                const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + step);
                const int reaches = left - enter_[next];
                if (reaches > level_[next]) push(next, static_cast<std::uint8_t>(reaches));
            }
        }
        waiting.clear();
    }
}

void SectionLight::store(int channel, Values out) const {
    for (int y = 0; y < k_side; ++y)
        for (int z = 0; z < k_side; ++z) {
            const auto* from = level_.data() + place(0, y, z);
            auto* to = out.data() + CellIndex(0, y, z).value;
            for (int x = 0; x < k_side; ++x)
                to[x] = static_cast<std::uint16_t>((to[x] & ~(15U << (4 * channel)))
                                                   | static_cast<unsigned>(from[x]) << (4 * channel));
        }
}

void SectionLight::load(int channel, ConstValues values) {
    for (int y = 0; y < k_side; ++y)
        for (int z = 0; z < k_side; ++z) {
            auto* to = level_.data() + place(0, y, z);
            const auto* from = values.data() + CellIndex(0, y, z).value;
            for (int x = 0; x < k_side; ++x) to[x] = static_cast<std::uint8_t>(channel_of(from[x], channel));
        }
}

/// Puts the sky into the columns, and lets those cells pass it on that have a darker one beside them. False
/// where it cannot be known.
bool SectionLight::light_columns(Heights heights, int y) {
    const int bottom = y * k_side;
    std::array<int, k_columns> lowest{}; ///< of each column the lowest cell with sky; 32 if there is none
    for (int i = 0; i < k_columns; ++i) {
        const int height = heights[static_cast<std::size_t>(i)];
        auto& low = lowest[static_cast<std::size_t>(i)];
        low = std::clamp(height - bottom, 0, k_side);
        // A section of air with a height in it: 0 also says that the column has no block at all.
        if (is_air_ && height >= bottom) low = k_side;
        const ColumnIndex column(i);
        if (!is_air_ && y == 0 && height == 0 && leave_[place(column.x(), 0, column.z())] == 0)
            return false; // which of the two it says is seen in no real section with blocks
    }
    const auto low_at = [&](int x, int z) {
        if (x < 0 || x >= k_side || z < 0 || z >= k_side) return 0;
        return lowest[static_cast<std::size_t>(ColumnIndex(x, z).value)];
    };
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x) {
            const int low = low_at(x, z);
            const int darkest =
                std::max({low_at(x - 1, z), low_at(x + 1, z), low_at(x, z - 1), low_at(x, z + 1), low + 1});
            for (int inner = low; inner < k_side; ++inner) {
                if (inner < darkest)
                    push(place(x, inner, z), k_brightest);
                else
                    level_[place(x, inner, z)] = k_brightest;
            }
        }
    return true;
}

void SectionLight::light_lamps(int channel) {
    for (const auto lamp : lamps_) {
        const CellIndex cell(lamp.cell);
        const auto at = place(cell.x(), cell.y(), cell.z());
        const auto gives = static_cast<std::uint8_t>(channel_of(lamp.gives, channel));
        if (gives > level_[at]) push(at, gives);
    }
}

bool SectionLight::compute_local(Heights heights, int y, Values out) {
    if (is_unknown()) return false;
    std::ranges::fill(out, std::uint16_t{0});
    for (int channel = 0; channel < k_channels; ++channel) {
        if (channel != k_sky && lamps_.empty()) continue;
        std::ranges::fill(level_, std::uint8_t{0});
        if (channel != k_sky)
            light_lamps(channel);
        else if (!light_columns(heights, y)) {
            for (auto& waiting : waiting_) waiting.clear();
            return false;
        }
        spread();
        store(channel, out);
    }
    return true;
}

LightGiver SectionLight::giver(ConstValues local) const {
    LightBorder least;
    LightBorder most;
    bool is_dark = true;
    bool is_known = true;
    for_each_outer([&](int x, int y, int z) {
        const auto light = local[static_cast<std::size_t>(CellIndex(x, y, z).value)];
        const auto leave = leave_[place(x, y, z)];
        if (light == 0 || leave == LightRule::k_wall) return;
        if (leave == k_unknown_cost) {
            most.set(x, y, z, light);
            is_known = false;
            return;
        }
        const auto left = leave == 0 ? light : weaker(light, leave);
        least.set(x, y, z, left);
        most.set(x, y, z, left);
        is_dark = is_dark && left == 0;
    });
    LightGiver out;
    if (!is_dark) out.least = std::make_shared<const LightBorder>(least);
    out.most = is_known ? out.least : std::make_shared<const LightBorder>(most);
    return out;
}

/// Light comes straight across a face, and across an edge as two steps, whatever is between.
void SectionLight::take_entries(ConstValues local, const LightBorder& border, int dx, int dy, int dz) {
    const auto distance = dx * dx + dy * dy + dz * dz;
    const auto xs = Range::towards(dx);
    const auto ys = Range::towards(dy);
    const auto zs = Range::towards(dz);
    for (int y = ys.first; y <= ys.last; ++y)
        for (int z = zs.first; z <= zs.last; ++z)
            for (int x = xs.first; x <= xs.last; ++x) {
                const auto given =
                    border.at((x + dx) & (k_side - 1), (y + dy) & (k_side - 1), (z + dz) & (k_side - 1));
                if (given == 0) continue;
                const auto cell = CellIndex(x, y, z);
                const auto has = local[static_cast<std::size_t>(cell.value)];
                if (has == given) continue;
                const auto reaches = weaker(given, distance + enter_[place(x, y, z)]);
                if (brighter(has, reaches) == has) continue;
                for (int channel = 0; channel < k_channels; ++channel)
                    if (channel_of(reaches, channel) > channel_of(has, channel))
                        entries_.push_back({static_cast<std::uint16_t>(cell.value),
                                            static_cast<std::uint8_t>(channel),
                                            static_cast<std::uint8_t>(channel_of(reaches, channel))});
            }
}

/// Whether light could come across one of the eight corners: no real world shows whether it does.
bool SectionLight::needs_corners(ConstValues global, const LightGivers& around) const {
    for (const int dy : {-1, 1})
        for (const int dz : {-1, 1})
            for (const int dx : {-1, 1}) {
                const auto& border = around.at(dx, dy, dz).most;
                if (!border) continue;
                const auto given = border->at(Range::towards(-dx).first, Range::towards(-dy).first,
                                              Range::towards(-dz).first);
                const CellIndex cell(Range::towards(dx).first, Range::towards(dy).first,
                                     Range::towards(dz).first);
                const auto has = global[static_cast<std::size_t>(cell.value)];
                if (brighter(has, weaker(given, 3)) != has) return true;
            }
    return false;
}

void SectionLight::spread_from(BorderOf border, const LightGivers& around, ConstValues local, Values out) {
    entries_.clear();
    for_each_step([&](int dx, int dy, int dz) {
        const auto& given = around.at(dx, dy, dz).*border;
        if (given && dx * dx + dy * dy + dz * dz < 3) take_entries(local, *given, dx, dy, dz);
    });
    std::ranges::copy(local, out.begin());
    for (int channel = 0; channel < k_channels; ++channel) {
        const auto is_of_channel = [channel](const Entry& entry) { return entry.channel == channel; };
        if (std::ranges::none_of(entries_, is_of_channel)) continue;
        load(channel, local);
        for (const auto& entry : entries_) {
            if (!is_of_channel(entry)) continue;
            const CellIndex cell(entry.cell);
            const auto at = place(cell.x(), cell.y(), cell.z());
            if (entry.level > level_[at]) push(at, entry.level);
        }
        spread();
        store(channel, out);
    }
}

bool SectionLight::compute_global(ConstValues local, const LightGivers& around, Values out) {
    if (is_unknown()) return false;
    bool has_limits = true;
    bool is_known = true;
    for_each_step([&](int dx, int dy, int dz) {
        const auto& giver = around.at(dx, dy, dz);
        has_limits = has_limits && giver.is_known;
        is_known = is_known && giver.least == giver.most;
    });
    if (!has_limits) return false;
    spread_from(&LightGiver::least, around, local, out);
    if (needs_corners(out, around)) return false;
    if (is_known) return true;
    spread_from(&LightGiver::most, around, local, Values(brightest_));
    return std::ranges::equal(out, brightest_);
}

} // namespace orbis::jobs
