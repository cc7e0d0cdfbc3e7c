#include "bytes/atomic_file.hpp"
#include "bytes/copy_file.hpp"
#include "bytes/descriptor.hpp"
#include "bytes/file.hpp"
#include "bytes/temporary_folder.hpp"
#include "support/run_and_kill.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace orbis {
namespace {

namespace fs = std::filesystem;

TEST(AtomicFile, NeverTakesThePlaceOfWhatIsNoFile) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::filesystem::create_directory(folder / "folder");
    std::filesystem::create_symlink(folder / "pipe", folder / "link");
    for (const char* name : {"pipe", "folder", "link"}) {
        const auto written = write_file_atomically(folder / name, as_bytes("x"));
        ASSERT_FALSE(written) << name;
        EXPECT_EQ(written.error().code, Errc::exists) << name;
        EXPECT_FALSE(std::filesystem::is_regular_file(folder / name)) << name;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_NE(entry.path().extension(), ".orbis-tmp") << entry.path();
}

TEST(DiskFile, ShowsWhatWasWrittenAlsoAfterItGrew) {
    const test::TemporaryFolder folder;
    auto file = open_file(folder / "f", FileMode::create).value();
    ASSERT_TRUE(file->write(0, as_bytes("hello")));
    const auto early = file->view(0, 5).value();
    ASSERT_TRUE(file->write(100000, as_bytes("world")));
    EXPECT_EQ(as_text(file->view(100000, 5).value().bytes()), "world");
    EXPECT_EQ(as_text(early.bytes()), "hello") << "an old view outlives the growth";
    EXPECT_EQ(file->size().value(), 100005U);
}

TEST(DiskFile, ASmallFileIsReadUpToTheLimit) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "f") << "12345";
    const auto file = open_file(folder / "f", FileMode::read).value();
    EXPECT_EQ(read_text(*file, 5).value(), "12345");
    EXPECT_EQ(read_text(*file, 4).error().code, Errc::too_large);
    EXPECT_EQ(as_text(file->view(5, 0).value().bytes()), "");
    EXPECT_EQ(as_text(file->view(4, 1).value().bytes()), "5");
    EXPECT_EQ(file->view(4, 2).error().code, Errc::truncated);
    EXPECT_EQ(file->view(5, 1).error().code, Errc::truncated);
    const auto window = open_window(open_file(folder / "f", FileMode::read).value(), 1, 3, "window");
    EXPECT_EQ(as_text(window->view(0, 3).value().bytes()), "234");
    EXPECT_EQ(window->view(0, 4).error().code, Errc::truncated);
    EXPECT_EQ(window->view(3, 1).error().code, Errc::truncated);
    EXPECT_EQ(window->view(~std::uint64_t{0}, 1).error().code, Errc::truncated);
}

TEST(DiskFile, AViewPastTheEndIsAnError) {
    const test::TemporaryFolder folder;
    auto file = open_file(folder / "f", FileMode::create).value();
    ASSERT_TRUE(file->write(0, as_bytes("hello")));
    EXPECT_EQ(file->view(3, 3).error().code, Errc::truncated);
    EXPECT_EQ(file->view(~std::uint64_t{0}, 2).error().code, Errc::truncated);
    EXPECT_EQ(file->view(2, ~std::uint64_t{0}).error().code, Errc::truncated);
}

TEST(DiskFile, AFileThatIsCutWhileMappedIsAnErrorAndNotACrash) {
    const test::TemporaryFolder folder;
    auto file = open_file(folder / "f", FileMode::create).value();
    const Buffer pages(5 * 4096, 7);
    ASSERT_TRUE(file->write(0, pages));
    const auto kept = file->view(0, 4096).value();
    const auto lost = file->view(2 * 4096, 4096).value();
    ASSERT_EQ(truncate((folder / "f").c_str(), 4096), 0);
    EXPECT_EQ(kept.bytes()[10], 7);
    EXPECT_EQ(lost.bytes()[10], 0);
    EXPECT_TRUE(file->check(kept));
    EXPECT_EQ(file->check(lost).error().code, Errc::io);
}

