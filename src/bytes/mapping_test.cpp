#include "bytes/file.hpp"
#include "bytes/mapping.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

namespace orbis {
namespace {

constexpr std::size_t k_lost_page = 4096;

std::unique_ptr<File> file_of_pages(const std::filesystem::path& path, std::size_t pages) {
    auto file = open_file(path, FileMode::create).value();
    EXPECT_TRUE(file->write(0, Buffer(pages * k_lost_page, 7)));
    return file;
}

TEST(Mapping, AViewIsLostWithAnyOfItsPages) {
    const test::TemporaryFolder folder;
    const auto file = file_of_pages(folder / "f", 6);
    const auto view = [&](std::size_t begin, std::size_t end) {
        return file->view(begin, end - begin).value();
    };
    const auto all = view(0, 6 * k_lost_page);
    ASSERT_EQ(truncate((folder / "f").c_str(), 3 * k_lost_page), 0);
    EXPECT_EQ(all.bytes()[4 * k_lost_page + 100], 0); // only page 4 is read
    constexpr auto page = 4 * k_lost_page;
    for (const auto& [begin, end] : {std::pair{page, page + 1},
                                     {page + k_lost_page - 1, page + k_lost_page},
                                     {page - 1, page + 1},
                                     {page + k_lost_page - 1, page + k_lost_page + 1},
                                     {std::size_t{0}, 6 * k_lost_page}})
        EXPECT_FALSE(file->check(FileView(all.bytes().subspan(begin, end - begin), all.owner()))) << begin;
    for (const auto& [begin, end] : {std::pair{page - 1, page},
                                     {std::size_t{0}, page},
                                     {page + k_lost_page, page + k_lost_page + 1},
                                     {page, page}})
        EXPECT_TRUE(file->check(FileView(all.bytes().subspan(begin, end - begin), all.owner()))) << begin;
}

TEST(Mapping, AfterTooManyLostPagesNothingIsBelieved) {
    const test::TemporaryFolder folder;
    const auto file = file_of_pages(folder / "f", 70);
    const auto all = file->view(0, 70 * k_lost_page).value();
    const FileView first(all.bytes().first(10), all.owner());
    ASSERT_EQ(truncate((folder / "f").c_str(), k_lost_page), 0);
    const auto lose = [&](std::size_t page) { return all.bytes()[page * k_lost_page]; };
    for (std::size_t page = 1; page <= 64; ++page) ASSERT_EQ(lose(page), 0);
    EXPECT_TRUE(file->check(first)) << "64 pages can be told apart";
    ASSERT_EQ(lose(65), 0);
    EXPECT_FALSE(file->check(first));
}

TEST(Mapping, IsProtectedHoweverManyThereWereBefore) {
    const test::TemporaryFolder folder;
    (void)file_of_pages(folder / "f", 2);
    for (int i = 0; i < 1100; ++i) ASSERT_TRUE(open_file(folder / "f", FileMode::read).value()->view(0, 1));
    const auto file = open_file(folder / "f", FileMode::read).value();
    const auto view = file->view(k_lost_page, 1).value();
    ASSERT_EQ(truncate((folder / "f").c_str(), 1), 0);
    EXPECT_EQ(view.bytes()[0], 0);
    EXPECT_FALSE(file->check(view));
}

/// The memory of this process that a mapping takes, in KiB.
std::size_t resident(const Mapping& mapping) {
    std::ifstream maps("/proc/self/smaps");
    char start[32];
    (void)std::snprintf(start, sizeof start, "%lx-", reinterpret_cast<unsigned long>(mapping.data()));
    bool is_ours = false;
    for (std::string line; std::getline(maps, line);) {
        if (line.starts_with(start)) is_ours = true;
        if (is_ours && line.starts_with("Rss:")) return std::stoul(line.substr(4));
    }
    return std::numeric_limits<std::size_t>::max();
}

TEST(Mapping, BlocksAreNotedOnceAndGivenBack) {
    const test::TemporaryFolder folder;
    constexpr auto block = Mapping::k_block;
    std::ofstream(folder / "f") << std::string(130 * block + 1, 'x');
    const int descriptor = ::open((folder / "f").c_str(), O_RDONLY | O_CLOEXEC);
    const auto mapping = Mapping::map(descriptor, 130 * block + 1);
    close(descriptor);
    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping->touch(0, 1), 1U);
    EXPECT_EQ(mapping->touch(0, block), 0U);
    EXPECT_EQ(mapping->touch(block - 1, 2), 1U) << "the second block";
    EXPECT_EQ(mapping->touch(4 * block, 2 * block), 2U);
    EXPECT_EQ(mapping->touch(3 * block, 4 * block), 2U) << "those on both sides";
    EXPECT_EQ(mapping->touch(130 * block, 1), 1U) << "the last one, of one byte";
    EXPECT_EQ(mapping->touch(0, 130 * block + 1), 131U - 7);
    std::size_t sum = 0;
    for (std::size_t at = 0; at < mapping->size(); at += k_lost_page) sum += mapping->data()[at];
    EXPECT_GT(sum, 0U);
    EXPECT_GT(resident(*mapping), 4096U);
    mapping->drop_pages();
    EXPECT_EQ(resident(*mapping), 0U);
    EXPECT_EQ(mapping->touch(0, 130 * block + 1), 131U);

