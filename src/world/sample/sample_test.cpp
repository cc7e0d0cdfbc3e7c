#include "bytes/fnv.hpp"
#include "chunk/chunk.hpp"
#include "storage/region_store.hpp"
#include "support/shared.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"
#include "world/sample/landscape.hpp"
#include "world/sample/sample.hpp"
#include "world/sample/universe_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

namespace orbis::world::sample {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Every file below a folder, by its path there.
std::map<std::string, std::string> all_files(const fs::path& root) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.is_regular_file())
            files.emplace(fs::relative(entry.path(), root).generic_string(), content(entry.path()));
    return files;
}

/// The sample universe with the default seed, made and read once for all tests.
class Sample : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<test::TemporaryFolder>();
        SampleOptions options;
        options.threads = 2;
        const auto made = write_sample(universe(), options);
        ASSERT_TRUE(made) << made.error().text();
        report_ = *made;
        const auto location = find_location(universe());
        ASSERT_TRUE(location) << location.error().text();
        const auto store = location->worlds.at(0).open({});
        ASSERT_TRUE(store) << store.error().text();
        const auto cursor = (*store)->chunks();
        storage::ReadContext context;
        while (true) {
            const auto pos = cursor->next();
            ASSERT_TRUE(pos) << pos.error().text();
            if (!*pos) break;
            const auto document = (*store)->read(**pos, context);
            ASSERT_TRUE(document && *document);
            auto chunk = chunk::Chunk::decode(Buffer((*document)->begin(), (*document)->end()));
            ASSERT_TRUE(chunk) << chunk.error().text();
            chunks_.emplace(**pos, *std::move(chunk));
        }
    }
    static void TearDownTestSuite() {
        chunks_.clear();
        folder_.reset();
    }

    static fs::path universe() { return *folder_ / "universe"; }
    static const chunk::Chunk* chunk_at(BlockPos pos) {
        const auto found = chunks_.find(pos.chunk());
        return found == chunks_.end() ? nullptr : &found->second;
    }

    /// Cells per block key, over the whole world.
    static std::map<std::string, std::size_t, std::less<>> count_blocks() {
        std::map<std::string, std::size_t, std::less<>> counts;
        for (const auto& [pos, chunk] : chunks_)
            for (int y = 0; y < k_sections; ++y) {
                const auto& blocks = chunk.section(y).blocks;
                const auto cells = blocks.histogram();
                for (std::size_t i = 0; i < blocks.entries().size(); ++i)
                    counts[std::string(blocks.entries()[i].value)] += cells[i];
            }
        return counts;
    }

    static inline std::unique_ptr<test::TemporaryFolder> folder_;
    static inline std::map<ChunkPos, chunk::Chunk> chunks_;
    static inline SampleReport report_;
};

TEST_F(Sample, HasFourHundredChunksOnAllSidesOfTheZeroPoint) {
    EXPECT_EQ(report_.chunks, 400U);
    ASSERT_EQ(chunks_.size(), 400U);
    EXPECT_EQ(chunks_.begin()->first, (ChunkPos{-10, -10}));
    EXPECT_EQ(chunks_.rbegin()->first, (ChunkPos{9, 9}));
}

TEST_F(Sample, IsAUniverseThatOpensWithoutANote) {
    const auto location = find_location(universe());
    ASSERT_TRUE(location);
    EXPECT_EQ(location->kind, Location::Kind::universe);
    EXPECT_EQ(location->players, 1U);
    ASSERT_EQ(location->worlds.size(), 1U);
    const auto& world = location->worlds[0];
    EXPECT_TRUE(world.notes.empty()) << world.notes[0].text();
    EXPECT_EQ(world.config.version, 4);
    EXPECT_EQ(world.config.seed, 1);
    EXPECT_EQ(world.config.uuid.size(), 36U);
    EXPECT_TRUE(world.config.has_provider);
}

TEST_F(Sample, IsMadeOfTheSameBytesWithAnyNumberOfThreadsAlsoInAFolderThatIsEmpty) {
    const auto place = *folder_ / "place";
    fs::create_directories(place / "empty");
    SampleOptions options;
    options.threads = 3;
    ASSERT_TRUE(write_sample(place / "empty/", options));
    EXPECT_TRUE(all_files(universe()) == all_files(place / "empty"));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(place)) names.push_back(entry.path().filename());
    EXPECT_EQ(names, std::vector<std::string>{"empty"}) << "nothing is left beside it";
}

