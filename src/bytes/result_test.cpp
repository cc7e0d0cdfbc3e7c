#include "bytes/result.hpp"
#include "bytes/system_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis {
namespace {

TEST(Error, SaysPlaceProblemAndAdviceInOneLine) {
    const auto whole = error(Errc::bad_magic, "expected {}, found {}", "A", "B")
                           .in_file("w/0.0.region.bin")
                           .about("region 0.0")
                           .at(20)
                           .advise("run x");
    EXPECT_EQ(whole.text(), "w/0.0.region.bin: region 0.0, offset 20: expected A, found B (run x)");
    EXPECT_EQ(error(Errc::io, "no").text(), "no");
    EXPECT_EQ(error(Errc::io, "no").at(3).text(), "offset 3: no");
}

TEST(Error, TheInnermostPlaceWins) {
    const auto inner = error(Errc::truncated, "short").at(7).in_file("inner").in_file("outer").at(0);
    EXPECT_EQ(inner.file, "inner");
    EXPECT_EQ(inner.offset, 7U);
}

Result<int> half(int value) {
    if (value % 2 != 0) return fail(Errc::bad_value, "{} is odd", value);
    return value / 2;
}

Result<int> quarter(int value) {
    TRY(const int once, half(value));
    TRY(const int twice, half(once));
    return twice;
}

TEST(Try, HandsTheErrorOnOrDeclaresTheValue) {
    EXPECT_EQ(quarter(12).value(), 3);
    EXPECT_EQ(quarter(6).error().problem, "3 is odd");
}

TEST(Error, TheFirstPlaceAndAdviceStay) {
    const auto inner = error(Errc::io, "no")
                           .at(ChunkPos{1, 2})
                           .at(ChunkPos{3, 4})
                           .about("Block")
                           .about("Fluid")
                           .advise("a")
                           .advise("b");
    EXPECT_EQ(inner.chunk, (ChunkPos{1, 2}));
    EXPECT_EQ(inner.part, "Block");
    EXPECT_EQ(inner.advice, "a");
    EXPECT_EQ(inner.text(), "chunk 1,2, Block: no (a)");
    EXPECT_EQ(error(Errc::io, "no").in_file("f").at(0).text(), "f: offset 0: no");
}

/// Scripts rely on these.
TEST(Error, EachCodeHasItsOwnName) {
    using enum Errc;
    const std::vector<std::pair<Errc, std::string_view>> names{{not_found, "not_found"},
                                                               {exists, "exists"},
                                                               {io, "io"},
                                                               {no_space, "no_space"},
                                                               {busy, "busy"},
                                                               {read_only, "read_only"},
                                                               {unknown_kind, "unknown_kind"},
                                                               {unsupported, "unsupported"},
                                                               {truncated, "truncated"},
                                                               {bad_magic, "bad_magic"},
                                                               {bad_value, "bad_value"},
                                                               {out_of_range, "out_of_range"},
                                                               {overlap, "overlap"},
                                                               {bad_frame, "bad_frame"},
                                                               {too_large, "too_large"},
                                                               {too_deep, "too_deep"},
                                                               {bad_text, "bad_text"},
                                                               {mismatch, "mismatch"},
                                                               {usage, "usage"}};
    for (const auto& [code, text] : names) EXPECT_EQ(name(code), text);
}

TEST(SystemError, EachReasonHasItsCodeAndItsAdvice) {
    struct Case {
        int number;
        Errc code;
        Errc of_a_write;
        std::string_view advice;
    };
    for (const auto& [number, code, of_a_write, advice] :
         {Case{ENOSPC, Errc::no_space, Errc::no_space, "free some space"},
          Case{EDQUOT, Errc::no_space, Errc::no_space, "free some space"},
          Case{ENOENT, Errc::not_found, Errc::not_found, "spelling"},
          Case{ENOTDIR, Errc::not_found, Errc::not_found, "spelling"},
          Case{EEXIST, Errc::exists, Errc::exists, ""}, Case{EIO, Errc::io, Errc::io, ""},
          Case{EROFS, Errc::read_only, Errc::read_only, "make the disk writable"},
          Case{EACCES, Errc::io, Errc::read_only, "who owns the world"},
          Case{EPERM, Errc::io, Errc::read_only, "who owns the world"}}) {
        errno = number;
        const auto reading = system_error("open");
        errno = number;
        const auto writing = write_error("open");
        EXPECT_EQ(reading.code, code) << number;
        EXPECT_EQ(writing.code, of_a_write) << number;
        for (const auto& problem : {reading, writing}) {
            EXPECT_TRUE(problem.problem.starts_with("cannot open: ")) << problem.problem;
            EXPECT_NE(problem.advice.find(advice), std::string::npos) << problem.advice;
            EXPECT_EQ(problem.advice.empty(), advice.empty()) << problem.advice;
        }
    }
}

} // namespace
} // namespace orbis