TEST(DiskFile, ABudgetGivesPagesBackWithoutHarmToViews) {
    const test::TemporaryFolder folder;
    const auto budget = make_mapping_budget(256 * 1024);
    auto file = open_file(folder / "f", FileMode::create, budget).value();
    Buffer data(2 << 20);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7 >> 3);
    ASSERT_TRUE(file->write(0, data));
    const auto first = file->view(0, 4096).value();
    for (std::size_t at = 0; at + 4096 <= data.size(); at += 4096) {
        const auto view = file->view(at, 4096).value();
        ASSERT_TRUE(
            std::equal(view.bytes().begin(), view.bytes().end(), data.begin() + static_cast<long>(at)));
    }
    EXPECT_TRUE(std::equal(first.bytes().begin(), first.bytes().end(), data.begin()));
}

TEST(OpenFile, ErrorsNameThePathAndTheReason) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(open_file(folder / "none", FileMode::read).error().code, Errc::not_found);
    EXPECT_EQ(open_file(folder.path(), FileMode::read).error().code, Errc::unknown_kind);
    std::ofstream(folder / "there") << "x";
    const auto twice = open_file(folder / "there", FileMode::create).error();
    EXPECT_EQ(twice.code, Errc::exists);
    EXPECT_EQ(twice.file, (folder / "there").string());
}

TEST(AtomicFile, ReplacesTheWholeContent) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "f", as_bytes("a long first content")));
    ASSERT_TRUE(write_file_atomically(folder / "f", as_bytes("short")));
    EXPECT_EQ(read_text(*open_file(folder / "f", FileMode::read).value(), 100).value(), "short");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "no temporary file stays";
}

/// Runs `act` in a process of its own that may write files of at most `room` bytes; whether it succeeded.
template <typename Act>
bool succeeds_with_room(rlim_t room, const Act& act) {
    const auto child = fork();
    if (child == 0) {
        (void)std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{room, room};
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(act() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(AtomicFile, WithoutRoomTheOldContentStaysAndNothingElse) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "f", as_bytes("old")));
    const std::string text(1000, 'n');
    for (const rlim_t room : {0U, 1U, 999U}) {
        EXPECT_FALSE(succeeds_with_room(
            room, [&] { return write_file_atomically(folder / "f", as_bytes(text)).has_value(); }));
        EXPECT_EQ(read_text(*open_file(folder / "f", FileMode::read).value(), 100).value(), "old");
        EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
    }
}

TEST(AtomicFile, AKillAtAnyMomentLeavesOneWholeVersion) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder / "f", Buffer(20000, 1)));
    std::uint8_t version = 1;
    const auto write = [&] { (void)write_file_atomically(folder / "f", Buffer(20000, version)); };
    const auto moments = test::count_moments(write);
    EXPECT_GT(moments, 10);
    std::set<char> found;
    int killed = 0;
    for (std::int64_t moment = 0; moment < moments; ++moment) {
        ++version;
        killed += test::run_and_kill(write, moment) == moment ? 1 : 0;
        const auto text = read_text(*open_file(folder / "f", FileMode::read).value(), 1 << 20).value();
        ASSERT_EQ(text.size(), 20000U);
        ASSERT_EQ(text, std::string(20000, text.front()));
        found.insert(text.front());
    }
    EXPECT_GT(found.size(), 1U) << "at the end the new one is there";
    EXPECT_GT(killed, moments / 2);
}

TEST(CreateFolders, MakesEveryLevelAndTakesWhatIsThere) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(create_folders(folder / "a" / "b" / "c"));
    EXPECT_TRUE(fs::is_directory(folder / "a" / "b" / "c"));
    EXPECT_TRUE(create_folders(folder / "a" / "b" / "c"));
    std::ofstream(folder / "file") << "x";
    EXPECT_FALSE(create_folders(folder / "file" / "below"));
}

TEST(AtomicFile, PlacingNeverOverwrites) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a") << "a";
    std::ofstream(folder / "b") << "b";
    EXPECT_EQ(place_file(folder / "a", folder / "b").error().code, Errc::exists);
    EXPECT_TRUE(place_file(folder / "a", folder / "c"));
}