/// The landscape must not depend on the machine: this number was the same wherever it was computed. It
/// changes with every change of the world's code; then take the new one.
TEST_F(Sample, HasTheSameDocumentsOnEveryMachine) {
    auto sum = k_fnv1a_64_start;
    for (const auto& [pos, chunk] : chunks_) sum = fnv1a_64(chunk.document(), sum);
    EXPECT_EQ(sum, 4085033959821413200ULL);
}

TEST_F(Sample, EveryPartOfEveryChunkIsSound) {
    for (const auto& [pos, chunk] : chunks_) {
        for (const auto& problem : chunk.problems())
            ADD_FAILURE() << pos.x << ',' << pos.z << ' ' << problem.text();
        for (const auto& problem : chunk.check())
            ADD_FAILURE() << pos.x << ',' << pos.z << ' ' << problem.text();
        EXPECT_EQ(chunk.block_chunk_version(), 3);
        EXPECT_EQ(chunk.stored_sections(), k_sections);
        for (int y = 0; y < k_sections; ++y) EXPECT_EQ(chunk.section(y).migration_count, 11);
    }
}

TEST_F(Sample, UsesOnlyKeysThatTheTablesKnow) {
    const auto& assets = Assets::built_in();
    for (const auto& [key, cells] : count_blocks())
        EXPECT_TRUE(key == "Empty" || assets.block(key) != nullptr) << key;
    for (const auto& [pos, chunk] : chunks_)
        for (const auto& mapping : chunk.environments().mappings())
            EXPECT_NE(assets.environment(mapping.key), nullptr) << mapping.key;
}

TEST_F(Sample, HeightsAreThoseOfTheHighestBlocksThatAreNotTransparent) {
    const auto& assets = Assets::built_in();
    for (auto& [pos, chunk] : chunks_) {
        auto copy = chunk::Chunk::decode(chunk.document());
        ASSERT_TRUE(copy);
        const auto changed = copy->recompute_heights([&](std::string_view key) {
            const auto* type = assets.block(key);
            return type == nullptr || type->opacity == Opacity::transparent;
        });
        ASSERT_TRUE(changed);
        EXPECT_EQ(*changed, 0U) << pos.x << ',' << pos.z;
    }
}

TEST_F(Sample, AFluidHasALevelExactlyWhereItHasAType) {
    for (const auto& [pos, chunk] : chunks_)
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            ASSERT_TRUE(section.old_keys().empty()) << "old keys say fluids too";
            std::vector<int> most; // per entry, and one more for cells without
            for (const auto& entry : section.fluids.entries()) {
                const auto* type = Assets::built_in().fluid(entry.value);
                ASSERT_TRUE(type != nullptr || entry.value == "Empty") << entry.value;
                most.push_back(entry.value == "Empty" ? 0 : type->max_level);
            }
            most.push_back(0);
            for (int i = 0; i < k_cells; ++i) {
                const auto most_here = most[section.fluids.entry_at(CellIndex(i))];
                const auto level = section.levels.at(CellIndex(i));
                if ((level == 0) != (most_here == 0) || level > most_here)
                    FAIL() << "level " << int{level} << " of " << section.fluids.at(CellIndex(i));
            }
        }
}

TEST_F(Sample, EveryFillerLeadsToABaseOfTheSameBlock) {
    std::size_t fillers = 0;
    for (const auto& [pos, chunk] : chunks_)
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            if (section.fillers.kind() == chunk::PaletteKind::empty) continue;
            for (int i = 0; i < k_cells; ++i) {
                const CellIndex cell(i);
                const auto block = section.block_at(cell);
                if (section.fillers.at(cell) == 0) continue;
                ++fillers;
                const BlockPos at{pos.x * k_side + cell.x(), y * k_side + cell.y(),
                                  pos.z * k_side + cell.z()};
                const auto base = block.filler.base(at);
                const auto* owner = chunk_at(base);
                ASSERT_NE(owner, nullptr);
                const auto found = owner->block(base);
                EXPECT_EQ(found.key, block.key);
                EXPECT_EQ(found.rotation, block.rotation);
                EXPECT_FALSE(found.filler) << "the base is a filler itself";
            }
        }
    EXPECT_GT(fillers, 30U);
}

