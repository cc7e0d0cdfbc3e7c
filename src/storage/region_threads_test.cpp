// Readers beside a writer, and writers that are killed.

#include "storage/region_store.hpp"
#include "storage/stores_test.hpp"
#include "support/documents.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace orbis::storage {
namespace {

using test_stores::policy_name;
using test_stores::writing;

constexpr std::array<ChunkPos, 5> k_chunks{{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {-40, 3}}};

std::unique_ptr<RegionStore> open_for_writing(const std::filesystem::path& folder, SyncPolicy sync) {
    return open_region_store(Folder(open_disk_tree(folder)), writing(sync)).value();
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
    const auto read = [&](bool frames) {
        ReadContext context;
        Decompressor decompressor;
        std::array<std::uint32_t, k_chunks.size()> seen{};
        for (std::size_t i = 0; !done; i = (i + 1) % k_chunks.size()) {
            std::optional<std::uint32_t> version;
            if (!frames) {
                const auto document = store->read(k_chunks[i], context);
                if (document && *document) version = test::stamp_of(**document);
            } else if (const auto frame = store->read_frame(k_chunks[i], context); frame && *frame) {
                std::this_thread::sleep_for(std::chrono::microseconds(200)); // the writer goes on meanwhile
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
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    for (std::uint32_t version = 2; std::chrono::steady_clock::now() < end; ++version) {
        ASSERT_TRUE(store->write(k_chunks[version % k_chunks.size()], document_of(version)));
        if (version % 50 == 0) {
            ASSERT_TRUE(store->sync());
        }
    }
    done = true;
    readers.clear();
    EXPECT_EQ(broken, 0);
    EXPECT_GT(reads, 20);
}

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
    for (int round = 0; round < 15; ++round) {
        std::array<int, 2> ends{};
        ASSERT_EQ(pipe(ends.data()), 0);
        const auto child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) write_until_killed(folder.path(), GetParam(), next, ends[1]);
        close(ends[1]);
        std::uint32_t version = 0;
        ASSERT_EQ(read(ends[0], &version, sizeof version), static_cast<ssize_t>(sizeof version));
        told = version;
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
        kill(child, SIGKILL);
        while (read(ends[0], &version, sizeof version) == static_cast<ssize_t>(sizeof version))
            told = version;
        close(ends[0]);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";

        const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
        ReadContext context;
        for (std::size_t i = 0; i < k_chunks.size(); ++i) {
            const auto found = store->read(k_chunks[i], context);
            ASSERT_TRUE(found) << found.error().text();
            ASSERT_TRUE(*found);
            const auto stamp = test::stamp_of(**found);
            ASSERT_TRUE(stamp) << "a mixture of versions";
            ASSERT_TRUE(*stamp < 10 || *stamp % k_chunks.size() == i) << "the content of another chunk";
            // The last version of this chunk that was told, if it is of this round.
            const auto last = told - (told - static_cast<std::uint32_t>(i)) % k_chunks.size();
            if (last >= next) {
                ASSERT_GE(*stamp, last);
            }
            ASSERT_LE(*stamp, told + 5);
        }
        next = told + 100;
    }
}

TEST(RegionStore, AProcessThatIsKilledWhileItMakesRegionFilesLeavesNoneThatIsNotWhole) {
    SEEDED_RANDOM(random);
    const test::TemporaryFolder folder;
    int next = 0;
    int confirmed = 0;
    for (int round = 0; round < 12; ++round) {
        std::array<int, 2> ends{};
        ASSERT_EQ(pipe(ends.data()), 0);
        const auto child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const auto store = open_for_writing(folder.path(), SyncPolicy::each);
            for (int region = next;; ++region) { // every chunk in a region of its own
                if (!store->write({region * 32, 0}, document_of(static_cast<std::uint32_t>(region))))
                    _exit(1);
                if (::write(ends[1], &region, sizeof region) != sizeof region) _exit(1);
            }
        }
        close(ends[1]);
        int told = 0;
        ASSERT_EQ(read(ends[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
        kill(child, SIGKILL);
        while (read(ends[0], &told, sizeof told) == static_cast<ssize_t>(sizeof told)) {
        }
        close(ends[0]);
        waitpid(child, nullptr, 0);

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
}

} // namespace
} // namespace orbis::storage