TEST(AtomicFile, OwnerPermissionsAndLinksStay) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "elsewhere");
    std::ofstream(folder / "elsewhere" / "real") << "old";
    ASSERT_EQ(chmod((folder / "elsewhere" / "real").c_str(), 0640), 0);
    const bool is_root = geteuid() == 0;
    if (is_root) {
        ASSERT_EQ(chown((folder / "elsewhere" / "real").c_str(), 65534, 65534), 0);
    }
    fs::create_symlink(folder / "elsewhere" / "real", folder / "link");
    ASSERT_TRUE(write_file_atomically(folder / "link", as_bytes("new")));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_text(*open_file(folder / "elsewhere" / "real", FileMode::read).value(), 10).value(),
              "new");
    struct stat status{};
    ASSERT_EQ(stat((folder / "link").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U);
    EXPECT_EQ(status.st_uid, is_root ? 65534U : geteuid());
}

/// A file of a gigabyte, of which only two bytes were ever written.
fs::path make_sparse(const fs::path& path) {
    const auto file = open_file(path, FileMode::create).value();
    EXPECT_TRUE(file->write(0, as_bytes("a")));
    EXPECT_TRUE(file->write((1 << 30) - 1, as_bytes("z")));
    return path;
}

std::uint64_t space_of(const fs::path& path) {
    struct stat status{};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

TEST(CopyFile, HolesStayHoles) {
    const test::TemporaryFolder folder;
    const auto from = open_file(make_sparse(folder / "from"), FileMode::read).value();
    EXPECT_EQ(from->next_data(0).value().begin, 0U);
    EXPECT_GT(from->next_data(1 << 20).value().begin, 1U << 29);
    EXPECT_EQ(from->next_data(1 << 30).value(), (Extent{1 << 30, 1 << 30}));
    ASSERT_TRUE(copy_file(*from, folder / "to", std::nullopt));
    const auto copy = open_file(folder / "to", FileMode::read).value();
    EXPECT_EQ(copy->size().value(), 1U << 30);
    EXPECT_EQ(as_text(copy->view((1 << 30) - 1, 1).value().bytes()), "z");
    EXPECT_LT(space_of(folder / "to"), 1U << 20);
    // A hole at the end has no byte after it that says how long the file is.
    ASSERT_EQ(truncate((folder / "from").c_str(), (1 << 30) + 5), 0);
    ASSERT_TRUE(copy_file(*from, folder / "to", std::nullopt));
    EXPECT_EQ(fs::file_size(folder / "to"), (1U << 30) + 5);
}

TEST(CopyFile, PermissionsAreKeptAndNothingIsWrittenThroughALink) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "from") << "secret";
    fs::create_symlink(folder / "victim", folder / "to.orbis-tmp");
    const auto from = open_file(folder / "from", FileMode::read).value();
    ASSERT_TRUE(copy_file(*from, folder / "to", fs::perms{0600}));
    EXPECT_EQ(fs::status(folder / "to").permissions(), fs::perms{0600});
    EXPECT_FALSE(fs::exists(folder / "victim"));
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "to.orbis-tmp")));
    ASSERT_TRUE(copy_folder(folder / "closed", fs::perms{0500}));
    EXPECT_EQ(fs::status(folder / "closed").permissions(), fs::perms{0700}) << "files come into it";
    ASSERT_TRUE(copy_link("/nowhere/at/all", folder / "link"));
    ASSERT_TRUE(copy_link("/nowhere/at/all", folder / "link")) << "it is there already";
    EXPECT_FALSE(copy_link("/elsewhere", folder / "link"));
    EXPECT_EQ(fs::read_symlink(folder / "link"), "/nowhere/at/all");
    EXPECT_FALSE(copy_folder(folder / "link", std::nullopt));
}

