// Long random sequences of changes, on every store and on a plain map beside it.

#include "storage/layered_store.hpp"
#include "storage/provider.hpp"
#include "storage/rocksdb_store.hpp"
#include "support/documents.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;
using Model = std::map<ChunkPos, Buffer>;
using Type = Provider::Type;

struct Kind {
    std::string name;
    std::function<Result<std::shared_ptr<Store>>(const fs::path& folder, bool write)> open;
    bool one_region = false;
    bool needs_sync = false; ///< before it is closed
    int steps = 400;
};

StoreOptions options_of(bool write, SyncPolicy sync) {
    StoreOptions options;
    options.write = write;
    options.create = write;
    options.sync = sync;
    return options;
}

Kind region_folder(std::string name, SyncPolicy sync) {
    return {std::move(name),
            [sync](const fs::path& folder, bool write) {
                return open_store(Folder(open_disk_tree(folder)), {}, options_of(write, sync));
            },
            false, sync == SyncPolicy::batch, sync == SyncPolicy::each ? 150 : 1000};
}

Kind single_region(SyncPolicy sync) {
    return {"SingleRegion",
            [sync](const fs::path& folder, bool write) -> Result<std::shared_ptr<Store>> {
                TRY(auto store, open_single_region(folder / "-1.0.region.bin", options_of(write, sync)));
                return std::shared_ptr<Store>(std::move(store));
            },
            true, sync == SyncPolicy::batch};
}

Kind provided(std::string name, Provider provider) {
    return {std::move(name), [provider](const fs::path& folder, bool write) {
                return open_store(Folder(open_disk_tree(folder)), provider,
                                  options_of(write, SyncPolicy::none));
            }};
}

/// The saver comes first among the loaders, so that what was written is what is read.
Provider migration() {
    Provider provider;
    provider.type = Type::migration;
    provider.loaders = {Provider{Type::rocks_db, {}, {}}, Provider{Type::indexed_storage, {}, {}}};
    provider.saver = {Provider{Type::rocks_db, {}, {}}};
    return provider;
}

class ModelTest : public testing::TestWithParam<Kind> {};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

INSTANTIATE_TEST_SUITE_P(Store, ModelTest,
                         testing::Values(region_folder("RegionsEach", SyncPolicy::each),
                                         region_folder("RegionsBatch", SyncPolicy::batch),
                                         region_folder("RegionsNone", SyncPolicy::none),
                                         single_region(SyncPolicy::none),
                                         provided("RocksDb", {Type::rocks_db, {}, {}}),
                                         provided("Migration", migration())),
                         [](const auto& kind) { return kind.param.name; });

void compare(const Store& store, const Model& model, ReadContext& context) {
    std::map<ChunkPos, int> listed;
    const auto cursor = store.chunks();
    while (true) {
        const auto next = cursor->next();
        ASSERT_TRUE(next) << next.error().text();
        if (!*next) break;
        ++listed[**next];
    }
    ASSERT_EQ(listed.size(), model.size());
    for (const auto& [pos, document] : model) {
        ASSERT_EQ(listed[pos], 1) << pos.x << "," << pos.z;
        const auto found = store.read(pos, context);
        ASSERT_TRUE(found) << found.error().text();
        ASSERT_TRUE(*found);
        ASSERT_EQ(Buffer((*found)->begin(), (*found)->end()), document);
        const auto frame = store.read_frame(pos, context);
        ASSERT_TRUE(frame && *frame);
        ASSERT_EQ((*frame)->raw_size, document.size());
    }
}

