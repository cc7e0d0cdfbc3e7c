#include "support/pack_files.hpp"
#include "support/shared.hpp"
#include "world/asset_pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace orbis::world {
namespace {

namespace fs = std::filesystem;
using test::Files;
using test::write;
using test::write_zip;

const Files k_mod{
    {"Server/Item/Items/Rock/My_Rock.json",
     R"({"Parent": "Rock_Stone", "Icon": "x", "BlockType": {"ParticleColor": "#123", "Tint": ["#040506"],
         "BiomeTintUp": 50, "Light": {"Color": "#fff", "Radius": 7},
         "State": {"Definitions": {"Lit": {"Opacity": "Transparent", "Unknown": [1]},
                                   "Deep": {"State": {"Definitions": {"Er": {"Group": "G"}}}}}}}})"},
    {"Server/Item/Items/My_Sword.json", R"({"Weapon": {}})"},
    {"Server/Item/Block/Blocks/My_Debug.json", R"({"DrawType": "Model", "Material": "Solid"})"},
    {"Server/Item/Block/Fluids/My_Milk.json", R"({"Parent": "Water", "MaxFluidLevel": 5})"},
    {"Server/Environments/Zone9/Env_My.json", R"({"Parent": "Env_Zone0", "WaterTint": "#010203"})"},
    {"Server/Item/Block/Migrations/11.json", R"({"DirectMigrations": {"Old_Rock": "My_Rock"}})"},
    {"Common/BlockTextures/x.png", "not looked at"},
};

void expect_mod(const Assets& assets) {
    const auto* rock = assets.block("My_Rock");
    ASSERT_NE(rock, nullptr);
    EXPECT_EQ(rock->group, "Stone") << "from the parent in the built-in table";
    EXPECT_EQ(rock->particle, (Colour{0x11, 0x22, 0x33}));
    EXPECT_EQ(rock->tint_up, std::vector{(Colour{4, 5, 6})});
    EXPECT_EQ(rock->biome_tint_up, 50);
    EXPECT_EQ(rock->light_radius, 7);
    const auto* lit = assets.block("*My_Rock_State_Definitions_Lit");
    ASSERT_NE(lit, nullptr);
    EXPECT_EQ(lit->opacity, Opacity::transparent);
    EXPECT_EQ(lit->particle, rock->particle);
    const auto* deeper = assets.block("**My_Rock_State_Definitions_Deep_State_Definitions_Er");
    ASSERT_NE(deeper, nullptr);
    EXPECT_EQ(deeper->group, "G");
    EXPECT_EQ(assets.block("My_Sword"), nullptr);
    ASSERT_NE(assets.block("My_Debug"), nullptr);
    EXPECT_EQ(assets.block("My_Debug")->draw_type, DrawType::model);
    EXPECT_EQ(assets.block("My_Debug")->opacity, Opacity::solid);
    ASSERT_NE(assets.fluid("My_Milk"), nullptr);
    EXPECT_EQ(assets.fluid("My_Milk")->max_level, 5);
    EXPECT_TRUE(assets.fluid("My_Milk")->has_effect("Water"));
    EXPECT_EQ(assets.environment("Env_My")->water_tint, (Colour{1, 2, 3}));
    EXPECT_EQ(assets.migrations.count(), 12U);
    EXPECT_EQ(assets.migrations.apply("Old_Rock", 11), "My_Rock");
}

TEST(AssetPack, AFolderIsLaidOverTheBuiltInTables) {
    const test::TemporaryFolder folder;
    write(folder.path(), k_mod);
    auto assets = Assets::built_in();
    const auto pack = load_assets(folder.path(), assets);
    ASSERT_TRUE(pack) << pack.error().text();
    EXPECT_EQ(pack->files, 6U);
    EXPECT_EQ(pack->blocks, 2U);
    EXPECT_EQ(pack->migrations, 1U);
    EXPECT_TRUE(pack->problems.empty()) << pack->problems[0].text();
    expect_mod(assets);
    EXPECT_EQ(Assets::built_in().block("My_Rock"), nullptr);
}

TEST(AssetPack, TheTreeMayStandDeeperOrBeTheFolderServerItself) {
    const test::TemporaryFolder folder;
    write(folder / "Assets", k_mod);
    for (const auto& path :
         {folder.path(), folder / "Assets", folder / "Assets" / "Server", folder / "Assets/Server/"}) {
        auto assets = Assets::built_in();
        ASSERT_TRUE(load_assets(path, assets)) << path;
        expect_mod(assets);
    }
}

