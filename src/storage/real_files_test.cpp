// Real region files, where they are at hand: everything is read, and comes back the same through other
// stores.

#include "storage/region_store.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/stores_test.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;
using test_stores::writing;

Buffer copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// Every file of the folder with real worlds; a test without them has nothing to do.
std::vector<fs::path> files() { return test::real_region_files(); }

std::vector<ChunkPos> chunks_of(const Store& store) {
    std::vector<ChunkPos> found;
    const auto cursor = store.chunks();
    while (true) {
        const auto next = cursor->next();
        EXPECT_TRUE(next) << next.error().text();
        if (!next || !*next) return found;
        found.push_back(**next);
    }
}

TEST(RealFiles, FramesMoveToANewStoreByteForByte) {
    for (const auto& path : files()) {
        SCOPED_TRACE(path.string());
        const test::TemporaryFolder folder;
        const auto from = open_single_region(path, {}).value();
        const auto chunks = chunks_of(*from);
        ASSERT_FALSE(chunks.empty());
        ReadContext a;
        ReadContext b;
        const auto to =
            open_region_store(Folder(open_disk_tree(folder.path())), writing(SyncPolicy::batch)).value();
        for (const auto pos : chunks) {
            const auto frame = from->read_compressed(pos, a);
            ASSERT_TRUE(frame) << frame.error().text();
            ASSERT_TRUE(to->write_compressed(pos, **frame));
        }
        ASSERT_TRUE(to->sync());
        ASSERT_EQ(chunks_of(*to), chunks);
        for (const auto pos : chunks) {
            const auto before = from->read_compressed(pos, a).value().value();
            const auto after = to->read_compressed(pos, b).value().value();
            ASSERT_EQ(before.raw_size, after.raw_size);
            ASSERT_TRUE(std::ranges::equal(before.bytes, after.bytes));
        }
    }
}

TEST(RealFiles, DocumentsComeBackTheSameThroughRocksDbAndNewRegionFiles) {
    const test::TemporaryFolder folder;
    const auto options = writing(SyncPolicy::batch);
#ifdef ORBIS_ROCKSDB
    const std::shared_ptr<Store> middle = open_rocksdb_store(folder / "db", options).value();
#else
    const std::shared_ptr<Store> middle =
        open_region_store(Folder(open_disk_tree(folder / "db")), options).value();
#endif
    int number = 0;
    for (const auto& path : files()) {
        SCOPED_TRACE(path.string());
        const auto from = open_single_region(path, {}).value();
        const auto chunks = chunks_of(*from);
        ReadContext a;
        ReadContext b;
        const auto target = folder / ("chunks" + std::to_string(number++));
        const std::shared_ptr<Store> last =
            open_region_store(Folder(open_disk_tree(target)), options).value();
        for (const auto pos : chunks) {
            const auto document = from->read(pos, a);
            ASSERT_TRUE(document) << document.error().text();
            ASSERT_TRUE(middle->write(pos, **document));
        }
        for (const auto pos : chunks) ASSERT_TRUE(last->write(pos, middle->read(pos, a).value().value()));
        ASSERT_TRUE(last->sync());
        for (const auto pos : chunks) {
            const auto before = copy_of(from->read(pos, a).value().value());
            const auto after = copy_of(last->read(pos, b).value().value());
            ASSERT_EQ(before, after) << pos.x << "," << pos.z;
        }
    }
}

TEST(RealFiles, AWriterTakesThemAsTheyAreAndChangesNothingElse) {
    for (const auto& path : files()) {
        SCOPED_TRACE(path.string());
        const test::TemporaryFolder folder;
        const auto copy = folder / path.filename();
        fs::copy_file(path, copy);
        fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);
        auto options = writing(SyncPolicy::batch);
        const auto store = open_single_region(copy, options).value();
        const auto original = open_single_region(path, {}).value();
        const auto chunks = chunks_of(*store);
        ReadContext a;
        ReadContext b;
        for (std::size_t i = 0; i < chunks.size(); i += 7) {
            ASSERT_TRUE(store->write(chunks[i], as_bytes("replaced")));
            if (i % 2 == 0) {
                ASSERT_TRUE(store->remove(chunks[i]).value());
            }
        }
        ASSERT_TRUE(store->sync());
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const auto now = store->read_compressed(chunks[i], a).value();
            if (i % 7 == 0) {
                ASSERT_EQ(now.has_value(), i % 2 != 0);
                continue;
            }
            ASSERT_TRUE(
                std::ranges::equal(now->bytes, original->read_compressed(chunks[i], b).value()->bytes));
        }
    }
}

} // namespace
} // namespace orbis::storage
