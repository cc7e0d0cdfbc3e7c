#include "jobs/light/chunk_light.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

namespace orbis::jobs {
namespace {

using chunk::PartState;

/// Light depends on these parts and on no others.
constexpr auto k_light_parts = chunk::k_blocks | chunk::k_light | chunk::k_fluids | chunk::k_column_maps;

bool is_dark(std::span<const std::uint16_t> values) {
    return std::ranges::all_of(values, [](auto value) { return value == 0; });
}

/// Global light of a local one that was never computed would be dark under the open sky.
bool needs_local_light(const chunk::Section& section) {
    return !section.local_light_valid() || !section.local_light_computed();
}

bool is_readable(const chunk::Section& section) {
    return section.block_state != PartState::broken && section.fluid_state != PartState::broken;
}

std::array<std::int16_t, k_columns> heights_of(const chunk::Chunk& chunk) {
    std::array<std::int16_t, k_columns> heights{};
    chunk.heights().expand(heights);
    return heights;
}

/// The game stores no tree where all cells are dark.
void set_light(chunk::Light& light, const std::vector<std::uint16_t>& values, std::int16_t counter) {
    if (is_dark(values))
        light.clear(counter);
    else
        light.set(chunk::Light::ConstExpanded(values), counter);
}

/// The chunks around one, by their steps.
using Around = std::array<std::shared_ptr<const ChunkGivers>, 9>;

std::optional<Around> chunks_around(ChunkPos pos, LightAround& source, LightTool& tool) {
    Around out;
    for (int z = -1; z <= 1; ++z)
        for (int x = -1; x <= 1; ++x) {
            if (x == 0 && z == 0) continue;
            constexpr std::int64_t k_last = std::int64_t{1} << 26;
            const auto to_x = std::int64_t{pos.x} + x;
            const auto to_z = std::int64_t{pos.z} + z;
            if (std::abs(to_x) > k_last || std::abs(to_z) > k_last) return std::nullopt;
            auto& found = out[static_cast<std::size_t>((z + 1) * 3 + x + 1)];
            found = source.at({static_cast<std::int32_t>(to_x), static_cast<std::int32_t>(to_z)}, tool);
            if (!found) return std::nullopt;
        }
    return out;
}

LightGivers givers_around(int y, const ChunkGivers& own, const Around& around) {
    LightGivers out;
    for (int dy = -1; dy <= 1; ++dy) {
        if (y + dy < 0 || y + dy >= k_sections) continue;
        for (int z = -1; z <= 1; ++z)
            for (int x = -1; x <= 1; ++x) {
                const auto& chunk =
                    x == 0 && z == 0 ? own : *around[static_cast<std::size_t>((z + 1) * 3 + x + 1)];
                out.at(x, dy, z) = chunk.sections[static_cast<std::size_t>(y + dy)];
            }
    }
    return out;
}

/// The two passes over the sections of one chunk: global light needs the local one of all of them.
class ChunkRelight {
public:
    ChunkRelight(chunk::Chunk& chunk, const std::array<bool, k_sections>& wanted, const world::Assets& assets,
                 LightTool& tool)
        : chunk_(chunk), wanted_(wanted), assets_(assets), tool_(tool) {}

    Result<void> compute_locals() {
        const auto heights = heights_of(chunk_);
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk_.section(y);
            if (!is_wanted(y) || !needs_local_light(section)) continue;
            if (chunk_.columns_state() != PartState::decoded)
                return fail(Errc::unsupported,
                            "BlockChunk is missing or damaged, so the light of the sky cannot be computed");
            tool_.section.read(section, assets_);
            if (!tool_.section.compute_local(heights, y, SectionLight::Values(tool_.local))) continue;
            TRY(auto* changed, chunk_.edit_section(y));
            set_light(changed->local_light, tool_.local, changed->local_counter);
            lit_[static_cast<std::size_t>(y)] = true;
        }
        return {};
    }

    Result<void> compute_globals(ChunkPos pos, LightAround& source) {
        std::optional<Around> around;
        std::optional<ChunkGivers> own; // as soon as one section needs it
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk_.section(y);
            if (!is_wanted(y)) continue;
            if (needs_local_light(section) && !lit_[static_cast<std::size_t>(y)]) {
                tool_.section.read(section, assets_);
                leave_unknown();
            } else if (!section.global_light_valid()) {
                if (!own) {
                    around = chunks_around(pos, source, tool_);
                    own = givers_of(chunk_, assets_, tool_);
                }
                if (around) {
                    TRY_DO(compute_global(y, givers_around(y, *own, *around)));
                } else {
                    ++report_.waiting;
                }
            }
            if (lit_[static_cast<std::size_t>(y)]) ++report_.lit;
        }
        return {};
    }