TEST_P(ModelTest, BehavesLikeAMap) {
    SEEDED_RANDOM(random);
    const auto& kind = GetParam();
    const test::TemporaryFolder folder;
    auto store = kind.open(folder.path(), true).value();
    Model model;
    ReadContext context;
    const auto anywhere = [&] {
        const auto span = kind.one_region ? 0 : 1;
        return ChunkPos{static_cast<int>(random() % 6) - 3 - 29 * (1 - span),
                        static_cast<int>(random() % 6) - 3 * span};
    };
    for (int step = 0; step < kind.steps; ++step) {
        const auto pos = anywhere();
        const auto dice = random() % 100;
        if (dice < 45) {
            const auto document = test::random_document(random, random() % 8 == 0 ? 60000 : 6000);
            ASSERT_TRUE(store->write(pos, document));
            model[pos] = document;
        } else if (dice < 60) {
            const auto removed = store->remove(pos);
            ASSERT_TRUE(removed) << removed.error().text();
            ASSERT_EQ(*removed, model.erase(pos) == 1);
        } else if (dice < 70) {
            const auto blob = test::compressed_blob(test::random_document(random, 5000));
            Decompressor decompressor;
            const auto document = decompressor.decompress(blob.frame, blob.raw_size, 1 << 20).value();
            ASSERT_TRUE(store->write_frame(pos, {blob.frame, blob.raw_size}));
            model[pos] = Buffer(document.begin(), document.end());
        } else if (dice < 97) {
            const auto found = store->read(pos, context);
            ASSERT_TRUE(found) << found.error().text();
            ASSERT_EQ(found->has_value(), model.contains(pos));
            if (*found) {
                ASSERT_EQ(Buffer((*found)->begin(), (*found)->end()), model[pos]);
            }
            ASSERT_EQ(store->contains(pos).value(), model.contains(pos));
        } else if (dice < 98) {
            ASSERT_TRUE(store->sync());
        } else {
            if (kind.needs_sync) {
                ASSERT_TRUE(store->sync());
            }
            context.blob = {};
            context.held.reset();
            store.reset();
            store = kind.open(folder.path(), random() % 4 != 0).value();
            compare(*store, model, context);
            if (HasFatalFailure()) return;
            context.held.reset();
            store.reset();
            store = kind.open(folder.path(), true).value();
        }
    }
    compare(*store, model, context);
}

TEST(RegionStore, TheLargestDocumentIsExact) {
    const test::TemporaryFolder folder;
    auto how = options_of(true, SyncPolicy::none);
    how.largest_document = 1000;
    ReadContext context;
    {
        const auto store = open_region_store(Folder(open_disk_tree(folder.path())), how).value();
        EXPECT_TRUE(store->write({0, 0}, Buffer(1000, 1)));
        EXPECT_EQ(store->write({1, 0}, Buffer(1001, 1)).error().code, Errc::too_large);
        EXPECT_FALSE(store->contains({1, 0}).value());
        EXPECT_EQ(store->read({0, 0}, context).value()->size(), 1000U);
    }
    how.largest_document = 999;
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), how).value();
    EXPECT_EQ(store->read({0, 0}, context).error().code, Errc::too_large);
}

TEST(RegionStore, ASingleFileHasNoChunksOfOthers) {
    const test::TemporaryFolder folder;
    auto how = options_of(true, SyncPolicy::none);
    how.create = true;
    const auto store = open_single_region(folder / "0.0.region.bin", how).value();
    ReadContext context;
    ASSERT_TRUE(store->write({31, 31}, as_bytes("x")));
    EXPECT_EQ(store->write({32, 0}, as_bytes("x")).error().code, Errc::out_of_range);
    EXPECT_EQ(store->remove({-1, 0}).error().code, Errc::out_of_range);
    EXPECT_FALSE(store->read({32, 0}, context).value());
    EXPECT_FALSE(fs::exists(folder / "1.0.region.bin"));
}

