// Long random sequences of changes, on every store and on a plain map beside it.

#include "storage/layered_store.hpp"
#include "storage/provider.hpp"
#include "storage/region_file.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/walk.hpp"
#include "support/documents.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
        const auto frame = store.read_compressed(pos, context);
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
            ASSERT_TRUE(store->write_compressed(pos, {blob.frame, blob.raw_size}));
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
    EXPECT_FALSE(store->read_compressed({1, 2}, context).value());
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
    const auto frame = store->read_compressed({0, 0}, reader).value().value();
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

std::vector<ChunkPos> listed(const Store& store, int& errors) {
    std::vector<ChunkPos> found;
    const auto cursor = store.chunks();
    for (int i = 0; i < 1000; ++i) {
        const auto next = cursor->next();
        if (next && !*next) return found;
        if (next)
            found.push_back(**next);
        else
            ++errors;
    }
    ADD_FAILURE() << "the walk has no end";
    return found;
}

/// Regions 0 to `count` - 1 in a row, each with one chunk.
void make_regions(const fs::path& folder, int count) {
    const auto image = test::region_v1_image({{0, test::compressed_blob(as_bytes("x"))}});
    fs::create_directories(folder);
    for (int i = 0; i < count; ++i) {
        std::ofstream out(folder / region_file_name({i, 0}), std::ios::binary);
        out.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
    }
}

TEST(RegionStore, TheFileThatWasNotUsedForLongestIsClosed) {
    const test::TemporaryFolder folder;
    make_regions(folder.path(), 66);
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
    std::vector<std::weak_ptr<Region>> files;
    for (int i = 0; i < 64; ++i) files.emplace_back(store->region({i, 0}).value());
    EXPECT_FALSE(files[0].expired()) << "64 are kept open";
    ASSERT_TRUE(store->region({0, 0}).value()); // used again
    ASSERT_TRUE(store->region({64, 0}).value());
    EXPECT_FALSE(files[0].expired());
    EXPECT_TRUE(files[1].expired());
    ASSERT_TRUE(store->region({65, 0}).value());
    EXPECT_TRUE(files[2].expired());
    EXPECT_FALSE(files[3].expired());
}

TEST(RegionStore, AReaderNeverClosesWhatIsNotSafeYet) {
    const test::TemporaryFolder folder;
    make_regions(folder.path(), 70);
    const auto store =
        open_region_store(Folder(open_disk_tree(folder.path())), options_of(true, SyncPolicy::batch)).value();
    ASSERT_TRUE(store->write({0, 0}, as_bytes("new")));
    const std::weak_ptr<Region> written = store->region({0, 0}).value();
    for (int i = 1; i < 70; ++i) ASSERT_TRUE(store->region({i, 0}).value());
    EXPECT_FALSE(written.expired());
    const auto file = written.lock();
    EXPECT_FALSE(dynamic_cast<const RegionFile&>(*file).is_settled()) << "only the writer syncs";
}

TEST(RegionStore, ABatchOverMoreRegionsThanAreKeptOpenIsWholeWhenItIsSynced) {
    const test::TemporaryFolder folder;
    {
        const auto store =
            open_region_store(Folder(open_disk_tree(folder.path())), options_of(true, SyncPolicy::batch))
                .value();
        for (int i = 0; i < 70; ++i) ASSERT_TRUE(store->write({i * 32, 0}, as_bytes(std::to_string(i))));
        ASSERT_TRUE(store->sync());
    }
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
    ReadContext context;
    for (int i = 0; i < 70; ++i)
        EXPECT_EQ(as_text(store->read({i * 32, 0}, context).value().value_or(Bytes{})), std::to_string(i));
}

TEST(RegionStore, AContextKeepsTheFileOfItsFrame) {
    const test::TemporaryFolder folder;
    const auto store =
        open_region_store(Folder(open_disk_tree(folder.path())), options_of(true, SyncPolicy::none)).value();
    ASSERT_TRUE(store->write({0, 0}, as_bytes(std::string(5000, 'o'))));
    ReadContext reader;
    const auto frame = store->read_compressed({0, 0}, reader).value().value();
    const Buffer before(frame.bytes.begin(), frame.bytes.end());
    ASSERT_TRUE(store->sync());
    for (int i = 1; i < 90; ++i) ASSERT_TRUE(store->write({i * 32, 0}, as_bytes("x")));
    ASSERT_TRUE(store->sync());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(store->write({0, 0}, as_bytes(std::to_string(i))));
    EXPECT_TRUE(std::ranges::equal(frame.bytes, before)) << "what is read was written over";
}

TEST(RegionStore, RegionsAreListedByTheirNumbersAndOnesThatWentAwayAreLeftOut) {
    const test::TemporaryFolder folder;
    const std::vector<RegionPos> sorted{{-10, 3}, {-2, 0}, {2, -1}, {2, 0}, {2, 10}, {10, 0}};
    const auto image = test::region_v1_image({{3, test::compressed_blob(as_bytes("x"))}});
    for (const auto pos : sorted)
        std::ofstream(folder / region_file_name(pos), std::ios::binary) << as_text(image);
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), {}).value();
    EXPECT_EQ(store->regions().value(), sorted);
    const auto cursor = store->chunks();
    EXPECT_EQ(cursor->next().value(), sorted[0].chunk({3}));
    fs::remove(folder / region_file_name(sorted[1]));
    for (std::size_t i = 2; i < sorted.size(); ++i) EXPECT_EQ(cursor->next().value(), sorted[i].chunk({3}));
    EXPECT_FALSE(cursor->next().value());
    EXPECT_FALSE(cursor->next().value()) << "and stays at the end";
}

