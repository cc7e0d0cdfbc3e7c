#include "storage/tree.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;

TEST(DiskTree, ListsByNameAndSaysWhatEachIs) {
    const test::TemporaryFolder folder;
    for (const char* name : {"m", "b", "z", "a", "k", "c", "y"}) std::ofstream(folder / name) << name << name;
    fs::create_directory(folder / "folder");
    fs::create_symlink("a", folder / "link");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    const auto tree = open_disk_tree(folder.path());
    std::vector<std::string> names;
    const auto entries = tree->list({}).value();
    for (const auto& entry : entries) {
        names.push_back(entry.name);
        const bool plain = entry.name.size() == 1;
        EXPECT_EQ(entry.size, plain ? 2U : 0U) << entry.name;
        EXPECT_EQ(entry.is_folder, entry.name == "folder");
        EXPECT_EQ(entry.is_link, entry.name == "link");
        EXPECT_EQ(entry.is_special, entry.name == "pipe");
        const auto found = tree->find(entry.name);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->name, entry.name);
        EXPECT_EQ(found->size, entry.size);
        EXPECT_EQ(found->is_folder, entry.is_folder);
        EXPECT_EQ(found->is_link, entry.is_link);
        EXPECT_EQ(found->is_special, entry.is_special);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c", "folder", "k", "link", "m", "pipe", "y", "z"}));
    EXPECT_EQ(tree->read_link("link").value(), "a");
    EXPECT_FALSE(tree->read_link("a"));
    EXPECT_FALSE(tree->list("none"));
    EXPECT_FALSE(tree->find("none"));
}

TEST(DiskTree, PermissionsAreWhole) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "f") << "x";
    fs::create_directory(folder / "d");
    fs::create_symlink("f", folder / "link");
    fs::permissions(folder / "f", fs::perms{0647});
    fs::permissions(folder / "d", fs::perms{0715});
    const auto tree = open_disk_tree(folder.path());
    EXPECT_EQ(tree->permissions("f"), fs::perms{0647});
    EXPECT_EQ(tree->permissions("d"), fs::perms{0715});
    EXPECT_EQ(tree->permissions("link"), std::nullopt);
    EXPECT_EQ(tree->permissions("none"), std::nullopt);
}

TEST(DiskTree, OnlyTheFileThatWasNamedMayBeALink) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "real") << "text";
    fs::create_directory(folder / "sub");
    fs::create_symlink(folder / "real", folder / "named");
    fs::create_symlink(folder / "real", folder / "other");
    fs::create_symlink(folder / "real", folder / "sub" / "named");
    const auto tree = open_disk_tree(folder.path(), "named");
    EXPECT_TRUE(tree->open("named"));
    EXPECT_FALSE(tree->find("named")->is_link);
    EXPECT_EQ(tree->find("named")->size, 4U);
    EXPECT_FALSE(tree->list({}).value().at(0).is_link) << "named";
    EXPECT_TRUE(tree->list({}).value().at(1).is_link) << "other";
    EXPECT_FALSE(tree->open("other"));
    EXPECT_FALSE(tree->open("sub/named"));
    EXPECT_TRUE(tree->list("sub").value().at(0).is_link);
    EXPECT_TRUE(tree->find("sub/named")->is_link);
}

} // namespace
} // namespace orbis::storage