TEST_F(Sample, ComponentsStandOnTheBlocksTheyBelongTo) {
    const std::map<std::string_view, std::vector<std::string_view>> expected{
        {"ItemContainerBlock", {"Chest", "Crate"}},
        {"BenchBlock", {"Bench_"}},
        {"ProcessingBenchBlock", {"Bench_Campfire"}},
        {"FarmingBlock", {"Plant_Crop_", "Plant_Bush"}},
        {"RespawnBlock", {"_Bed"}},
    };
    std::map<std::string_view, std::size_t> seen;
    std::size_t blocks = 0;
    for (const auto& [pos, chunk] : chunks_)
        for (const auto& [index, holder] : chunk.block_components().entries()) {
            ++blocks;
            const auto key = chunk.block(index.pos(pos)).key;
            for (const auto name : chunk::component_names(holder)) {
                const auto belongs = expected.find(name);
                ASSERT_NE(belongs, expected.end()) << name;
                ++seen[belongs->first];
                EXPECT_TRUE(std::ranges::any_of(belongs->second,
                                                [&](auto part) { return key.find(part) != key.npos; }))
                    << name << " on " << key;
            }
        }
    EXPECT_EQ(blocks, report_.block_components);
    EXPECT_EQ(seen.size(), expected.size());
    EXPECT_GT(seen["ItemContainerBlock"], 15U);
}

TEST_F(Sample, EveryCropAndChestHasItsComponent) {
    std::size_t with = 0;
    for (const auto& [pos, chunk] : chunks_)
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            std::vector<bool> needs; // per entry
            for (const auto& [key, cells, id] : section.blocks.entries())
                needs.push_back((key.find("Plant_Crop_") != key.npos && key.find("_Block") != key.npos)
                                || key.find("_Chest_") != key.npos);
            needs.push_back(false);
            for (int i = 0; i < k_cells; ++i) {
                const CellIndex cell(i);
                const auto& key = section.blocks.at(cell);
                if (!needs[section.blocks.entry_at(cell)]) continue;
                const BlockPos at{cell.x(), y * k_side + cell.y(), cell.z()};
                EXPECT_TRUE(chunk.block_components().find(chunk::BlockIndex(at))) << key;
                ++with;
            }
        }
    EXPECT_GT(with, 500U);
}

TEST_F(Sample, LightIsValidAndFullUnderTheSky) {
    std::array<std::uint16_t, k_cells> local{};
    std::array<std::uint16_t, k_cells> global{};
    std::size_t torchlight = 0;
    for (const auto& [pos, chunk] : chunks_) {
        std::array<int, k_columns> heights{};
        for (int i = 0; i < k_columns; ++i)
            heights[static_cast<std::size_t>(i)] = chunk.heights().at(ColumnIndex(i));
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            EXPECT_TRUE(section.local_light_valid());
            EXPECT_TRUE(section.global_light_valid());
            section.local_light.expand(local);
            section.global_light.expand(global);
            for (int i = 0; i < k_cells; ++i) {
                const auto cell = static_cast<std::size_t>(i);
                const chunk::LightValue all{global[cell]};
                const chunk::LightValue own{local[cell]};
                const CellIndex index(i);
                const bool under_sky = y * k_side + index.y() > heights[cell % k_columns];
                if ((under_sky && all.sky() != 15) || own.sky() > all.sky() || own.red() > all.red()
                    || own.green() > all.green() || own.blue() > all.blue())
                    FAIL() << pos.x << ',' << pos.z << " section " << y << " cell " << i;
                torchlight += all.red() > 0;
            }
        }
    }
    EXPECT_GT(torchlight, 10'000U);
}

TEST_F(Sample, LightDiffersByOneAtMostBetweenNeighboursItCanPass) {
    // The middle of the village, across the border of two chunks: houses, lanterns, the well.
    const auto light = [&](BlockPos pos) {
        return chunk_at(pos)->section(pos.y >> 5).global_light.at(pos.cell());
    };
    const auto passes = [&](BlockPos pos) {
        const auto* type = Assets::built_in().block(chunk_at(pos)->block(pos).key);
        return type == nullptr || type->opacity != Opacity::solid;
    };
    for (int y = 60; y < 75; ++y)
        for (int z = 90; z < 140; ++z)
            for (int x = 30; x < 90; ++x)
                for (const BlockPos next :
                     {BlockPos{x + 1, y, z}, BlockPos{x, y + 1, z}, BlockPos{x, y, z + 1}}) {
                    if (!passes({x, y, z}) || !passes(next)) continue;
                    const auto a = light({x, y, z});
                    const auto b = light(next);
                    ASSERT_LE(std::abs(a.sky() - b.sky()), 1);
                    ASSERT_LE(std::abs(a.red() - b.red()), 1);
                    ASSERT_LE(std::abs(a.green() - b.green()), 1);
                    ASSERT_LE(std::abs(a.blue() - b.blue()), 1);
                }
}