TEST(AtomicFile, EveryKindOfPermissionStays) {
    const test::TemporaryFolder folder;
    for (const mode_t mode : {0600U, 0444U, 0666U, 0755U, 02660U, 04750U, 01644U}) {
        std::ofstream(folder / "f") << "old";
        ASSERT_EQ(chmod((folder / "f").c_str(), mode), 0);
        ASSERT_TRUE(write_file_atomically(folder / "f", as_bytes("new")));
        struct stat status{};
        ASSERT_EQ(stat((folder / "f").c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, mode);
        fs::remove(folder / "f");
    }
}

/// A disk that shows zeros and admits it only when asked.
class DyingFile final : public File {
public:
    explicit DyingFile(std::size_t size) : bytes_(size) {}
    const std::string& name() const override { return name_; }
    Result<std::uint64_t> size() const override { return bytes_.size(); }
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        return FileView(Bytes(bytes_).subspan(offset, length), nullptr);
    }
    Result<void> check(const FileView&) const override { return fail(Errc::io, "the disk is dying"); }
    Result<void> write(std::uint64_t, std::span<const Bytes>) override { return {}; }
    Result<void> sync() override { return {}; }

private:
    Buffer bytes_;
    std::string name_ = "dying";
};

TEST(DyingFile, IsNeverTakenForZeros) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(read_text(DyingFile(10), 100).error().code, Errc::io);
    std::ofstream(folder / "to") << "old";
    EXPECT_EQ(copy_file(DyingFile(10), folder / "to", std::nullopt).error().code, Errc::io);
    EXPECT_EQ(read_text(*open_file(folder / "to", FileMode::read).value(), 10).value(), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(CopyFile, LargeFilesAreCopiedToTheByte) {
    const test::TemporaryFolder folder;
    constexpr std::size_t piece = 4 << 20;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, piece, 2 * piece + 1}) {
        fs::remove(folder / "from");
        auto from = open_file(folder / "from", FileMode::create).value();
        Buffer content(size);
        for (std::size_t i = 0; i < size; ++i)
            content[i] = static_cast<std::uint8_t>(i ^ i >> 8 ^ i >> 17) | 1;
        ASSERT_TRUE(from->write(0, content));
        ASSERT_TRUE(copy_file(*from, folder / "to", std::nullopt));
        const auto to = open_file(folder / "to", FileMode::read).value();
        ASSERT_EQ(to->size().value(), size);
        const auto view = to->view(0, size).value();
        EXPECT_TRUE(std::ranges::equal(view.bytes(), content)) << size;
    }
}

TEST(DiskFile, AHoleAtTheEndHasNoData) {
    const test::TemporaryFolder folder;
    const auto file = open_file(folder / "f", FileMode::create).value();
    ASSERT_TRUE(file->write(0, as_bytes("a")));
    ASSERT_EQ(truncate((folder / "f").c_str(), 1 << 20), 0);
    EXPECT_EQ(file->next_data(1 << 19).value(), (Extent{1 << 20, 1 << 20}));
    EXPECT_EQ(file->next_data(2 << 20).value(), (Extent{1 << 20, 1 << 20}));
    const auto whole = open_window(open_file(folder / "f", FileMode::read).value(), 10, 20, "window");
    EXPECT_EQ(whole->next_data(5).value(), (Extent{5, 20}));
    EXPECT_EQ(whole->write(0, as_bytes("x")).error().code, Errc::read_only);
    EXPECT_EQ(whole->sync().error().code, Errc::read_only);
}

TEST(DiskFile, ErrorsSayWhere) {
    const test::TemporaryFolder folder;
    const auto file = open_file(folder / "f", FileMode::create).value();
    ASSERT_TRUE(file->write(0, Buffer(5 * 4096, 7)));
    const auto past = file->view(4096, 5 * 4096).error();
    EXPECT_EQ(past.offset, 4096U);
    EXPECT_EQ(past.file, (folder / "f").string());
    EXPECT_NE(past.problem.find("20480"), std::string::npos) << past.problem;
    const auto lost = file->view(2 * 4096, 100).value();
    ASSERT_EQ(truncate((folder / "f").c_str(), 4096), 0);
    EXPECT_EQ(lost.bytes()[10], 0);
    EXPECT_EQ(file->check(lost).error().offset, 2U * 4096);
    EXPECT_EQ(open_file(folder / "f", FileMode::read).value()->write(0, as_bytes("x")).error().code,
              Errc::read_only);
}