TEST(AssetPack, AZipIsReadLikeAFolder) {
    const test::TemporaryFolder folder;
    Files deeper;
    for (const auto& [path, text] : k_mod) deeper.emplace("mod-1.2/" + path, text);
    write_zip(folder / "mod.zip", k_mod);
    write_zip(folder / "deep.zip", deeper);
    for (const auto* name : {"mod.zip", "deep.zip"}) {
        auto assets = Assets::built_in();
        const auto pack = load_assets(folder / name, assets);
        ASSERT_TRUE(pack) << pack.error().text();
        EXPECT_TRUE(pack->problems.empty());
        expect_mod(assets);
    }
}

TEST(AssetPack, AFileReplacesTheBlockUnlessItsParentIsSuper) {
    const test::TemporaryFolder folder;
    write(folder.path(), {{"Server/Item/Items/Rock_Stone.json", R"({"BlockType": {"Material": "Solid"}})"},
                          {"Server/Item/Items/Soil_Dirt.json",
                           R"({"Parent": "super", "BlockType": {"ParticleColor": "#000"}})"}});
    auto assets = Assets::built_in();
    ASSERT_TRUE(load_assets(folder.path(), assets));
    EXPECT_FALSE(assets.block("Rock_Stone")->particle);
    EXPECT_EQ(assets.block("Soil_Dirt")->group, "Dirt");
    EXPECT_EQ(assets.block("Soil_Dirt")->particle, (Colour{0, 0, 0}));
    EXPECT_EQ(assets.blocks.size(), Assets::built_in().blocks.size());
}

TEST(AssetPack, BrokenFilesAreReportedAndTheRestIsUsed) {
    const test::TemporaryFolder folder;
    const std::string base = "Server/Item/Block/Blocks/";
    const std::map<std::string, std::pair<std::string, Errc>> broken{
        {base + "Cut.json", {R"({"Material": )", Errc::bad_text}},
        {base + "Empty.json", {"", Errc::bad_text}},
        {base + "List.json", {"[]", Errc::bad_value}},
        {base + "Deep.json", {std::string(100'000, '['), Errc::too_deep}},
        {base + "Colour.json", {R"({"ParticleColor": "red"})", Errc::bad_value}},
        {base + "Number.json", {R"({"BiomeTint": 1e300})", Errc::bad_value}},
        {base + "Kind.json", {R"({"Opacity": "Foggy"})", Errc::bad_value}},
        {base + "Type.json", {R"({"Group": {}})", Errc::bad_value}},
        {base + "Large.json", {std::string((4U << 20) + 1, ' '), Errc::too_large}},
        {base + "Orphan.json", {R"({"Parent": "No_Such_Block"})", Errc::not_found}},
        {base + "Loop_A.json", {R"({"Parent": "Loop_B"})", Errc::too_deep}},
        {base + "Loop_B.json", {R"({"Parent": "Loop_A"})", Errc::too_deep}},
        {"Server/Item/Block/Migrations/one.json", {"{}", Errc::bad_value}},
        {"Server/Item/Block/Migrations/4294967295.json", {"{}", Errc::bad_value}},
        {"Server/Item/Block/Fluids/F.json", {R"({"MaxFluidLevel": 16})", Errc::bad_value}},
    };
    Files files{{base + "Good.json", R"({"Material": "Solid"})"}};
    for (const auto& [path, content] : broken) files.emplace(path, content.first);
    write(folder.path(), files);
    auto assets = Assets::built_in();
    const auto pack = load_assets(folder.path(), assets);
    ASSERT_TRUE(pack) << pack.error().text();
    EXPECT_NE(assets.block("Good"), nullptr);
    EXPECT_EQ(assets.migrations.count(), 11U);
    EXPECT_EQ(pack->problems.size(), broken.size());
    for (const auto& [path, content] : broken) {
        const auto key = fs::path(path).stem().string();
        const auto found = std::ranges::find_if(pack->problems, [&](const Error& problem) {
            return problem.file.ends_with(path) || problem.subject() == path || problem.subject() == key;
        });
        ASSERT_NE(found, pack->problems.end()) << path;
        EXPECT_EQ(found->code, content.second) << found->text();
    }
}

TEST(AssetPack, WhatIsNoAssetsTreeIsAnErrorThatChangesNothing) {
    const test::TemporaryFolder folder;
    auto assets = Assets::built_in();
    EXPECT_EQ(load_assets(folder / "missing", assets).error().code, Errc::not_found);
    EXPECT_EQ(load_assets(folder.path(), assets).error().code, Errc::unknown_kind);
    write(folder.path(), {{"text.zip", "no zip"}});
    EXPECT_EQ(load_assets(folder / "text.zip", assets).error().code, Errc::bad_magic);
    write_zip(folder / "other.zip", {{"readme.txt", "x"}});
    EXPECT_EQ(load_assets(folder / "other.zip", assets).error().code, Errc::unknown_kind);
    EXPECT_EQ(assets.blocks.size(), 4023U);
}

TEST(AssetPack, EveryTruncatedOrFlippedZipIsSurvived) {
    const test::TemporaryFolder folder;
    write_zip(folder / "mod.zip", k_mod);
    std::ifstream file(folder / "mod.zip", std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(file), {});
    for (std::size_t i = 0; i < whole.size(); i += 7) {
        auto flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
        for (const auto& bytes : {whole.substr(0, i), flipped}) {
            std::ofstream(folder / "broken.zip", std::ios::binary) << bytes;
            Assets assets;
            (void)load_assets(folder / "broken.zip", assets);
        }
    }
}

TEST(AssetPack, AnEntryThatIsShorterThanItsZipSaysIsAProblem) {
    const test::TemporaryFolder folder;
    write_zip(folder / "mod.zip",
              {{"Server/Environments/Long.json", "{}"}, {"Server/Environments/Good.json", "{}"}});
    std::ifstream file(folder / "mod.zip", std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    // In the directory and in the header of the entry, the name follows what has the size.
    for (const auto& [signature, size_at, name_at] :
         {std::tuple("PK\1\2", 24, 46), std::tuple("PK\3\4", 22, 30)})
        for (auto at = bytes.find(signature); at != std::string::npos; at = bytes.find(signature, at + 1))
            if (bytes.compare(at + static_cast<std::size_t>(name_at), 25, "Server/Environments/Long.") == 0)
                ++bytes[at + static_cast<std::size_t>(size_at)];
    std::ofstream(folder / "short.zip", std::ios::binary) << bytes;
    Assets assets;
    const auto pack = load_assets(folder / "short.zip", assets).value();
    ASSERT_EQ(pack.problems.size(), 1U);
    EXPECT_EQ(pack.problems[0].code, Errc::bad_frame) << pack.problems[0].text();
    EXPECT_EQ(pack.problems[0].part, "Server/Environments/Long.json");
    EXPECT_EQ(assets.environment("Long"), nullptr);
    EXPECT_NE(assets.environment("Good"), nullptr);
}

TEST(AssetPack, AFileOrAnEntryMayHaveFourMebibytes) {
    const test::TemporaryFolder folder;
    const Files files{{"Server/Environments/Full.json", "{" + std::string((4U << 20) - 2, ' ') + "}"},
                      {"Server/Environments/More.json", "{" + std::string((4U << 20) - 1, ' ') + "}"}};
    write(folder / "mod", files);
    write_zip(folder / "mod.zip", files);
    for (const auto* name : {"mod", "mod.zip"}) {
        Assets assets;
        const auto pack = load_assets(folder / name, assets).value();
        EXPECT_NE(assets.environment("Full"), nullptr) << name;
        EXPECT_EQ(assets.environment("More"), nullptr) << name;
        ASSERT_EQ(pack.problems.size(), 1U) << name;
        EXPECT_EQ(pack.problems[0].problem, "too large: 4194305 bytes; at most 4194304 are read") << name;
    }
}

TEST(AssetPack, TheLimitsOfFilesAndOfParentsAreExact) {
    const test::TemporaryFolder folder;
    const std::string base = "Server/Item/Block/Blocks/";
    Files files{{base + "Full.json", "{" + std::string((4U << 20) - 2, ' ') + "}"}};
    // A chain of parents: B0 has none, each other the one before it.
    files.emplace(base + "B0.json", R"({"Group": "G"})");
    for (int i = 1; i <= 33; ++i)
        files.emplace(base + "B" + std::to_string(i) + ".json",
                      R"({"Parent": "B)" + std::to_string(i - 1) + "\"}");
    write(folder.path(), files);
    Assets assets;
    const auto pack = load_assets(folder.path(), assets).value();
    EXPECT_NE(assets.block("Full"), nullptr);
    ASSERT_NE(assets.block("B32"), nullptr);
    EXPECT_EQ(assets.block("B32")->group, "G");
    EXPECT_EQ(assets.block("B33")->group, "");
    ASSERT_EQ(pack.problems.size(), 1U);
    EXPECT_EQ(pack.problems[0].code, Errc::too_deep);
    EXPECT_EQ(pack.blocks, 35U);
    EXPECT_EQ(pack.files, 35U);
}

TEST(AssetPack, AThousandProblemsAreToldAndNoMore) {
    const test::TemporaryFolder folder;
    Files files;
    for (int i = 0; i < 1001; ++i) files.emplace("Server/Environments/E" + std::to_string(i) + ".json", "[]");
    files.emplace("Server/Environments/Good.json", "{}");
    write_zip(folder / "mod.zip", files);
    Assets assets;
    const auto pack = load_assets(folder / "mod.zip", assets).value();
    EXPECT_EQ(pack.problems.size(), 1000U);
    EXPECT_EQ(pack.environments, 1U);
    EXPECT_NE(assets.environment("Good"), nullptr);
}

TEST(AssetPack, HitboxesSayWhichCellsABlockTakes) {
    const test::TemporaryFolder folder;
    const auto box = [](const char* least, const char* most) {
        return fmt::format(R"({{"Boxes": [{{"Min": {{{}}}, "Max": {{{}}}}}]}})", least, most);
    };
    write(
        folder.path(),
        {{"Server/Item/Block/Hitboxes/Wide/Bed.json", box(R"("X":0,"Y":0,"Z":0)", R"("X":2,"Y":0.6,"Z":3)")},
         {"Server/Item/Block/Hitboxes/Left.json", box(R"("X":-1,"Y":0,"Z":0)", R"("X":1,"Y":1.005,"Z":1)")},
         {"Server/Item/Block/Hitboxes/Like_Bed.json", R"({"Parent": "Bed"})"},
         {"Server/Item/Block/Hitboxes/Loop.json", R"({"Parent": "Loop"})"},
         {"Server/Item/Block/Hitboxes/Far.json", box(R"("X":0,"Y":0,"Z":0)", R"("X":17,"Y":1,"Z":1)")},
         {"Server/Item/Block/Hitboxes/Many.json", box(R"("X":0,"Y":0,"Z":0)", R"("X":15,"Y":15,"Z":15)")},
         {"Server/Item/Block/Hitboxes/Odd.json", R"({"Boxes": [{"Min": {"X": "a"}, "Max": {}}]})"},
         {"Server/Item/Block/Hitboxes/List.json", R"({"Boxes": {}})"},
         {"Server/Item/Items/My_Bed.json",
          R"({"BlockType": {"HitboxType": "Bed", "State": {"Definitions": {"Small": {"HitboxType": "Full"},
                "Other": {"Material": "Solid"}}}}})"},
         {"Server/Item/Items/My_Bed_Red.json", R"({"Parent": "My_Bed", "BlockType": {}})"},
         {"Server/Item/Items/My_Counter.json", R"({"BlockType": {"HitboxType": "Left"}})"},
         {"Server/Item/Items/My_Sofa.json", R"({"BlockType": {"HitboxType": "Like_Bed"}})"},
         {"Server/Item/Items/My_Loop.json", R"({"BlockType": {"HitboxType": "Loop"}})"},
         {"Server/Item/Items/My_Wall.json", R"({"BlockType": {"HitboxType": "Far"}})"}});
    auto assets = Assets::built_in();
    const auto pack = load_assets(folder.path(), assets);
    ASSERT_TRUE(pack);
    constexpr chunk::BlockExtent bed{0, 0, 0, 1, 0, 2};
    EXPECT_EQ(assets.block("My_Bed")->extent, bed);
    EXPECT_EQ(assets.block("My_Bed_Red")->extent, bed);
    EXPECT_EQ(assets.block("*My_Bed_State_Definitions_Other")->extent, bed);
    EXPECT_EQ(assets.block("*My_Bed_State_Definitions_Small")->extent, chunk::BlockExtent{});
    EXPECT_EQ(assets.block("My_Counter")->extent, (chunk::BlockExtent{-1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(assets.block("My_Sofa")->extent, bed);
    EXPECT_EQ(assets.block("My_Loop")->extent, chunk::BlockExtent{});
    EXPECT_EQ(assets.block("My_Wall")->extent, chunk::BlockExtent{});
    EXPECT_EQ(assets.block("Rock_Stone")->extent, chunk::BlockExtent{});
    ASSERT_EQ(pack->problems.size(), 4U);
    EXPECT_NE(pack->problems[0].text().find("Far.json"), std::string::npos) << pack->problems[0].text();
    EXPECT_EQ(pack->problems[2].code, Errc::too_large) << pack->problems[2].text();
}

} // namespace
} // namespace orbis::world
