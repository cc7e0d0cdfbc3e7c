#include "storage/region_store.hpp"
#include "storage/stores_test.hpp"
#include "storage/write_lock.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;
using test_stores::writing;

/// A process that does something, says so, and waits until the test ends it.
class Child {
public:
    template <typename Act>
    explicit Child(const Act& act) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) return;
        process_ = fork();
        if (process_ == 0) {
            const char done = act() ? 'y' : 'n';
            (void)!::write(ends[1], &done, 1);
            while (true) pause();
        }
        close(ends[1]);
        char answer = 0;
        acted_ = ::read(ends[0], &answer, 1) == 1 && answer == 'y';
        close(ends[0]);
    }
    ~Child() { stop(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void stop() {
        if (process_ <= 0) return;
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        process_ = -1;
    }
    [[nodiscard]] bool acted() const { return acted_; }
    [[nodiscard]] pid_t process() const { return process_; }

private:
    pid_t process_ = -1;
    bool acted_ = false;
};

TEST(WriteLock, TwoWritersInOneProcess) {
    const test::TemporaryFolder folder;
    const Folder place(open_disk_tree(folder.path()));
    auto first = open_region_store(place, writing());
    ASSERT_TRUE(first);
    for (const bool force : {false, true}) {
        const auto second = open_region_store(place, writing(SyncPolicy::each, force));
        ASSERT_FALSE(second) << "not even by force";
        EXPECT_EQ(second.error().code, Errc::busy);
        EXPECT_EQ(second.error().file, folder.path().string());
    }
    EXPECT_TRUE(open_region_store(place, {})) << "readers are welcome";
    first->reset();
    EXPECT_TRUE(open_region_store(place, writing()));
}

TEST(WriteLock, AWriterInAnotherProcessAndItsDeath) {
    const test::TemporaryFolder folder;
    const Folder place(open_disk_tree(folder.path()));
    Child other([&] {
        static auto store = open_region_store(place, writing());
        return store && (*store)->write({0, 0}, as_bytes("x")).has_value();
    });
    ASSERT_TRUE(other.acted());
    EXPECT_EQ(open_region_store(place, writing()).error().code, Errc::busy);
    EXPECT_EQ(open_region_store(place, writing(SyncPolicy::each, true)).error().code, Errc::busy);
    other.stop();
    const auto store = open_region_store(place, writing());
    ASSERT_TRUE(store) << store.error().text();
    ReadContext context;
    EXPECT_EQ(as_text((*store)->read({0, 0}, context).value().value()), "x");
}

TEST(WriteLock, AnOrbisThatOnlyReadsIsNoHindrance) {
    const test::TemporaryFolder folder;
    const Folder place(open_disk_tree(folder.path()));
    { // something to read
        const auto store = open_region_store(place, writing());
        ASSERT_TRUE(store && (*store)->write({0, 0}, as_bytes("x")));
    }
    const Child reader([&] {
        prctl(PR_SET_NAME, "orbis");
        static auto store = open_region_store(place, {});
        static ReadContext context;
        return store && (*store)->read({0, 0}, context).has_value();
    });
    ASSERT_TRUE(reader.acted());
    ASSERT_FALSE(users_of(folder.path()).empty());
    const auto store = open_region_store(place, writing());
    EXPECT_TRUE(store) << store.error().text();
}

TEST(WriteLock, AProcessThatHasAFileOpenIsNamed) {
    const test::TemporaryFolder folder;
    const auto chunks = folder / "chunks";
    fs::create_directory(chunks);
    const auto file = chunks / "0.0.region.bin";
    std::ofstream(file) << "x";
    const Folder place(open_disk_tree(chunks));
    const auto opens = [&] { return open(file.c_str(), O_RDWR) >= 0; };
    const auto maps = [&] { // as the game's index table: mapped, and the descriptor closed
        const int descriptor = open(file.c_str(), O_RDONLY);
        void* const mapped = mmap(nullptr, 1, PROT_READ, MAP_SHARED, descriptor, 0);
        close(descriptor);
        return mapped != MAP_FAILED;
    };
    for (const std::function<bool()>& use : {std::function<bool()>(opens), std::function<bool()>(maps)}) {
        Child server(use);
        ASSERT_TRUE(server.acted());
        const auto store = open_region_store(place, writing());
        ASSERT_FALSE(store);
        EXPECT_EQ(store.error().code, Errc::busy);
        const auto line = store.error().text();
        EXPECT_NE(line.find(std::to_string(server.process())), std::string::npos) << line;
        EXPECT_NE(line.find("storage_tests"), std::string::npos) << line;
        EXPECT_NE(line.find("0.0.region.bin"), std::string::npos) << line;
        EXPECT_NE(line.find("--force"), std::string::npos) << line;
        EXPECT_TRUE(open_region_store(place, writing(SyncPolicy::each, true)));
        EXPECT_TRUE(open_region_store(place, {}));
        server.stop();
        EXPECT_TRUE(open_region_store(place, writing()));
    }
}

TEST(WriteLock, AFileThatOnlyLooksAlikeIsNoReason) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "chunks");
    fs::create_directory(folder / "chunks2");
    std::ofstream(folder / "chunks2" / "0.0.region.bin") << "x";
    Child server([&] { return open((folder / "chunks2" / "0.0.region.bin").c_str(), O_RDWR) >= 0; });
    ASSERT_TRUE(server.acted());
    EXPECT_TRUE(open_region_store(Folder(open_disk_tree(folder / "chunks")), writing()));
    EXPECT_FALSE(open_region_store(Folder(open_disk_tree(folder / "chunks2")), writing()));
}

