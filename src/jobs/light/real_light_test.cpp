#include "jobs/light/chunk_light.hpp"
#include "support/shared.hpp"
#include "world/location.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <ostream>
#include <ranges>
#include <string>

/// The evidence for docs/formats/light.md: the lights that the game stored, computed again.
namespace orbis::jobs {
namespace {

using Values = std::vector<std::uint16_t>;

struct Agreement {
    int equal = 0;
    int darker = 0;   ///< nowhere brighter than what is stored
    int brighter = 0; ///< somewhere
    int unknown = 0;  ///< with blocks that no table knows
    friend bool operator==(const Agreement&, const Agreement&) = default;
};

struct LightsOfWorld {
    Agreement local;
    Agreement global;     ///< where all chunks around are there
    Agreement incomplete; ///< where some are not: global light without what came from them
    friend bool operator==(const LightsOfWorld&, const LightsOfWorld&) = default;
};

void PrintTo(const LightsOfWorld& found, std::ostream* out) {
    for (const auto& sums : {found.local, found.global, found.incomplete})
        *out << "{" << sums.equal << ", " << sums.darker << ", " << sums.brighter << ", " << sums.unknown
             << "} ";
}

/// A counter of 0 without a tree is a light that was never computed.
bool was_computed(const chunk::Light& light, std::int16_t counter) {
    return light.change_id() == counter && (light.present() || counter != 0);
}

void compare(const chunk::Light& stored, bool is_known, const Values& computed, Agreement& sums) {
    if (!is_known) {
        ++sums.unknown;
        return;
    }
    Values values(k_cells);
    stored.expand(chunk::Light::Expanded(values));
    if (values == computed) {
        const auto tree = chunk::build_light_tree(chunk::Light::ConstExpanded(computed));
        EXPECT_TRUE(!stored.present() || std::ranges::equal(stored.tree(), tree));
        ++sums.equal;
        return;
    }
    const bool is_brighter = std::ranges::any_of(std::views::iota(0, k_cells * 4), [&](int i) {
        const auto cell = static_cast<std::size_t>(i / 4);
        const int shift = i % 4 * 4;
        return (computed[cell] >> shift & 15) > (values[cell] >> shift & 15);
    });
    ++(is_brighter ? sums.brighter : sums.darker);
}

LightsOfWorld lights_of(const std::filesystem::path& folder) {
    const auto& assets = world::Assets::built_in();
    LightsOfWorld sums;
    const auto store = world::find_location(folder).value().worlds.at(0).open({}).value();
    LightAround around(*store, assets);
    LightTool tool;
    chunk::ChunkReader reader;
    const auto cursor = store->chunks();
    while (const auto pos = cursor->next().value()) {
        const auto& chunk = **reader.read(*store, *pos);
        std::array<std::int16_t, k_columns> heights{};
        chunk.heights().expand(heights);
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            if (was_computed(section.local_light, section.local_counter)) {
                tool.section.read(section, assets);
                const bool is_known =
                    tool.section.compute_local(heights, y, SectionLight::Values(tool.local));
                compare(section.local_light, is_known, tool.local, sums.local);
            }
            if (!was_computed(section.global_light, section.global_counter)) continue;
            LightGivers givers;
            bool all = true;
            for (int z = -1; z <= 1; ++z)
                for (int x = -1; x <= 1; ++x) {
                    const auto beside = around.at({pos->x + x, pos->z + z}, tool);
                    all = all && beside;
                    for (int dy = -1; dy <= 1 && beside; ++dy)
                        if (y + dy >= 0 && y + dy < k_sections)
                            givers.at(x, dy, z) = beside->sections[static_cast<std::size_t>(y + dy)];
                }
            tool.section.read(section, assets);
            section.local_light.expand(SectionLight::Values(tool.local));
            const bool is_known = tool.section.compute_global(SectionLight::ConstValues(tool.local), givers,
                                                              SectionLight::Values(tool.global));
            compare(section.global_light, is_known, tool.global, all ? sums.global : sums.incomplete);
        }
    }
    return sums;
}

TEST(RealLight, ComputedAgainEqualsWhatTheGameStored) {
    const auto shared = test::shared_folder();
    if (!shared) GTEST_SKIP() << "the real worlds are not there";
    const std::map<std::string, LightsOfWorld> expected{
        {"dense", {{11, 0, 0, 0}, {2, 0, 0, 0}, {3, 3, 0, 1}}},
        {"farmland", {}},
        {"foreign-writer", {}},
        {"june", {{19, 0, 0, 1}, {20, 0, 0, 0}, {42, 67, 0, 1}}},
        {"lavafalls", {}},
        {"old-fluids", {{590, 0, 0, 0}, {434, 0, 0, 0}, {309, 9, 0, 0}}},
        {"old-v4", {{10, 0, 0, 0}, {}, {40, 0, 0, 0}}},
        {"old-v6", {{10, 0, 0, 0}, {}, {31, 0, 0, 0}}},
        {"sparse", {{577, 0, 0, 13}, {689, 0, 0, 1}, {197, 11, 0, 12}}},
        {"void", {}},
        {"workshop", {}},
    };
    for (const auto& [world, agreement] : expected)
        EXPECT_EQ(lights_of(*shared / "worlds" / world), agreement) << world;
}

} // namespace
} // namespace orbis::jobs