TEST(EmptyStore, ForgetsEverything) {
    const test::TemporaryFolder folder;
    const auto store = open_store(Folder(open_disk_tree(folder.path())), {Type::empty, {}, {}},
                                  options_of(true, SyncPolicy::each))
                           .value();
    ReadContext context;
    EXPECT_TRUE(store->write({1, 2}, as_bytes("x")));
    EXPECT_FALSE(store->contains({1, 2}).value());
    EXPECT_FALSE(store->read({1, 2}, context).value());
    EXPECT_FALSE(store->read_frame({1, 2}, context).value());
    EXPECT_FALSE(store->remove({1, 2}).value());
    EXPECT_FALSE(store->chunks()->next().value());
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(MigrationStore, TheFirstLoaderThatHasAChunkWinsAndAFailingOneFallsThrough) {
    const test::TemporaryFolder folder;
    const auto open = [&](const char* name) {
        return std::shared_ptr<Store>(
            open_region_store(Folder(open_disk_tree(folder / name)), options_of(true, SyncPolicy::none))
                .value());
    };
    ReadContext context;
    {
        const auto first = open("first");
        const auto second = open("second");
        ASSERT_TRUE(first->write({0, 0}, as_bytes("first")));
        ASSERT_TRUE(second->write({0, 0}, as_bytes("second")));
        ASSERT_TRUE(second->write({1, 0}, as_bytes("second")));
        ASSERT_TRUE(first->write({40, 0}, as_bytes("first")));
        ASSERT_TRUE(second->write({40, 0}, as_bytes("second")));
    }
    std::ofstream(folder / "first" / "1.0.region.bin") << "damaged";
    const auto saver = open("saver");
    const auto store = make_migration_store({open("first"), open("second")}, saver, "world");
    EXPECT_EQ(as_text(store->read({0, 0}, context).value().value()), "first");
    EXPECT_EQ(as_text(store->read({1, 0}, context).value().value()), "second");
    EXPECT_EQ(as_text(store->read({40, 0}, context).value().value()), "second");
    const auto hidden = store->read({41, 0}, context);
    ASSERT_FALSE(hidden) << "the failing loader may have it";
    EXPECT_EQ(hidden.error().code, Errc::truncated);

    ASSERT_TRUE(store->write({5, 5}, as_bytes("new")));
    EXPECT_TRUE(saver->contains({5, 5}).value());
    EXPECT_FALSE(store->contains({5, 5}).value()) << "the saver is no loader here";
    EXPECT_TRUE(store->remove({0, 0}).value());
    EXPECT_FALSE(store->contains({0, 0}).value()) << "it does not come back from the second";
    EXPECT_TRUE(store->sync());
}

TEST(OpenStore, AWorldWithoutChunksReadsAsEmptyButNeverSwallowsWrites) {
    const test::TemporaryFolder folder;
    for (const auto type : {Type::hytale, Type::indexed_storage, Type::rocks_db}) {
        const Provider provider{type, {}, {}};
        const auto reader = open_store(Folder(open_disk_tree(folder.path())), provider, {});
        ASSERT_TRUE(reader) << reader.error().text();
        EXPECT_FALSE((*reader)->chunks()->next().value());
        StoreOptions write;
        write.write = true;
        const auto writer = open_store(Folder(open_disk_tree(folder.path())), provider, write);
        ASSERT_FALSE(writer) << "nobody said to create it";
        EXPECT_EQ(writer.error().code, Errc::not_found);
    }
}

/// Whoever reads from a file keeps its segments from being written over. A second instance of the file would
/// not know of that reader.
TEST(RegionStore, AFileThatSomebodyReadsIsNotOpenedASecondTime) {
    const test::TemporaryFolder folder;
    const auto store =
        open_region_store(Folder(open_disk_tree(folder.path())), options_of(true, SyncPolicy::each)).value();
    const std::string old(5000, 'o');
    ASSERT_TRUE(store->write({0, 0}, as_bytes(old)));
    const auto held = store->region({0, 0}).value();
    ReadContext reader;
    const auto frame = store->read_frame({0, 0}, reader).value().value();
    const Buffer before(frame.bytes.begin(), frame.bytes.end());
    for (int i = 1; i < 90; ++i) ASSERT_TRUE(store->write({i * 32, 0}, as_bytes("x")));
    EXPECT_EQ(store->region({0, 0}).value(), held) << "it was closed while somebody reads it";
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(store->write({0, 0}, as_bytes(std::to_string(i))));
    EXPECT_TRUE(std::ranges::equal(frame.bytes, before)) << "what is read was written over";
}

TEST(RegionStore, ReadsMoreRegionsThanItKeepsOpenAlsoWhenOpenForWriting) {
    const test::TemporaryFolder folder;
    constexpr int regions = 90;
    {
        const auto store =
            open_region_store(Folder(open_disk_tree(folder.path())), options_of(true, SyncPolicy::none))
                .value();
        for (int i = 0; i < regions; ++i) ASSERT_TRUE(store->write({i * 32, 0}, as_bytes("x")));
    }
    const auto descriptors = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
    const auto before = descriptors();
    for (const bool write : {false, true}) {
        const auto store =
            open_region_store(Folder(open_disk_tree(folder.path())), options_of(write, SyncPolicy::each))
                .value();
        ReadContext context;
        for (int i = 0; i < regions; ++i) ASSERT_TRUE(store->read({i * 32, 0}, context).value());
        EXPECT_LT(descriptors() - before, 75);
    }
}

} // namespace
} // namespace orbis::storage