TEST(WriteLock, AlsoThroughALink) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "real");
    std::ofstream(folder / "real" / "0.0.region.bin") << "x";
    fs::create_directory_symlink(folder / "real", folder / "link");
    Child server([&] { return open((folder / "real" / "0.0.region.bin").c_str(), O_RDWR) >= 0; });
    ASSERT_TRUE(server.acted());
    EXPECT_EQ(open_region_store(Folder(open_disk_tree(folder / "link")), writing()).error().code, Errc::busy);
}

TEST(WriteLock, AlsoUnderAnotherPathAsInAContainer) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "chunks");
    fs::create_directory(folder / "elsewhere");
    std::ofstream(folder / "chunks" / "0.0.region.bin") << "x";
    fs::create_hard_link(folder / "chunks" / "0.0.region.bin", folder / "elsewhere" / "mounted");
    Child server([&] { return open((folder / "elsewhere" / "mounted").c_str(), O_RDWR) >= 0; });
    ASSERT_TRUE(server.acted());
    EXPECT_EQ(open_region_store(Folder(open_disk_tree(folder / "chunks")), writing()).error().code,
              Errc::busy);
}

TEST(WriteLock, AMissingFolderIsSaid) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(WriteLock::take(folder / "none", false).error().code, Errc::not_found);
}

TEST(WriteLock, OnlyOrbisItselfIsTakenForAReader) {
    const test::TemporaryFolder folder;
    const auto file = folder / "0.0.region.bin";
    std::ofstream(file) << "x";
    for (const char* program : {"orbisd", "rbis", "java"}) {
        const Child server([&] {
            prctl(PR_SET_NAME, program);
            return open(file.c_str(), O_RDWR) >= 0;
        });
        ASSERT_TRUE(server.acted());
        const auto taken = WriteLock::take(folder.path(), false);
        ASSERT_FALSE(taken) << program;
        EXPECT_NE(taken.error().text().find(program), std::string::npos) << taken.error().text();
        const auto users = users_of(file);
        ASSERT_EQ(users.size(), 1U);
        EXPECT_EQ(users[0].process, server.process());
        EXPECT_EQ(users[0].program, program);
        EXPECT_EQ(users[0].file, file.string());
    }
}

TEST(WriteLock, WhereOneFileIsWatchedOthersMayBeOpen) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a") << "x";
    std::ofstream(folder / "b") << "x";
    const Child server([&] { return open((folder / "a").c_str(), O_RDWR) >= 0; });
    ASSERT_TRUE(server.acted());
    EXPECT_EQ(WriteLock::take(folder.path(), false).error().code, Errc::busy);
    EXPECT_EQ(WriteLock::take(folder.path(), false, folder / "a").error().code, Errc::busy);
    auto lock = WriteLock::take(folder.path(), false, folder / "b").value();
    EXPECT_FALSE(WriteLock::take(folder.path(), true)) << "the lock is that of the folder";
    {
        const auto moved = std::move(lock);
    }
    EXPECT_TRUE(WriteLock::take(folder.path(), true)) << "it went away with its last owner";
}

TEST(WriteLock, AFolderThatMayNotBeWrittenIsSaidBeforeAnythingIsDone) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    const test::TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms{0755});
    const auto child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
        const auto taken = WriteLock::take(folder.path(), false);
        _exit(taken ? 1 : taken.error().code == Errc::read_only ? 0 : 2);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

} // namespace
} // namespace orbis::storage