/// What `act` returns if nobody is root.
template <typename Act>
int as_nobody(const Act& act) {
    const auto child = fork();
    if (child == 0) _exit(setgid(65534) == 0 && setuid(65534) == 0 ? act() : 99);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OpenFile, AFileThatMayNotBeWrittenIsReadOnly) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    const test::TemporaryFolder folder;
    std::ofstream(folder / "f") << "x";
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    ASSERT_EQ(chmod((folder / "f").c_str(), 0644), 0);
    EXPECT_EQ(as_nobody([&] { return open_file(folder / "f", FileMode::read) ? 0 : 1; }), 0);
    EXPECT_EQ(as_nobody([&] {
                  const auto file = open_file(folder / "f", FileMode::write);
                  return file ? 1 : file.error().code == Errc::read_only ? 0 : 2;
              }),
              0);
}

TEST(CreateFolders, AFileInThePlaceOfTheFolderIsSaid) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "file") << "x";
    fs::create_symlink("nowhere", folder / "dangling");
    for (const char* name : {"file", "dangling"}) {
        const auto made = create_folders(folder / name);
        ASSERT_FALSE(made) << name;
        EXPECT_EQ(made.error().code, Errc::exists) << name;
        EXPECT_EQ(made.error().file, (folder / name).string());
    }
    fs::create_directory(folder / "real");
    fs::create_directory_symlink("real", folder / "link");
    EXPECT_TRUE(create_folders(folder / "link"));
}

TEST(AtomicFile, WhatRootWritesBelongsToWhomItBelonged) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    const test::TemporaryFolder folder;
    const auto owner_of = [](const fs::path& path) {
        struct stat status{};
        EXPECT_EQ(stat(path.c_str(), &status), 0);
        return std::pair(status.st_uid, status.st_gid);
    };
    for (const auto& [user, group] :
         {std::pair<uid_t, gid_t>{65534, 0}, {0, 65534}, {65533, 65534}, {0, 0}}) {
        std::ofstream(folder / "f") << "old";
        ASSERT_EQ(chown((folder / "f").c_str(), user, group), 0);
        ASSERT_TRUE(write_file_atomically(folder / "f", as_bytes("new")));
        EXPECT_EQ(owner_of(folder / "f"), std::pair(user, group));
        fs::remove(folder / "f");
    }
    // A new file belongs to the owner of its folder.
    fs::create_directory(folder / "theirs");
    ASSERT_EQ(chown((folder / "theirs").c_str(), 65533, 65534), 0);
    std::ofstream(folder / "new") << "new";
    ASSERT_TRUE(place_file(folder / "new", folder / "theirs" / "new"));
    EXPECT_EQ(owner_of(folder / "theirs" / "new"), (std::pair<uid_t, gid_t>(65533, 65534)));
}

TEST(Descriptor, IsClosedOnceAndByItsLastOwner) {
    const auto is_open = [](int number) { return fcntl(number, F_GETFD) != -1; };
    const int first = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int second = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    {
        Descriptor a(first);
        Descriptor moved(std::move(a));
        EXPECT_EQ(moved.number(), first);
        EXPECT_FALSE(static_cast<bool>(a)); // NOLINT(bugprone-use-after-move)
        {
            Descriptor b(second);
            moved = std::move(b);
        }
        EXPECT_FALSE(is_open(first));
        EXPECT_EQ(moved.release(), second);
        EXPECT_FALSE(static_cast<bool>(moved));
    }
    EXPECT_TRUE(is_open(second)) << "it was given away";
    close(second);
}

TEST(TemporaryFolder, GoesWithEverythingInIt) {
    fs::path path;
    {
        auto made = TemporaryFolder::make("test").value();
        path = made.path();
        fs::create_directories(path / "a");
        std::ofstream(path / "a/b") << "x";
        const TemporaryFolder moved(std::move(made));
        EXPECT_EQ(moved.path(), path);
        EXPECT_TRUE(fs::exists(path / "a/b"));
    }
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(TemporaryFolder().path().empty());
}

} // namespace
} // namespace orbis