TEST_F(Sample, EntitiesStandInTheirChunk) {
    std::size_t count = 0;
    for (const auto& [pos, chunk] : chunks_)
        for (const auto& holder : chunk.entities().holders()) {
            ++count;
            const auto transform = chunk::component(holder, "Transform");
            ASSERT_TRUE(transform);
            const auto position = transform->document("Position");
            ASSERT_TRUE(position);
            const auto x = position->find("X")->number();
            const auto z = position->find("Z")->number();
            ASSERT_TRUE(x && z);
            EXPECT_EQ(static_cast<int>(std::floor(*x)) >> 5, pos.x);
            EXPECT_EQ(static_cast<int>(std::floor(*z)) >> 5, pos.z);
        }
    EXPECT_EQ(count, report_.entities);
    EXPECT_GE(count, 10U);
}

TEST_F(Sample, HasEverythingThatAPlaceNeeds) {
    const auto counts = count_blocks();
    EXPECT_EQ(report_.blocks, counts.size() - 1);
    const auto cells = [&](std::string_view key) {
        const auto found = counts.find(key);
        return found == counts.end() ? 0U : found->second;
    };
    EXPECT_GT(counts.size(), 120U);
    EXPECT_GE(cells("Furniture_Village_Door"), 20U) << "doors of two cells";
    EXPECT_GT(cells("Soil_Snow"), 10'000U);
    EXPECT_GT(cells("Soil_Sand"), 5'000U);
    EXPECT_GT(cells("Plant_Leaves_Oak"), 50'000U);
    EXPECT_GT(cells("Plant_Leaves_Fir"), 10'000U);
    EXPECT_GT(cells("Ore_Iron_Stone"), 5'000U);
    EXPECT_GT(cells("Ore_Gold_Stone"), 500U);
    EXPECT_GT(cells("Soil_Pathway"), 1'000U);
    EXPECT_GT(cells("*Plant_Crop_Wheat_Block_State_Definitions_StageFinal"), 20U);
    EXPECT_GE(cells("Furniture_Crude_Torch"), 5U);

    std::set<std::string_view> environments;
    std::set<std::int32_t> tints;
    std::set<int> stairs;
    std::map<std::string_view, std::size_t> fluids;
    for (const auto& [pos, chunk] : chunks_) {
        for (const auto& mapping : chunk.environments().mappings()) environments.insert(mapping.key);
        for (int i = 0; i < k_columns; ++i) tints.insert(chunk.tints().at(ColumnIndex(i)));
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            for (int i = 0; i < k_cells; ++i) {
                const CellIndex cell(i);
                if (section.fluids.kind() != chunk::PaletteKind::empty) ++fluids[section.fluids.at(cell)];
                if (section.rotations.kind() != chunk::PaletteKind::empty
                    && section.blocks.at(cell).ends_with("_Stairs"))
                    stairs.insert(section.rotations.at(cell));
            }
        }
    }
    EXPECT_GE(environments.size(), 8U);
    EXPECT_GT(tints.size(), 100U);
    EXPECT_EQ(stairs, (std::set{0, 1, 2, 3}));
    EXPECT_GT(fluids["Water_Source"], 100'000U) << "the lake and the river";
    EXPECT_GT(fluids["Water"], 10U) << "falls";
    EXPECT_GT(fluids["Lava_Source"], 100U);
}

TEST(SampleFolder, IsNeverOverwritten) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "full");
    std::ofstream(folder / "full" / "file") << "x";
    std::ofstream(folder / "file") << "x";
    for (const auto* name : {"full", "file", "full/"}) {
        const auto made = write_sample(folder / name, {});
        ASSERT_FALSE(made) << name;
        EXPECT_EQ(made.error().code, Errc::exists) << name;
    }
    EXPECT_EQ(all_files(folder.path()).size(), 2U);
}

TEST(SampleFolder, IsLeftAsItWasWhenItCannotBeMade) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "file") << "x";
    const auto made = write_sample(folder / "file" / "below", {});
    ASSERT_FALSE(made);
    EXPECT_EQ(all_files(folder.path()).size(), 1U);
}

TEST(SampleSeed, AnotherOneIsAnotherWorld) {
    const Landscape usual(k_default_seed);
    const Landscape other(12345);
    std::size_t different = 0;
    for (int x = -300; x < 300; x += 10)
        for (int z = -300; z < 300; z += 10)
            if (Landscape::inside(x, z))
                different += usual.at(x, z).ground != other.at(x, z).ground ? 1U : 0U;
    EXPECT_GT(different, 500U) << "heights of the ground";
    const auto files = universe_files(other);
    EXPECT_TRUE(std::ranges::any_of(files, [](const UniverseFile& file) {
        return file.path == "worlds/default/config.json" && file.text.find("12345") != file.text.npos;
    }));
}

} // namespace
} // namespace orbis::world::sample