    MappingBudget budget(2 * block);
    mapping->drop_pages();
    budget.add(mapping);
    budget.touch(*mapping, 0, 2 * block);
    EXPECT_EQ(mapping->touch(0, 2 * block), 0U) << "as much as there may be";
    budget.touch(*mapping, 2 * block, 1);
    EXPECT_EQ(mapping->touch(0, 1), 1U) << "more: all was given back";
    mapping->drop_pages();
    budget.touch(*mapping, 0, 2 * block);
    EXPECT_EQ(mapping->touch(0, 2 * block), 0U) << "and the count begins again";
}

TEST(Reader, RemembersFailureAndStaysWhereItWas) {
    const Buffer bytes{1, 2, 3, 4, 5};
    Reader in(bytes);
    EXPECT_EQ(in.be<std::uint16_t>(), 0x0102);
    EXPECT_EQ(in.le<std::uint16_t>(), 0x0403);
    EXPECT_EQ(in.remaining(), 1U);
    EXPECT_EQ(in.be<std::uint16_t>(), 0);
    EXPECT_FALSE(in.ok());
    EXPECT_EQ(in.position(), 4U);
    EXPECT_EQ(in.u8(), 0) << "it is there, but something before it was not";
    EXPECT_TRUE(in.take(1).empty());
    EXPECT_TRUE(in.take(0).empty());
    EXPECT_EQ(in.position(), 4U);
    EXPECT_EQ(in.rest().size(), 1U);
    Reader whole(bytes);
    EXPECT_EQ(whole.take(5).size(), 5U);
    EXPECT_TRUE(whole.ok());
    whole.skip(0);
    EXPECT_TRUE(whole.ok());
    whole.skip(1);
    EXPECT_FALSE(whole.ok());
    Reader most(bytes);
    EXPECT_TRUE(most.take(std::numeric_limits<std::size_t>::max()).empty());
    EXPECT_FALSE(most.ok());
}

TEST(Writer, AppendsEachOrderAndZeros) {
    Buffer bytes{9};
    Writer out(bytes);
    out.be<std::int32_t>(-2);
    out.le<std::uint16_t>(0x0102);
    out.zeros(2);
    out.bytes({});
    out.be(1.0F);
    out.u8(7);
    EXPECT_EQ(bytes, (Buffer{9, 0xFF, 0xFF, 0xFF, 0xFE, 2, 1, 0, 0, 0x3F, 0x80, 0, 0, 7}));
    EXPECT_EQ(out.position(), 14U);
}

} // namespace
} // namespace orbis