TEST(MigrationStore, ListsEachChunkOnceAndRemovesItEverywhere) {
    const test::TemporaryFolder folder;
    const auto open = [&](const char* name) {
        return std::shared_ptr<Store>(
            open_region_store(Folder(open_disk_tree(folder / name)), options_of(true, SyncPolicy::none))
                .value());
    };
    const auto first = open("first");
    const auto second = open("second");
    const auto third = open("third");
    const auto saver = open("saver");
    for (const auto& [store, chunks] : {std::pair{first, std::vector<ChunkPos>{{0, 0}, {1, 0}}},
                                        {second, {{1, 0}, {2, 0}}},
                                        {third, {{0, 0}, {2, 0}, {3, 0}}},
                                        {saver, {{9, 9}, {3, 0}}}})
        for (const auto pos : chunks) ASSERT_TRUE(store->write(pos, as_bytes("x")));
    const auto store = make_migration_store({first, second, third}, saver, "world");
    int errors = 0;
    EXPECT_EQ(listed(*store, errors), (std::vector<ChunkPos>{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
    EXPECT_TRUE(store->contains({3, 0}).value());
    EXPECT_FALSE(store->contains({4, 0}).value());
    EXPECT_TRUE(store->remove({9, 9}).value()) << "only the saver had it";
    EXPECT_FALSE(saver->contains({9, 9}).value());
    EXPECT_TRUE(store->remove({3, 0}).value());
    EXPECT_FALSE(saver->contains({3, 0}).value() || third->contains({3, 0}).value());
    EXPECT_TRUE(store->remove({1, 0}).value()) << "only loaders had it";
    EXPECT_FALSE(first->contains({1, 0}).value() || second->contains({1, 0}).value());
    EXPECT_FALSE(store->remove({1, 0}).value());
}

TEST(MigrationStore, TellsTheFirstFailureAndGoesOnWithTheOtherLoaders) {
    const test::TemporaryFolder folder;
    make_regions(folder / "third", 1);
    fs::create_directories(folder / "first");
    fs::create_directories(folder / "second");
    std::ofstream(folder / "first" / "0.0.region.bin") << "cut";
    std::ofstream(folder / "second" / "0.0.region.bin") << std::string(5000, 'x');
    const auto open = [&](const char* name) {
        return std::shared_ptr<Store>(open_region_store(Folder(open_disk_tree(folder / name)), {}).value());
    };
    const auto third = open("third");
    const auto store = make_migration_store({open("first"), open("second"), third}, third, "world");
    ReadContext context;
    EXPECT_EQ(as_text(store->read({0, 0}, context).value().value()), "x");
    EXPECT_EQ(store->read({5, 0}, context).error().code, Errc::truncated);
    EXPECT_EQ(store->read_compressed({5, 0}, context).error().code, Errc::truncated);
    EXPECT_EQ(store->contains({5, 0}).error().code, Errc::truncated);
    int errors = 0;
    EXPECT_EQ(listed(*store, errors), (std::vector<ChunkPos>{{0, 0}}));
    EXPECT_EQ(errors, 2);
}

TEST(OpenStore, AMigrationNeedsLoadersOneSaverAndAnEnd) {
    const test::TemporaryFolder folder;
    const auto open = [&](const Provider& provider, bool write = false) {
        return open_store(Folder(open_disk_tree(folder.path())), provider,
                          options_of(write, SyncPolicy::none));
    };
    const Provider regions{Type::indexed_storage, {}, {}};
    EXPECT_EQ(open({Type::migration, {}, {regions}}).error().code, Errc::bad_value);
    EXPECT_EQ(open({Type::migration, {regions}, {}}).error().code, Errc::bad_value);
    EXPECT_EQ(open({Type::migration, {regions}, {regions, regions}}).error().code, Errc::bad_value);
    Provider nested = regions;
    for (int depth = 0; depth < 9; ++depth) nested = {Type::migration, {nested}, {regions}};
    EXPECT_TRUE(open(nested));
    nested = {Type::migration, {nested}, {regions}};
    const auto deep = open(nested);
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error().code, Errc::too_deep);
    EXPECT_EQ(deep.error().file, (folder / "config.json").string());
    // The server's own choice is the same storage, opened once.
    const auto both = open({Type::migration, {{Type::hytale, {}, {}}}, {regions}}, true);
    ASSERT_TRUE(both) << both.error().text();
    ASSERT_TRUE((*both)->write({1, 1}, as_bytes("seen")));
    ReadContext context;
    EXPECT_EQ(as_text((*both)->read({1, 1}, context).value().value()), "seen");
    EXPECT_TRUE(fs::exists(folder / "chunks" / "0.0.region.bin"));
}

TEST(OpenStore, ProvidersHaveTheNamesOfTheGame) {
    for (const auto& [type, text] : {std::pair{Type::hytale, "Hytale"},
                                     {Type::indexed_storage, "IndexedStorage"},
                                     {Type::rocks_db, "RocksDb"},
                                     {Type::migration, "Migration"},
                                     {Type::empty, "Empty"}}) {
        EXPECT_EQ(name(type), text);
        EXPECT_EQ(parse_provider_type(text), type);
    }
    for (const char* other : {"", "hytale", "RocksDB", "Emptyx", "Empt"})
        EXPECT_EQ(parse_provider_type(other), std::nullopt) << other;
}

TEST(Walk, PutsChunksOfOneRegionTogether) {
    const std::vector<ChunkPos> mixed{{32, 0}, {0, 1}, {-1, -1}, {1, 0}, {31, 0}, {0, 32}, {-1, 31}};
    EXPECT_EQ(in_region_order(mixed),
              (std::vector<ChunkPos>{{-1, -1}, {-1, 31}, {1, 0}, {31, 0}, {0, 1}, {0, 32}, {32, 0}}));
}

} // namespace
} // namespace orbis::storage
