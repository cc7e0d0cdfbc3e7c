#include "bytes/file_stamp.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orbis {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr FileStamp::Time k_now(1'000'000s);

FileStamp stamp(std::chrono::nanoseconds modified, std::chrono::nanoseconds changed) {
    const auto before = [](std::chrono::nanoseconds age) {
        return static_cast<std::uint64_t>((k_now.time_since_epoch() - age).count());
    };
    return {1, before(modified), before(changed), 1, 1};
}

TEST(FileStamp, IsFreshForTwoSecondsByEitherOfItsTimes) {
    EXPECT_TRUE(stamp(2s, 1h).is_fresh(k_now));
    EXPECT_TRUE(stamp(1h, 2s).is_fresh(k_now));
    EXPECT_FALSE(stamp(2s + 1ns, 2s + 1ns).is_fresh(k_now));
    EXPECT_TRUE(stamp(-9s, 1h).is_fresh(k_now)) << "by a clock that is ahead";
}

TEST(FileStamp, TellsWhetherAFileIsBeingWrittenByTheTimeOfItsContent) {
    EXPECT_TRUE(stamp(2s, 1h).is_being_written(k_now));
    EXPECT_FALSE(stamp(2s + 1ns, 0s).is_being_written(k_now));
    EXPECT_TRUE(stamp(-1s, 1h).is_being_written(k_now)) << "by a clock that is ahead";
}

TEST(FileStamp, EveryPartCounts) {
    const FileStamp all{1, 2, 3, 4, 5};
    for (const auto& other : {FileStamp{9, 2, 3, 4, 5}, FileStamp{1, 9, 3, 4, 5}, FileStamp{1, 2, 9, 4, 5},
                              FileStamp{1, 2, 3, 9, 5}, FileStamp{1, 2, 3, 4, 9}}) {
        EXPECT_NE(other, all);
        EXPECT_NE(other.text(), all.text());
    }
    EXPECT_EQ(all.text(), "1-2-3-4-5");
    EXPECT_FALSE(all.empty());
    EXPECT_TRUE(FileStamp{}.empty());
}

TEST(FileStamp, SeesOtherContentWhoseSizeAndTimeWereKept) {
    const test::TemporaryFolder folder;
    const auto path = folder / "file";
    std::ofstream(path) << "one";
    const auto time = fs::last_write_time(path);
    const auto before = stamp_of(path);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->size, 3U);
    fs::copy_file(path, folder / "kept");
    fs::remove(path);
    fs::rename(folder / "kept", path);
    fs::last_write_time(path, time);
    const auto after = stamp_of(path);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->modified, before->modified);
    EXPECT_NE(after, before);
}

TEST(FileStamp, IsOfPlainFilesOnly) {
    const test::TemporaryFolder folder;
    EXPECT_FALSE(stamp_of(folder.path()));
    EXPECT_FALSE(stamp_of(folder / "nothing"));
}

} // namespace
} // namespace orbis