    RelitSections& report() { return report_; }

private:
    [[nodiscard]] bool is_wanted(int y) const { return wanted_[static_cast<std::size_t>(y)]; }

    Result<void> compute_global(int y, const LightGivers& around) {
        const auto& section = chunk_.section(y);
        tool_.section.read(section, assets_);
        section.local_light.expand(SectionLight::Values(tool_.local));
        if (!tool_.section.compute_global(SectionLight::ConstValues(tool_.local), around,
                                          SectionLight::Values(tool_.global))) {
            leave_unknown();
            return {};
        }
        TRY(auto* changed, chunk_.edit_section(y));
        set_light(changed->global_light, tool_.global, changed->global_counter);
        lit_[static_cast<std::size_t>(y)] = true;
        return {};
    }

    void leave_unknown() {
        ++report_.unknown;
        report_.unknown_keys.insert(tool_.section.unknown().begin(), tool_.section.unknown().end());
    }

    chunk::Chunk& chunk_;
    const std::array<bool, k_sections>& wanted_;
    const world::Assets& assets_;
    LightTool& tool_;
    std::array<bool, k_sections> lit_{};
    RelitSections report_;
};

/// The limits of what a section gives that has blocks whose light is not known.
LightGiver guessed_giver(const chunk::Section& section, SectionLight::Heights heights, int y,
                         const world::Assets& assets, LightTool& tool) {
    const auto guess = [&](SectionLight::Guess how) -> LightGiver {
        tool.section.read(section, assets, how);
        if (!tool.section.compute_local(heights, y, SectionLight::Values(tool.local)))
            return {.least = nullptr, .most = nullptr, .is_known = false};
        return tool.section.giver(SectionLight::ConstValues(tool.local));
    };
    auto giver = guess(SectionLight::Guess::darkest);
    auto brightest = guess(SectionLight::Guess::brightest);
    giver.most = std::move(brightest.most);
    giver.is_known = giver.is_known && brightest.is_known;
    return giver;
}

} // namespace

ChunkGivers givers_of(const chunk::Chunk& chunk, const world::Assets& assets, LightTool& tool) {
    ChunkGivers out;
    const auto heights = heights_of(chunk);
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        auto& giver = out.sections[static_cast<std::size_t>(y)];
        const bool is_valid = section.local_light_valid();
        if (!is_readable(section) || (!is_valid && chunk.columns_state() != PartState::decoded)) {
            giver.is_known = false;
            continue;
        }
        if (is_valid && !section.local_light.present()) continue;
        tool.section.read(section, assets);
        if (is_valid)
            section.local_light.expand(SectionLight::Values(tool.local));
        else if (!tool.section.compute_local(heights, y, SectionLight::Values(tool.local))) {
            giver = guessed_giver(section, heights, y, assets, tool);
            continue;
        }
        giver = tool.section.giver(SectionLight::ConstValues(tool.local));
    }
    return out;
}

std::shared_ptr<const ChunkGivers> LightAround::at(ChunkPos pos, LightTool& tool) {
    {
        const std::scoped_lock lock(mutex_);
        if (const auto* known = known_.find(pos)) return *known;
    }
    std::shared_ptr<const ChunkGivers> made;
    if (const auto chunk = tool.reader.read(store_, pos, k_light_parts);
        chunk && *chunk != nullptr && (*chunk)->problems().empty())
        made = std::make_shared<const ChunkGivers>(givers_of(**chunk, assets_, tool));
    const std::scoped_lock lock(mutex_);
    return known_.put(pos, std::move(made));
}

Result<RelitSections> relight_chunk(ChunkPos pos, chunk::Chunk& chunk,
                                    const std::array<bool, k_sections>& wanted, const world::Assets& assets,
                                    LightAround& around, LightTool& tool) {
    ChunkRelight relight(chunk, wanted, assets, tool);
    TRY_DO(relight.compute_locals());
    TRY_DO(relight.compute_globals(pos, around));
    return relight.report();
}

} // namespace orbis::jobs
