#include "bytes/atomic_file.hpp"
#include "jobs/prefab/made_prefabs_test.hpp"
#include "jobs/prefab/prefab_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace orbis::jobs::prefab {
namespace {

namespace fs = std::filesystem;

Prefab small_prefab() {
    Prefab prefab;
    prefab.version = k_json_version;
    prefab.block_id_version = 11;
    for (int x = 0; x < 3; ++x) {
        Prefab::Block block;
        block.at = {x, 0, 0};
        block.key = prefab.keys.id_of("Rock_Stone");
        prefab.blocks.push_back(block);
    }
    return prefab;
}

std::size_t files_in_folder(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(PrefabFile, TheNameSaysTheFormatAndTheContentIsRead) {
    const test::TemporaryFolder folder;
    const auto prefab = small_prefab();
    std::vector<std::string> notes;
    for (const std::string name : {"a.prefab.json", "b.lpf", "c.json"}) {
        const auto size = save_prefab(prefab, folder / name, false, notes);
        ASSERT_TRUE(size) << size.error().text();
        EXPECT_EQ(*size, fs::file_size(folder / name)) << name;
        std::ifstream in(folder / name, std::ios::binary);
        EXPECT_EQ(in.get() == '{', !name.ends_with(".lpf")) << name;
        const auto back = read_prefab(folder / name);
        ASSERT_TRUE(back) << back.error().text();
        EXPECT_EQ(back->blocks.size(), 3U);
    }
    for (const std::string name : {"a.prefab", "json", "lpf.txt"}) {
        EXPECT_EQ(format_of_name(folder / name).error().code, Errc::usage) << name;
        EXPECT_EQ(save_prefab(prefab, folder / name, true, notes).error().code, Errc::usage) << name;
    }
    EXPECT_EQ(files_in_folder(folder.path()), 3U);
}

TEST(PrefabFile, IsReplacedOnlyWhereThatIsAskedFor) {
    const test::TemporaryFolder folder;
    const auto file = folder / "a.prefab.json";
    std::ofstream(file) << "mine";
    std::vector<std::string> notes;
    EXPECT_EQ(check_target(file, false).error().code, Errc::exists);
    EXPECT_EQ(save_prefab(small_prefab(), file, false, notes).error().code, Errc::exists);
    EXPECT_EQ(fs::file_size(file), 4U);
    EXPECT_TRUE(check_target(file, true));
    ASSERT_TRUE(save_prefab(small_prefab(), file, true, notes));
    EXPECT_EQ(read_prefab(file)->blocks.size(), 3U);
    fs::create_symlink("nowhere", folder / "link.json");
    EXPECT_EQ(check_target(folder / "link.json", false).error().code, Errc::exists);
    std::ofstream((folder / "b.json").string() + std::string(k_temporary_suffix))
        << "of a run that was killed";
    ASSERT_TRUE(save_prefab(small_prefab(), folder / "b.json", false, notes));
    EXPECT_EQ(files_in_folder(folder.path()), 3U);
    const auto nowhere = save_prefab(small_prefab(), folder / "none" / "c.json", false, notes);
    ASSERT_FALSE(nowhere);
    EXPECT_TRUE(nowhere.error().file.ends_with("c.json")) << nowhere.error().text();
}

TEST(PrefabFile, WhatHasNothingInItSaysSo) {
    const test::TemporaryFolder folder;
    const auto problem = [&](std::string_view text) {
        std::ofstream(folder / "a.json", std::ios::trunc) << text;
        const auto read = read_prefab(folder / "a.json");
        EXPECT_FALSE(read);
        EXPECT_EQ(read.error().file, (folder / "a.json").string());
        return read.error().problem;
    };
    EXPECT_EQ(problem(""), "expected a prefab, found an empty file");
    EXPECT_EQ(problem(" \t\r\n"), "expected a prefab, found only blanks");
    EXPECT_FALSE(problem("  [1]").empty());
}

} // namespace
} // namespace orbis::jobs::prefab
