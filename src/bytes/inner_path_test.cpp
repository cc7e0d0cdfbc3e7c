#include "bytes/inner_path.hpp"
#include "support/shared.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

namespace orbis {
namespace {

namespace fs = std::filesystem;

TEST(InnerPath, OnlyPlainRelativePathsAre) {
    for (const auto* inner : {"a", "a/b", "chunks/0.0.region.bin", "..a", "a..", ".hidden", "a b/ä"})
        EXPECT_TRUE(is_inner_path(inner)) << inner;
    for (const auto* outer :
         {"", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "../a", "a/..", "a/../b", "a/../../b"})
        EXPECT_FALSE(is_inner_path(outer)) << outer;
    EXPECT_FALSE(is_inner_path(std::string_view("a\0b", 3)));
}

TEST(InnerFile, IsAFileOfTheFolderOrNothingYet) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.path() / "deep");
    std::ofstream(folder.path() / "deep/file") << "text";
    EXPECT_EQ(inner_file(folder.path(), "deep/file").value(), folder.path() / "deep/file");
    EXPECT_EQ(inner_file(folder.path(), "deep/new").value(), folder.path() / "deep/new");
    EXPECT_EQ(inner_file(folder.path(), "none/new").value(), folder.path() / "none/new");
    EXPECT_FALSE(inner_file(folder.path(), "deep"));
    EXPECT_FALSE(inner_file(folder.path(), "deep/file/below"));
    EXPECT_FALSE(inner_file(folder.path(), "../file"));
}

TEST(InnerFile, IsNeverBehindALinkAndNeverADevice) {
    const test::TemporaryFolder folder;
    const auto inner = folder.path() / "inner";
    fs::create_directories(inner);
    fs::create_directories(folder.path() / "outer");
    std::ofstream(folder.path() / "outer/file") << "text";
    fs::create_symlink(folder.path() / "outer/file", inner / "file");
    fs::create_symlink(folder.path() / "outer/none", inner / "dangling");
    fs::create_directory_symlink(folder.path() / "outer", inner / "folder");
    ASSERT_EQ(mkfifo((inner / "pipe").c_str(), 0600), 0);
    for (const auto* path : {"file", "dangling", "folder/file", "folder/new", "pipe"})
        EXPECT_FALSE(inner_file(inner, path)) << path;
    fs::create_directory_symlink(inner, folder.path() / "named");
    EXPECT_TRUE(inner_file(folder.path() / "named", "new")) << "the user may name a link";
}

TEST(InnerFolder, IsNeverBehindALinkAndNeverAFile) {
    const test::TemporaryFolder folder;
    const auto inner = folder.path() / "inner";
    fs::create_directories(inner / "deep");
    fs::create_directories(folder.path() / "outer/deep");
    std::ofstream(inner / "file") << "text";
    fs::create_directory_symlink(folder.path() / "outer", inner / "link");
    fs::create_directory_symlink(inner, inner / "loop");
    EXPECT_EQ(inner_folder(inner, "").value(), inner);
    EXPECT_EQ(inner_folder(inner, "deep").value(), inner / "deep");
    EXPECT_EQ(inner_folder(inner, "deep/new").value(), inner / "deep/new");
    for (const auto* path : {"file", "link", "link/deep", "loop", "loop/deep", "../outer", "/tmp"})
        EXPECT_FALSE(inner_folder(inner, path)) << path;
    EXPECT_NE(inner_folder(inner, "link").error().problem.find("outer"), std::string::npos)
        << "it says where the link leads";
}

TEST(InnerPath, WhatIsInTheWayIsNamedWithWhatShouldBeThere) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.path() / "deep");
    std::ofstream(folder.path() / "file") << "text";
    fs::create_symlink("deep", folder.path() / "link");
    ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    const auto said = [](const auto& result) {
        const auto& error = result.error();
        return fmt::format("{}: {}: {}", fs::path(error.file).filename().string(), name(error.code),
                           error.problem);
    };
    EXPECT_EQ(said(inner_file(folder.path(), "deep")),
              "deep: bad_value: this is a folder, not a file of this folder");
    EXPECT_EQ(said(inner_file(folder.path(), "file/below")),
              "file: bad_value: this is a file, not a folder inside this one");
    EXPECT_EQ(said(inner_folder(folder.path(), "file")),
              "file: bad_value: this is a file, not a folder inside this one");
    EXPECT_EQ(said(inner_file(folder.path(), "link/new")),
              "link: bad_value: this is a link to deep, not a folder inside this one");
    EXPECT_EQ(said(inner_file(folder.path(), "link")),
              "link: bad_value: this is a link to deep, not a file of this folder");
    EXPECT_EQ(said(inner_file(folder.path(), "pipe")),
              "pipe: bad_value: this is a device, a pipe or a socket, not a file of this folder");
    EXPECT_EQ(inner_file(folder.path(), "../x").error().problem,
              "this path leads out of the folder: \"../x\"");
}

TEST(InnerKind, NamesLinksAndSeesNothingBehindThem) {
    const test::TemporaryFolder folder;
    const auto inner = folder.path() / "inner";
    fs::create_directories(inner / "deep");
    std::ofstream(inner / "deep/file") << "text";
    fs::create_directory_symlink("deep", inner / "link");
    ASSERT_EQ(mkfifo((inner / "pipe").c_str(), 0600), 0);
    const auto kind = [&](std::string_view path) { return inner_kind(inner, path); };
    EXPECT_EQ(kind(""), InnerKind::folder);
    EXPECT_EQ(kind("deep"), InnerKind::folder);
    EXPECT_EQ(kind("deep/file"), InnerKind::file);
    EXPECT_EQ(kind("link"), InnerKind::link);
    EXPECT_EQ(kind("pipe"), InnerKind::special);
    for (const auto* path : {"none", "link/file", "deep/file/below", "../inner", "deep/../link"})
        EXPECT_EQ(kind(path), InnerKind::nothing) << path;
}

} // namespace
} // namespace orbis
