#include "capture/made_records_test.hpp"
#include "inspect/file_book.hpp"
#include "inspect/filter_view.hpp"
#include "inspect/ring_book.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orbis::inspect {
namespace {

using namespace std::chrono_literals;
using capture::Side;
using capture::made::Records;

/// Chat messages with their numbers in them; every tenth is a ping.
Records talk(int count) {
    Records made;
    for (int number = 1; number <= count; ++number)
        if (number % 10 == 0)
            made.add(Side::client, "Ping",
                     fmt::format(
                         R"({{"id":{},"lastPingValueRaw":0,"lastPingValueDirect":0,"lastPingValueTick":0}})",
                         number));
        else
            made.add(Side::server, "ChatMessage", fmt::format(R"({{"message":"number {}"}})", number));
    return made;
}

/// The numbers that a book hands out from this one on.
std::vector<std::uint64_t> numbers_from(const PacketBook& book, std::uint64_t from, std::size_t most = 1000) {
    std::vector<std::uint64_t> numbers;
    const auto read = book.read(from, [&](std::uint64_t number, const capture::Record&) {
        numbers.push_back(number);
        return numbers.size() < most;
    });
    EXPECT_TRUE(read) << read.error().text();
    return numbers;
}

Buffer frame_at(const PacketBook& book, std::uint64_t number) {
    Buffer frame;
    (void)book.read(number, [&](std::uint64_t at, const capture::Record& record) {
        if (at == number) frame.assign(record.frame.begin(), record.frame.end());
        return false;
    });
    return frame;
}

Buffer copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

class FileBookTest : public testing::Test {
protected:
    std::unique_ptr<FileBook> open(Bytes content, FileBook::Settings settings = {}) {
        const auto path = folder_ / "file.pcapng";
        std::ofstream(path, std::ios::binary) << as_text(content);
        auto opened = FileBook::open(path, settings);
        EXPECT_TRUE(opened) << opened.error().text();
        return *std::move(opened);
    }
    static void read_all(FileBook& book) {
        while (book.advance([](std::uint64_t, const capture::Record&) { return true; })) {
        }
    }
    orbis::test::TemporaryFolder folder_;
};

TEST(RingBook, HandsOutWhatItWasGiven) {
    const auto made = talk(25);
    RingBook book(1 << 20);
    for (const auto& record : made.all()) book.add(record);
    EXPECT_EQ(numbers_from(book, 1).size(), 25U);
    EXPECT_EQ(numbers_from(book, 24), (std::vector<std::uint64_t>{24, 25}));
    EXPECT_TRUE(numbers_from(book, 26).empty());
    for (std::uint64_t number = 1; number <= 25; ++number)
        EXPECT_EQ(frame_at(book, number), copy_of(made.all()[number - 1].frame));
    const auto extent = book.extent();
    EXPECT_EQ(extent.first, 1U);
    EXPECT_EQ(extent.end, 26U);
    EXPECT_EQ(extent.start, Records::k_start);
    EXPECT_EQ(extent.forgotten, 0U);
}

TEST(RingBook, ForgetsTheOldestAndKeepsTheNumbersOfOthers) {
    const auto made = talk(1000);
    RingBook book(100 * (RingBook::k_packet_cost + 30));
    for (const auto& record : made.all()) book.add(record);
    const auto extent = book.extent();
    EXPECT_EQ(extent.end, 1001U);
    EXPECT_EQ(extent.forgotten, extent.first - 1);
    EXPECT_GT(extent.first, 850U);
    EXPECT_LT(extent.first, 950U);
    EXPECT_EQ(numbers_from(book, 1).front(), extent.first);
    EXPECT_EQ(frame_at(book, 1000), copy_of(made.all()[999].frame));
    EXPECT_EQ(extent.start, Records::k_start) << "times still count from the first that ever came";
}

TEST(RingBook, KeepsOnlyTheHeaderOfAFrameThatWouldFillIt) {
    Records made;
    const auto& large =
        made.add(Side::server, "ChatMessage", fmt::format(R"({{"message":"{}"}})", std::string(2000, 'x')));
    const auto& small = made.add(Side::server, "ChatMessage", R"({"message":"hello"})");
    RingBook book(4000);
    book.add(large);
    book.add(small);
    EXPECT_EQ(frame_at(book, 1).size(), 8U);
    (void)book.read(1, [&](std::uint64_t, const capture::Record& record) {
        EXPECT_EQ(record.id(), large.id());
        EXPECT_EQ(record.length, large.length);
        return false;
    });
    EXPECT_EQ(frame_at(book, 2), copy_of(small.frame));
}

TEST(RingBook, TellsWhatWasDroppedBefore) {
    RingBook book(1000);
    book.note_dropped(3);
    book.note_dropped(4);
    EXPECT_EQ(book.extent().dropped, 7U);
    EXPECT_FALSE(book.extent().is_complete);
    book.finish();
    EXPECT_TRUE(book.extent().is_complete);
}

TEST_F(FileBookTest, ReadsEveryPacketAgainFromThePlaceBeforeIt) {
    const auto made = talk(500);
    for (const auto spacing : std::initializer_list<std::uint64_t>{1, 3, 64, 1000}) {
        const auto book = open(made.file(), {.spacing = spacing});
        read_all(*book);
        EXPECT_EQ(book->extent().end, 501U);
        EXPECT_TRUE(book->extent().is_complete);
        EXPECT_EQ(book->spacing(), spacing);
        for (const auto number :
             std::initializer_list<std::uint64_t>{1, 2, 3, 63, 64, 65, 66, 128, 129, 499, 500})
            EXPECT_EQ(frame_at(*book, number), copy_of(made.all()[number - 1].frame))
                << spacing << " " << number;
        EXPECT_EQ(numbers_from(*book, 1).size(), 500U);
        EXPECT_TRUE(numbers_from(*book, 501).empty());
    }
}

TEST_F(FileBookTest, HasFewerPlacesRatherThanMoreMemory) {
    const auto made = talk(3000);
    const auto book = open(made.file(), {.most_place_bytes = 2000, .spacing = 1});
    read_all(*book);
    EXPECT_GE(book->spacing(), 64U);
    for (std::uint64_t number = 1; number <= 3000; number += 37)
        ASSERT_EQ(frame_at(*book, number), copy_of(made.all()[number - 1].frame)) << number;
}

TEST_F(FileBookTest, HandsOutOnlyWhatWasReadOnce) {
    const auto made = talk(100);
    const auto book = open(made.file());
    std::size_t seen = 0;
    EXPECT_TRUE(book->advance([&](std::uint64_t, const capture::Record&) { return ++seen < 40; }));
    EXPECT_EQ(book->extent().end, 41U);
    EXPECT_EQ(numbers_from(*book, 1).size(), 40U);
    EXPECT_FALSE(book->extent().is_complete);
}

TEST_F(FileBookTest, ShowsEverythingBeforeTheDamage) {
    auto content = talk(100).file();
    content.resize(content.size() - 5);
    const auto book = open(content);
    read_all(*book);
    EXPECT_EQ(book->extent().end, 100U);
    ASSERT_TRUE(book->extent().damage);
    EXPECT_EQ(book->extent().damage->code, Errc::truncated);
    EXPECT_EQ(numbers_from(*book, 1).size(), 99U);
}

TEST_F(FileBookTest, RefusesWhatIsNoCapture) {
    const auto path = folder_ / "text.pcapng";
    std::ofstream(path) << "this is no capture";
    EXPECT_FALSE(FileBook::open(path, {}));
    EXPECT_FALSE(FileBook::open(folder_ / "none", {}));
    EXPECT_EQ(FileBook::open("/dev/zero", {}).error().code, Errc::usage);
}

TEST_F(FileBookTest, LeavesPersonalDataOutUnlessAskedFor) {
    const auto visit = capture::made::visit();
    const auto has_token = [](const PacketBook& book) {
        return as_text(frame_at(book, 1)).find("secret.token.of-ada") != std::string_view::npos;
    };
    const auto shy = open(visit.file());
    read_all(*shy);
    EXPECT_FALSE(has_token(*shy));
    const auto open_one = open(visit.file(), {.keeps_personal = true});
    read_all(*open_one);
    EXPECT_TRUE(has_token(*open_one));
}

TEST_F(FileBookTest, FiltersFindTheSameAsTheirMatcher) {
    const auto made = talk(500);
    const auto book = open(made.file());
    FilterView view(capture::Filter::parse("packet = Ping or ChatMessage.message ~ \"3\"").value());
    read_all(*book);
    while (!view.advance(*book, 1ms)) {
    }
    capture::Matcher matcher(capture::Filter::parse("packet = Ping or ChatMessage.message ~ \"3\"").value());
    std::vector<std::uint64_t> wanted;
    for (std::size_t at = 0; at < made.all().size(); ++at)
        if (matcher.matches(made.all()[at])) wanted.push_back(at + 1);
    const auto state = view.state(*book);
    EXPECT_TRUE(state.is_complete);
    EXPECT_EQ(state.scanned, 500U);
    ASSERT_EQ(state.end, wanted.size());
    std::vector<std::uint64_t> found;
    ASSERT_TRUE(
        view.read(*book, 0, [&](std::uint64_t rank, std::uint64_t number, const capture::Record& record) {
            EXPECT_EQ(rank, found.size());
            EXPECT_TRUE(matcher.matches(record));
            found.push_back(number);
            return true;
        }));
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(view.rank(wanted[10]), 10U);
    EXPECT_EQ(view.number(10), wanted[10]);
}

TEST(FilterView, GoesOnWhenMoreComesAndKeepsRanksWhenTheRingForgets) {
    const auto made = talk(30'000);
    RingBook book(10'000 * (RingBook::k_packet_cost + 40));
    FilterView view(capture::Filter::parse("packet = Ping").value());
    std::size_t added = 0;
    for (const auto& record : made.all()) {
        book.add(record);
        if (++added % 1000 == 0) {
            while (!view.advance(book, 50ms)) {
            }
        }
    }
    const auto state = view.state(book);
    EXPECT_EQ(state.end, 3000U);
    EXPECT_EQ(state.scanned, 30'000U);
    EXPECT_GT(state.first, 1000U);
    EXPECT_EQ(view.number(state.end - 1), 30'000U);
    std::uint64_t seen = state.first;
    ASSERT_TRUE(
        view.read(book, state.first, [&](std::uint64_t rank, std::uint64_t number, const capture::Record&) {
            EXPECT_EQ(rank, seen++);
            EXPECT_EQ(number, (rank + 1) * 10);
            return true;
        }));
    EXPECT_EQ(seen, state.end);
}

TEST(FilterView, WithoutAFilterHasEverything) {
    const auto made = talk(20);
    RingBook book(1 << 20);
    for (const auto& record : made.all()) book.add(record);
    FilterView view(std::nullopt);
    EXPECT_TRUE(view.advance(book, 1ms));
    EXPECT_EQ(view.state(book).end, 20U);
    EXPECT_EQ(view.number(3), 4U);
    EXPECT_EQ(view.rank(4), 3U);
}

} // namespace
} // namespace orbis::inspect
