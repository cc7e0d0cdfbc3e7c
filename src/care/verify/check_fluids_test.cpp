#include "care/verify/check_chunk.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::care {
namespace {

RC_GTEST_PROP(CheckFluids, LevelsFitOnlyWhereEveryCellAgrees, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    constexpr std::array<const char*, 4> keys{"Empty", "Water_Source", "Water", "Lava"};
    std::vector<std::string> fluids;
    std::vector<int> levels;
    while (fluids.size() < k_cells) {
        const auto kind = random() % keys.size();
        for (auto run = 1 + random() % 200; run > 0 && fluids.size() < k_cells; --run) {
            fluids.emplace_back(keys[kind]);
            levels.push_back(kind == 0 ? 0 : 1 + static_cast<int>(random() % 15));
        }
    }
    const auto fit = [&] {
        const auto stored = test::fluid_image(fluids, levels);
        chunk::Section section;
        Error problem;
        RC_ASSERT(section.read_fluid(stored, problem));
        return levels_fit(section.fluids, section.levels);
    };
    RC_ASSERT(fit());
    for (int i = 0; i < 3; ++i) {
        const auto cell = random() % k_cells;
        const auto right = levels[cell];
        levels[cell] = right == 0 ? 1 + static_cast<int>(random() % 15) : 0;
        RC_ASSERT(!fit());
        levels[cell] = right;
    }
}

} // namespace
} // namespace orbis::care
