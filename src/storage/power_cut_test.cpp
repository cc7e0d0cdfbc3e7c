#include "storage/layered_store.hpp"
#include "storage/migrate_region.hpp"
#include "storage/region_store.hpp"
#include "support/power_cut.hpp"
#include "support/region_images.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <map>
#include <unistd.h>

/// Stores whose plug is pulled: nothing lasts that was not synced.
namespace orbis::storage {
namespace {

namespace fs = std::filesystem;

using Chunks = std::map<ChunkPos, std::string>;

Chunks chunks_in(const fs::path& folder) {
    Chunks found;
    const auto store = open_region_store(Folder(open_disk_tree(folder)), {}).value();
    ReadContext context;
    const auto cursor = store->chunks();
    for (auto next = cursor->next(); !next || *next; next = cursor->next()) {
        if (!next) {
            found[{999, 999}] = next.error().text();
            continue;
        }
        const auto document = store->read(**next, context);
        found[**next] = document && *document ? std::string(as_text(**document)) : "unreadable";
    }
    return found;
}

/// Each chunk is old or new at any moment, and new when the job has ended.
void expect_old_or_new(const fs::path& folder, const std::function<bool()>& job, const Chunks& after,
                       int least_states = 6) {
    const auto before = chunks_in(folder);
    int states = 0;
    const auto run = test::after_power_cuts(
        folder, [&]() -> int { _exit(job() ? 0 : 1); }, // nothing is closed
        [&](const test::PowerCut& cut) {
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            ++states;
            const auto now = chunks_in(folder);
            if (cut.finished) {
                EXPECT_EQ(now, after);
            }
            auto all = now;
            all.insert(before.begin(), before.end());
            all.insert(after.begin(), after.end());
            const auto value = [](const Chunks& chunks, ChunkPos pos) {
                const auto found = chunks.find(pos);
                return found == chunks.end() ? std::string() : found->second;
            };
            for (const auto& [pos, ignored] : all)
                EXPECT_TRUE(value(now, pos) == value(before, pos) || value(now, pos) == value(after, pos))
                    << pos.x << "," << pos.z << ": " << value(now, pos).substr(0, 40);
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GE(states, least_states);
}

const std::string k_long_text(5000, 'l');

void put_some(const fs::path& folder) {
    const auto image = test::region_v1_image(
        {{0, test::compressed_blob(as_bytes("first"))}, {1, test::compressed_blob(as_bytes("second"))}});
    test::write_folder(folder, {{"0.0.region.bin", std::string(as_text(image))}});
}

TEST(StorePowerCut, EachWriteToRegionFilesLastsWhenItReturns) {
    const test::TemporaryFolder folder;
    put_some(folder.path());
    StoreOptions how;
    how.write = true;
    expect_old_or_new(folder.path(),
                      [&] {
                          const auto store =
                              open_region_store(Folder(open_disk_tree(folder.path())), how).value();
                          return store->write({0, 0}, as_bytes(k_long_text)) && store->remove({1, 0})
                                 && store->write({40, 40}, as_bytes("in a new file"));
                      },
                      {{{0, 0}, k_long_text}, {{40, 40}, "in a new file"}});
}

TEST(StorePowerCut, ABatchInRegionFilesLastsWhenItIsSynced) {
    const test::TemporaryFolder folder;
    put_some(folder.path());
    StoreOptions how;
    how.write = true;
    how.sync = SyncPolicy::batch;
    expect_old_or_new(folder.path(),
                      [&] {
                          const auto store =
                              open_region_store(Folder(open_disk_tree(folder.path())), how).value();
                          return store->write({0, 0}, as_bytes("other"))
                                 && store->write({0, 0}, as_bytes("changed")) && store->remove({1, 0})
                                 && store->write({40, 40}, as_bytes("in a new file")) && store->sync();
                      },
                      {{{0, 0}, "changed"}, {{40, 40}, "in a new file"}});
}

TEST(StorePowerCut, AMigratedFileIsTheOldOrTheNewOne) {
    const test::TemporaryFolder folder;
    const auto image = test::region_v0_image(
        {{0, test::compressed_blob(as_bytes("first"))}, {33, test::compressed_blob(as_bytes(k_long_text))}},
        {.version = 0});
    test::write_folder(folder.path(), {{"0.0.region.bin", std::string(as_text(image))}});
    const auto before = chunks_in(folder.path());
    ASSERT_EQ(before.size(), 2U);
    expect_old_or_new(
        folder.path(), [&] { return migrate_region_file(folder / "0.0.region.bin", {0, 0}).has_value(); },
        before);
}

TEST(StorePowerCut, AMigrationStoreSyncsWhatItSaves) {
    const test::TemporaryFolder folder;
    const auto saved = folder / "saver";
    fs::create_directories(folder / "loader");
    put_some(saved);
    StoreOptions how;
    how.write = true;
    how.sync = SyncPolicy::batch;
    expect_old_or_new(
        saved,
        [&] {
            const auto open = [&](const fs::path& path) {
                return std::shared_ptr<Store>(open_region_store(Folder(open_disk_tree(path)), how).value());
            };
            const auto store = make_migration_store({open(folder / "loader")}, open(saved), "world");
            return store->write({0, 0}, as_bytes("changed")) && store->sync();
        },
        {{{0, 0}, "changed"}, {{1, 0}, "second"}});
}

TEST(StorePowerCut, WhatAMigrationStoreRemovedFromALoaderStaysAway) {
    const test::TemporaryFolder folder;
    const auto loaded = folder / "loader";
    fs::create_directories(folder / "saver");
    put_some(loaded);
    StoreOptions how;
    how.write = true;
    how.sync = SyncPolicy::batch;
    expect_old_or_new(
        loaded,
        [&] {
            const auto open = [&](const fs::path& path) {
                return std::shared_ptr<Store>(open_region_store(Folder(open_disk_tree(path)), how).value());
            };
            const auto store = make_migration_store({open(loaded)}, open(folder / "saver"), "world");
            return store->remove({0, 0}) && store->sync();
        },
        {{{1, 0}, "second"}}, 3);
}

} // namespace
} // namespace orbis::storage
