// Readers beside a writer, and writers that are killed.

#include "storage/region_store.hpp"
#include "storage/stores_test.hpp"
#include "storage/walk.hpp"
#include "support/documents.hpp"
#include "support/region_images.hpp"
#include "support/run_and_kill.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace orbis::storage {
namespace {

using test_stores::policy_name;
using test_stores::writing;

constexpr std::array<ChunkPos, 5> k_chunks{{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {-40, 3}}};

std::unique_ptr<RegionStore> open_for_writing(const std::filesystem::path& folder, SyncPolicy sync) {
    return open_region_store(Folder(open_disk_tree(folder)), writing(sync, true)).value();
}

/// A document of some other length for each version, so that runs move and are reused.
Buffer document_of(std::uint32_t version) {
    return test::stamped_document(version, 10 + version * 7919 % 9000);
}

class ThreadsTest : public testing::TestWithParam<SyncPolicy> {};
INSTANTIATE_TEST_SUITE_P(RegionStore, ThreadsTest,
                         testing::Values(SyncPolicy::each, SyncPolicy::batch, SyncPolicy::none), policy_name);

TEST_P(ThreadsTest, EachReadBesideAWriterGivesOneWholeVersion) {
    const test::TemporaryFolder folder;
    const auto store = open_for_writing(folder.path(), GetParam());
    for (const auto pos : k_chunks) ASSERT_TRUE(store->write(pos, document_of(1)));
    std::atomic<bool> done = false;
    std::atomic<int> broken = 0;
    std::atomic<int> reads = 0;
    std::atomic<std::uint32_t> written = 1;
    const auto read = [&](bool frames) {
        ReadContext context;
        Decompressor decompressor;
        std::array<std::uint32_t, k_chunks.size()> seen{};
        for (std::size_t i = 0; !done; i = (i + 1) % k_chunks.size()) {
            std::optional<std::uint32_t> version;
            if (!frames) {
                const auto document = store->read(k_chunks[i], context);
                if (document && *document) version = test::stamp_of(**document);
            } else if (const auto frame = store->read_compressed(k_chunks[i], context); frame && *frame) {
                const auto later = written + k_chunks.size() + 1; // each chunk is written over meanwhile
                while (!done && written < later) std::this_thread::yield();
                const auto document = decompressor.decompress((*frame)->bytes, (*frame)->raw_size, 1 << 20);
                if (document) version = test::stamp_of(*document);
            }
            if (!version || *version < seen[i])
                ++broken;
            else
                seen[i] = *version;
            ++reads;
        }
    };
    std::vector<std::jthread> readers;
    for (const bool frames : {false, true, true}) readers.emplace_back(read, frames);
    bool writes = true;
    for (std::uint32_t version = 2; writes && (version < 500 || reads < 200); ++version) {
        writes = store->write(k_chunks[version % k_chunks.size()], document_of(version)).has_value();
        if (version % 50 == 0) writes = writes && store->sync().has_value();
        written = version;
    }
    done = true;
    readers.clear();
    EXPECT_TRUE(writes);
    EXPECT_EQ(broken, 0);
}

/// What a killed process told through a pipe.
template <typename Number>
class Told {
public:
    Told() { EXPECT_EQ(pipe(ends_.data()), 0); }
    ~Told() {
        for (const int end : ends_) close(end);
    }
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    [[nodiscard]] int end_of_child() const { return ends_[1]; }
    /// The last number that it told, once it is gone.
    std::optional<Number> last() {
        close(std::exchange(ends_[1], -1));
        std::optional<Number> last;
        for (Number number{}; read(ends_[0], &number, sizeof number) == ssize_t{sizeof number};)
            last = number;
        return last;
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

/// Opening a store and writing to it some ten times has this many moments for a kill.
constexpr std::uint64_t k_moments = 500;

/// Writes versions until it is killed; tells through the pipe which one is done.
[[noreturn]] void write_until_killed(const std::filesystem::path& folder, SyncPolicy sync,
                                     std::uint32_t version, int pipe) {
    const auto store = open_for_writing(folder, sync);
    for (;; ++version) {
        if (!store->write(k_chunks[version % k_chunks.size()], document_of(version))) _exit(1);
        if (sync == SyncPolicy::batch && (version % 3 != 0 || !store->sync())) continue;
        if (::write(pipe, &version, sizeof version) != sizeof version) _exit(1);
    }
}

class KillTest : public testing::TestWithParam<SyncPolicy> {};
INSTANTIATE_TEST_SUITE_P(RegionStore, KillTest,
                         testing::Values(SyncPolicy::each, SyncPolicy::batch, SyncPolicy::none), policy_name);

TEST_P(KillTest, AProcessThatIsKilledWhileItWritesLosesNothingItHasTold) {
    SEEDED_RANDOM(random);
    const test::TemporaryFolder folder;
    std::uint32_t told = 0;
    {
        const auto store = open_for_writing(folder.path(), SyncPolicy::each);
        for (const auto pos : k_chunks) ASSERT_TRUE(store->write(pos, document_of(++told)));
    }
    std::uint32_t next = 10;
    std::array<std::uint32_t, k_chunks.size()> least{}; // the last version of each that was told
    for (int round = 0; round < 30; ++round) {
        Told<std::uint32_t> pipe;
        const auto moment = static_cast<std::int64_t>(random() % k_moments);
        const auto write = [&] { write_until_killed(folder.path(), GetParam(), next, pipe.end_of_child()); };
        ASSERT_EQ(test::run_and_kill(write, moment), moment) << "the writer failed by itself";
        told = pipe.last().value_or(next - 1);

        const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
        ReadContext context;
        for (std::size_t i = 0; i < k_chunks.size(); ++i) {
            const auto found = store->read(k_chunks[i], context);
            ASSERT_TRUE(found) << found.error().text();
            ASSERT_TRUE(*found);
            const auto stamp = test::stamp_of(**found);
            ASSERT_TRUE(stamp) << "a mixture of versions";
            ASSERT_TRUE(*stamp < 10 || *stamp % k_chunks.size() == i) << "the content of another chunk";
            const auto last = told - (told - static_cast<std::uint32_t>(i)) % k_chunks.size();
            if (last >= next) least[i] = static_cast<std::uint32_t>(last);
            ASSERT_GE(*stamp, least[i]);
            ASSERT_LE(*stamp, told + 5);
        }
        next = told + 100;
    }
    for (const auto version : least) EXPECT_GT(version, 0U) << "no round told it";
}

TEST(RegionStore, AProcessThatIsKilledWhileItMakesRegionFilesLeavesNoneThatIsNotWhole) {
    SEEDED_RANDOM(random);
    const test::TemporaryFolder folder;
    int next = 0;
    int confirmed = 0;
    for (int round = 0; round < 30; ++round) {
        Told<int> pipe;
        const auto write = [&] {
            const auto store = open_for_writing(folder.path(), SyncPolicy::each);
            for (int region = next;; ++region) { // every chunk in a region of its own
                if (!store->write({region * 32, 0}, document_of(static_cast<std::uint32_t>(region))))
                    _exit(1);
                if (::write(pipe.end_of_child(), &region, sizeof region) != sizeof region) _exit(1);
            }
        };
        const auto moment = static_cast<std::int64_t>(random() % k_moments);
        ASSERT_EQ(test::run_and_kill(write, moment), moment) << "the writer failed by itself";
        const int told = pipe.last().value_or(next - 1);

        const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
        const auto cursor = store->chunks();
        int count = 0;
        ReadContext context;
        while (true) {
            const auto pos = cursor->next();
            ASSERT_TRUE(pos) << pos.error().text();
            if (!*pos) break;
            const auto document = store->read(**pos, context);
            ASSERT_TRUE(document) << document.error().text();
            ASSERT_EQ(test::stamp_of(**document), static_cast<std::uint32_t>((*pos)->x / 32));
            ++count;
        }
        confirmed += told - next + 1;
        ASSERT_GE(count, confirmed);
        ASSERT_LE(count, confirmed + round + 1) << "at most one more in each round";
        next = told + 2;
    }
    EXPECT_GT(confirmed, 0);
}

TEST(Walk, CountsAndGoesOnBehindWhatCannotBeRead) {
    const test::TemporaryFolder folder;
    const auto image = test::region_v1_image({{0, test::compressed_blob(as_bytes("x"))}});
    for (int i = 0; i < 5; ++i)
        std::ofstream(folder / region_file_name({i, 0}), std::ios::binary) << as_text(image);
    for (const int damaged : {1, 3}) std::ofstream(folder / region_file_name({damaged, 0})) << "cut";
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
    EXPECT_EQ(count_chunks(*store), 3U);
    std::vector<std::string> subjects;
    EXPECT_EQ(count_chunks(*store, [&](Error&& error) { subjects.push_back(error.subject()); }), 3U);
    EXPECT_EQ(subjects, (std::vector<std::string>{"region 1.0", "region 3.0"}));
    for (const std::size_t threads : {1U, 3U}) {
        std::vector<std::string> seen;
        walk<int>(*store, threads,
                  {.work = [](ChunkPos pos, ReadContext&) { return pos.x; },
                   .emit =
                       [&](ChunkPos pos, int& made) {
                           EXPECT_EQ(pos.x, made);
                           seen.push_back(std::to_string(made));
                           return true;
                       },
                   .on_error = [&](const Error& error) { seen.push_back(error.subject()); }});
        EXPECT_EQ(seen, (std::vector<std::string>{"0", "region 1.0", "64", "region 3.0", "128"}));
    }
}

TEST(Walk, EndsWhereItIsTold) {
    std::vector<ChunkPos> all;
    for (int i = 0; i < 300; ++i) all.push_back({i, -i});
    for (const std::size_t threads : {1U, 3U}) {
        const auto cursor = make_list_cursor(all);
        std::vector<ChunkPos> seen;
        walk<int>(*cursor, threads,
                  {.work = [](ChunkPos, ReadContext&) { return 0; },
                   .emit =
                       [&](ChunkPos pos, int&) {
                           seen.push_back(pos);
                           return seen.size() < 5;
                       },
                   .on_error = [](const Error& error) { ADD_FAILURE() << error.text(); }});
        EXPECT_EQ(seen, std::vector<ChunkPos>(all.begin(), all.begin() + 5)) << threads;
    }
}

} // namespace
} // namespace orbis::storage
