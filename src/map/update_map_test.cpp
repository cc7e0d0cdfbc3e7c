#include "jobs/test_worlds/old_documents_test.hpp"
#include "map/compare_test.hpp"
#include "map/map_folder_test.hpp"
#include "map/tile_renderer.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace orbis::map {
namespace {

namespace fs = std::filesystem;
using made::content;
using made::few_layers;
using made::files_in;
using made::referenced;

class UpdateMapTest : public made::MapTest {};

TEST_F(UpdateMapTest, TheTilesAreThoseOfTheRendererAndParentsTheMeanOfChildren) {
    for (const ChunkPos pos :
         {ChunkPos{0, 0}, {1, 0}, {-1, -1}, {15, 15}, {16, 16}, {47, 2}, {48, 2}, {100, -70}})
        world_.put(pos, static_cast<std::uint32_t>(pos.x * 3 + pos.z + 500));
    const auto done = update("map", few_layers());
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->chunks, 8U);
    EXPECT_TRUE(done->problems.empty());
    const auto files = referenced(map("map"));
    const auto head = read_index_head(content(map("map") / "world.js")).value();
    const auto state = MapState::load(as_bytes(files.at(MapState::state_path(head.state)))).value();
    ASSERT_EQ(state.layers.size(), 2U);
    const Colours colours(world::Assets::built_in());
    TileRenderer renderer(world_.store(), colours);
    for (const auto& [layer, levels] : state.layers) {
        ASSERT_EQ(levels.size(), 4U); // tiles -1…6 by -5…1
        std::map<TilePos, TilePixels> below;
        for (std::size_t level = 0; level < levels.size(); ++level) {
            std::map<TilePos, TilePixels> expected;
            TilePixels pixels;
            if (level == 0)
                for (int z = -6; z < 4; ++z)
                    for (int x = -3; x < 9; ++x)
                        if (renderer.render(layer, {x, z}, pixels).value()) expected[{x, z}] = pixels;
            for (const auto& [pos, child] : below) shrink_into(child, pos, expected[pos.parent()]);
            ASSERT_EQ(levels[level].size(), expected.size()) << level;
            for (const auto& [pos, hash] : levels[level]) {
                const auto path = MapState::tile_path(layer, static_cast<int>(level), pos, hash);
                SCOPED_TRACE(path);
                ASSERT_TRUE(decode_tile(as_bytes(files.at(path)), pixels));
                expect_same(pixels, expected.at(pos));
            }
            below = std::move(expected);
        }
    }
}

TEST_F(UpdateMapTest, WhatCannotBeReadIsToldByEveryRun) {
    for (int x = 0; x < 6; ++x) world_.put({x, 0}, 1);
    world_.put({200, 0}, 1);
    ASSERT_TRUE(world_.store().put_bytes({1, 0}, as_bytes("no blob at all")));
    world_.put({201, 0}, as_bytes("no document"));
    const auto first = update("map", few_layers());
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_EQ(first->chunks, 8U);
    EXPECT_EQ(first->chunks_unreadable, 2U);
    ASSERT_EQ(first->problems.size(), 2U);
    for (const auto& problem : first->problems) EXPECT_TRUE(problem.file.ends_with(".region.bin"));
    EXPECT_TRUE(first->problems[0].offset) << first->problems[0].text();
    const auto texts = [](const WorldUpdate& update) {
        std::set<std::string> all;
        for (const auto& problem : update.problems) all.insert(problem.text());
        return all;
    };
    const auto again = update("map", few_layers());
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->changed);
    EXPECT_EQ(again->chunks_read, 0U);
    EXPECT_EQ(texts(*again), texts(*first));
    EXPECT_EQ(again->problem_count, 2U);
    EXPECT_EQ(again->chunks_unreadable, 2U);
    world_.put({5, 0}, 2); // beside one of them
    const auto other = update("map", few_layers());
    ASSERT_TRUE(other);
    EXPECT_EQ(texts(*other), texts(*first));
    EXPECT_EQ(other->problem_count, 2U);
    world_.put({1, 0}, 1);
    const auto repaired = update("map", few_layers());
    ASSERT_TRUE(repaired);
    EXPECT_EQ(repaired->problem_count, 1U);
    EXPECT_EQ(repaired->chunks_unreadable, 1U);
    const auto files = referenced(map("map"));
    const auto inspect =
        std::ranges::find_if(files, [](const auto& file) { return file.first.starts_with("inspect/"); });
    ASSERT_NE(inspect, files.end());
    EXPECT_NE(inspect->second.find(R"("unreadable":{"x":[201],"z":[0],"message":[")"), std::string::npos)
        << inspect->second;
}

TEST_F(UpdateMapTest, PartsThatCannotBeReadChunksTooFarOutAndNotesOfTheWorldAreTold) {
    world_.put({0, 0}, 1);
    world_.put({1, 0}, jobs::test_worlds::damaged_document());
    world_.put({2'000'000'000, 0}, 1);
    world_.put({-2'000'000'000, 1}, 1);
    std::ofstream(world_.folder() / "config.json") << "{ broken";
    const auto found = update("map", few_layers());
    ASSERT_TRUE(found) << found.error().text();
    std::string all;
    for (const auto& problem : found->problems) all += problem.text() + '\n';
    EXPECT_NE(all.find("config.json"), std::string::npos) << all;
    EXPECT_NE(all.find("2 chunks are too far out to be drawn"), std::string::npos) << all;
    EXPECT_NE(all.find("section 0, Block"), std::string::npos) << all;
    EXPECT_NE(all.find("chunk 1,0"), std::string::npos) << all;
    EXPECT_EQ(found->chunks, 2U);
    EXPECT_EQ(found->chunks_unreadable, 0U);
    const auto again = update("map", few_layers());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->problem_count, found->problem_count);
}

TEST_F(UpdateMapTest, AWorldThatCannotBeReadKeepsItsMapWhereThatIsAskedFor) {
    world_.put({0, 0}, 1);
    ASSERT_TRUE(update("map", few_layers()));
    const auto before = files_in(folder_ / "map");
    const auto file = world_.folder() / "chunks/0.0.region.bin";
    fs::copy_file(file, folder_ / "whole");
    std::ofstream(file, std::ios::binary | std::ios::trunc) << "noise";
    auto options = few_layers();
    options.keep_unreadable = true;
    for (const bool full : {false, true}) {
        options.full = full;
        const auto kept = update("map", options);
        ASSERT_TRUE(kept) << kept.error().text();
        EXPECT_TRUE(kept->kept);
        EXPECT_EQ(kept->problem_count, 1U);
        EXPECT_EQ(files_in(folder_ / "map"), before);
    }
    fs::remove(file);
    fs::create_directory(file);
    const auto named = update("map", options);
    ASSERT_TRUE(named) << named.error().text();
    ASSERT_EQ(named->problems.size(), 1U);
    EXPECT_TRUE(named->problems[0].file.ends_with("0.0.region.bin")) << named->problems[0].text();
    EXPECT_EQ(files_in(folder_ / "map"), before);
    const auto without = update("map", few_layers());
    ASSERT_TRUE(without);
    EXPECT_FALSE(without->kept);
    EXPECT_EQ(without->tiles, 0U);
    EXPECT_EQ(without->problem_count, 1U);
    options.full = false;
    EXPECT_FALSE(update("map", options)->kept) << "a map without chunks is not worth it";
    fs::remove(file);
    fs::rename(folder_ / "whole", file);
    EXPECT_FALSE(update("map", options)->kept);
}

TEST_F(UpdateMapTest, ASecondRunTouchesNothing) {
    for (int i = 0; i < 40; ++i) world_.put({i * 3 - 50, i % 7 - 3}, static_cast<std::uint32_t>(i));
    ASSERT_TRUE(update("map"));
    const auto before = files_in(folder_ / "map");
    const auto again = update("map");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_FALSE(again->changed);
    EXPECT_EQ(again->chunks_read, 0U);
    EXPECT_EQ(again->tiles_written, 0U);
    EXPECT_EQ(again->chunks_changed, 0U);
    EXPECT_EQ(files_in(folder_ / "map"), before);
}

TEST_F(UpdateMapTest, FilesThatAreMissingAreMadeAgain) {
    for (const ChunkPos pos : {ChunkPos{5, 5}, {40, 5}, {70, 5}, {70, 60}}) world_.put(pos, 7);
    ASSERT_TRUE(update("map", few_layers()));
    const auto whole = referenced(map("map"));
    for (const auto* kind : {"tiles/surface/0/2.0.", "tiles/slice@9/1/1.0.", "tiles/surface/2/", "facts/",
                             "inspect/", "state/0.0."}) {
        std::size_t removed = 0;
        for (const auto& [path, file] : whole)
            if (path.starts_with(kind)) removed += fs::remove(map("map") / path) ? 1U : 0U;
        ASSERT_GT(removed, 0U) << kind;
        const auto done = update("map", few_layers());
        ASSERT_TRUE(done) << kind << done.error().text();
        EXPECT_EQ(referenced(map("map")), whole) << kind;
    }
    // A tile with other bytes than its name tells of is not believed, and --full makes it good.
    const auto tile = std::ranges::find_if(
        whole, [](const auto& file) { return file.first.starts_with("tiles/surface/0/2.0."); });
    std::ofstream(map("map") / tile->first) << "no tile";
    world_.put({50, 5}, 8); // in the tile beside it
    const auto done = update("map", few_layers());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::mismatch);
    EXPECT_NE(done.error().advice.find("--full"), std::string::npos);
    auto options = few_layers();
    options.full = true;
    ASSERT_TRUE(update("map", options));
    ASSERT_TRUE(update("fresh", few_layers()));
    EXPECT_EQ(referenced(map("map")), referenced(map("fresh")));
}

TEST_F(UpdateMapTest, AChunkThatWentTogetherWithTheStateOfItsRegionLeavesTheMap) {
    for (const ChunkPos pos : {ChunkPos{5, 5}, {20, 20}}) world_.put(pos, 7); // two tiles of one region
    ASSERT_TRUE(update("map", few_layers()));
    std::size_t removed = 0;
    for (const auto& [path, file] : referenced(map("map")))
        if (path.starts_with("state/0.0.")) removed += fs::remove(map("map") / path) ? 1U : 0U;
    ASSERT_EQ(removed, 1U);
    world_.remove({20, 20});
    ASSERT_TRUE(update("map", few_layers()));
    ASSERT_TRUE(update("fresh", few_layers()));
    EXPECT_EQ(referenced(map("map")), referenced(map("fresh")));
}

TEST_F(UpdateMapTest, WithAnotherRecipeEverythingIsMadeAnew) {
    for (const ChunkPos pos : {ChunkPos{5, 5}, {40, 5}}) world_.put(pos, 7);
    ASSERT_TRUE(update("map", few_layers()));
    auto options = few_layers();
    options.layers = {{LayerKind::slice, 12}, {LayerKind::surface, 0}};
    const auto done = update("map", options);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->chunks_read, 2U);
    ASSERT_TRUE(update("fresh", options));
    EXPECT_EQ(referenced(map("map")), referenced(map("fresh")));
}

TEST_F(UpdateMapTest, AStateThatIsNotTheOneThatTheIndexNamesCountsAsNone) {
    world_.put({5, 5}, 7);
    ASSERT_TRUE(update("map", few_layers()));
    const auto state_file = [&] {
        const auto head = read_index_head(content(map("map") / "world.js")).value();
        return map("map") / MapState::state_path(head.state);
    };
    const auto older = content(state_file());
    world_.put({5, 5}, 8);
    ASSERT_TRUE(update("map", few_layers()));
    std::ofstream(state_file(), std::ios::binary | std::ios::trunc) << older;
    const auto done = update("map", few_layers());
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->chunks_read, 1U);
    ASSERT_TRUE(update("fresh", few_layers()));
    EXPECT_EQ(referenced(map("map")), referenced(map("fresh")));
}

TEST_F(UpdateMapTest, ProblemsGoWithTheRegionThatHadThem) {
    world_.put({0, 0}, 1);
    world_.put({40, 0}, as_bytes("no document"));
    EXPECT_EQ(update("map", few_layers())->problem_count, 1U);
    world_.remove({40, 0});
    const auto done = update("map", few_layers());
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->problem_count, 0U);
    EXPECT_EQ(done->chunks_unreadable, 0U);
}

TEST_F(UpdateMapTest, AnEditTouchesTheTilesOfItsPlaceAndNoOthers) {
    for (const ChunkPos pos : {ChunkPos{5, 5}, {40, 5}, {70, 5}, {70, 60}}) world_.put(pos, 7);
    ASSERT_TRUE(update("map", few_layers()));
    const auto before = files_in(map("map") / "tiles");
    world_.put({40, 5}, 8);
    const auto done = update("map", few_layers());
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->chunks_changed, 1U);
    EXPECT_EQ(done->chunks_read, 1U);
    EXPECT_EQ(done->generation, 2U);
    const auto after = files_in(map("map") / "tiles");
    std::set<std::string> fresh;
    for (const auto& [path, file] : after)
        if (!before.contains(path) || before.at(path) != file)
            fresh.insert(path.substr(0, path.rfind('.') - 17));
    EXPECT_EQ(fresh, (std::set<std::string>{"surface/0/2.0", "surface/1/1.0", "surface/2/0.0",
                                            "slice@9/0/2.0", "slice@9/1/1.0", "slice@9/2/0.0"}));
    EXPECT_EQ(done->tiles_written, 6U);
    // The files of the index before stay for pages that are open, until the next change.
    for (const auto& [path, file] : before) EXPECT_TRUE(after.contains(path)) << path;
    world_.put({40, 5}, 9);
    ASSERT_TRUE(update("map", few_layers()));
    EXPECT_EQ(files_in(map("map") / "tiles").size(), before.size() + 6);
}

TEST_F(UpdateMapTest, AfterAnyEditsItIsAsIfMadeFromNothing) {
    std::mt19937 random(20260613);
    const auto somewhere = [&] {
        const auto corner = [&] {
            return static_cast<int>(random() % 24) - 12 + (random() % 4 == 0 ? 34 : 0);
        };
        return ChunkPos{corner(), corner()};
    };
    std::set<ChunkPos> there;
    for (int i = 0; i < 150; ++i) {
        const auto pos = somewhere();
        world_.put(pos, static_cast<std::uint32_t>(random()));
        there.insert(pos);
    }
    for (int round = 0; round < 12; ++round) {
        const auto threads = static_cast<std::size_t>(1 + round % 3);
        const auto done = update("map", few_layers(threads));
        ASSERT_TRUE(done) << done.error().text();
        ASSERT_TRUE(done->problems.size() <= 1);
        const auto fresh = fmt::format("fresh{}", round);
        ASSERT_TRUE(update(fresh, few_layers(1 + threads % 2)));
        ASSERT_EQ(referenced(map("map")), referenced(map(fresh))) << "round " << round;
        fs::remove_all(folder_ / fresh);
        for (auto edits = random() % 6; edits > 0; --edits) {
            const auto pos = somewhere();
            world_.put(pos, static_cast<std::uint32_t>(random()));
            there.insert(pos);
        }
        for (auto removals = random() % 6; removals > 0 && !there.empty(); --removals) {
            const auto pos = *std::next(there.begin(), static_cast<std::ptrdiff_t>(random() % there.size()));
            world_.remove(pos);
            there.erase(pos);
        }
        if (round == 4) world_.put({-150, 7}, 3); // more levels
        if (round == 6) world_.remove({-150, 7}); // fewer
        if (round == 8) world_.put({3, 3}, as_bytes("broken"));
        if (round == 9) world_.remove({3, 3});
        if (round == 10)
            for (const auto pos : there) world_.remove(pos); // nothing is left
    }
}

TEST_F(UpdateMapTest, ARegionThatBecomesUnreadableCountsAsOneWithoutChunks) {
    for (int i = 0; i < 9; ++i) {
        world_.put({i - 4, 3}, static_cast<std::uint32_t>(i)); // two regions that touch
        world_.put({-20, i}, static_cast<std::uint32_t>(i + 20));
    }
    ASSERT_TRUE(update("map", few_layers()));
    for (const auto& [name, bytes] :
         {std::pair{"empty", std::string()}, {"garbage", std::string(5000, 'x')}}) {
        std::ofstream(world_.folder() / "chunks" / "-1.0.region.bin", std::ios::binary) << bytes;
        const auto done = update("map", few_layers());
        ASSERT_TRUE(done) << done.error().text();
        const auto fresh = update(name, few_layers());
        ASSERT_TRUE(fresh) << fresh.error().text();
        EXPECT_EQ(done->chunks, 5U);
        EXPECT_EQ(done->problem_count, 1U) << name;
        EXPECT_EQ(fresh->problem_count, 1U) << name;
        EXPECT_EQ(referenced(map("map")), referenced(map(name)));
        const auto again = update("map", few_layers());
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(again->chunks_changed, 0U);
        EXPECT_EQ(again->tiles_kept, 0U); // nothing is left to be rendered again
        EXPECT_EQ(again->problem_count, 1U);
        EXPECT_FALSE(again->changed);
    }
}

TEST_F(UpdateMapTest, ARunOverAUniverseDropsWorldsThatItHasNot) {
    const auto universe = folder_ / "universe";
    for (const auto* name : {"first", "second"}) {
        world::made::MadeWorld world(universe / "worlds" / name);
        world.put({1, 2}, 3);
    }
    NoProgress progress;
    made::QuickFiles files;
    const auto run = [&](const fs::path& path, std::string_view world = {}) {
        const auto place = world::narrow_to_world(world::find_location(path).value(), world).value();
        return update_map(place, world::Assets::built_in(), files, folder_ / "map", few_layers(), progress)
            .value();
    };
    EXPECT_TRUE(run(universe).dropped.empty());
    const auto elsewhere = folder_ / "elsewhere";
    fs::create_directories(elsewhere);
    std::ofstream(elsewhere / "world.js") << "not ours";
    fs::create_directory_symlink(elsewhere, folder_ / "map" / "worlds" / "link");
    fs::rename(universe / "worlds" / "second", universe / "worlds" / "third");
    EXPECT_TRUE(run(universe, "first").dropped.empty());
    EXPECT_TRUE(fs::exists(map("map").parent_path() / "second" / "world.js"));
    EXPECT_NE(content(folder_ / "map" / "map.js").find("second"), std::string::npos);
    const auto files_of_second = files_in(map("map").parent_path() / "second").size();
    const auto done = run(universe);
    ASSERT_EQ(done.dropped.size(), 1U);
    EXPECT_EQ(done.dropped[0].name, "second");
    EXPECT_EQ(done.dropped[0].files_removed, files_of_second);
    EXPECT_FALSE(fs::exists(map("map").parent_path() / "second"));
    EXPECT_TRUE(fs::exists(elsewhere / "world.js"));
    const auto script = content(folder_ / "map" / "map.js");
    EXPECT_EQ(script.find("second"), std::string::npos);
    EXPECT_NE(script.find("third"), std::string::npos);
    world_.put({0, 0}, 1); // another place that is not a universe is added
    EXPECT_TRUE(run(world_.folder()).dropped.empty());
    for (const auto* name : {"first", "third", "world"})
        EXPECT_NE(content(folder_ / "map" / "map.js").find(name), std::string::npos) << name;
}

TEST_F(UpdateMapTest, ALayerThatIsNotWantedAnyMoreLeavesNoFolder) {
    world_.put({1, 2}, 3);
    ASSERT_TRUE(update("map", few_layers()));
    auto options = few_layers();
    options.layers.pop_back();
    ASSERT_TRUE(update("map", options)); // its files stay once more, for pages that are open
    ASSERT_TRUE(update("map", options));
    EXPECT_TRUE(fs::exists(map("map") / "tiles" / "surface"));
    EXPECT_FALSE(fs::exists(map("map") / "tiles" / "slice@9"));
}

/// A store in which a chunk changes after it was read for the first time.
class RestlessStore final : public storage::Store {
public:
    RestlessStore(storage::Store& before, storage::Store& after, ChunkPos pos)
        : before_(before), after_(after), pos_(pos), name_("restless") {}

    std::string_view kind() const override { return "test"; }
    const std::string& name() const override { return name_; }
    bool keeps_compressed() const override { return true; }
    std::unique_ptr<storage::Cursor> chunks() const override { return before_.chunks(); }
    Result<bool> contains(ChunkPos pos) const override { return before_.contains(pos); }
    Result<std::optional<Bytes>> read(ChunkPos pos, storage::ReadContext& context) const override {
        return now(pos).read(pos, context);
    }
    Result<std::optional<storage::CompressedChunk>>
    read_compressed(ChunkPos pos, storage::ReadContext& context) const override {
        return now(pos).read_compressed(pos, context);
    }
    Result<void> write(ChunkPos, Bytes) override { return {}; }
    Result<void> write_compressed(ChunkPos, const storage::CompressedChunk&) override { return {}; }
    Result<bool> remove(ChunkPos) override { return false; }
    Result<void> sync() override { return {}; }

private:
    storage::Store& now(ChunkPos pos) const { return pos == pos_ && reads_++ > 0 ? after_ : before_; }

    storage::Store& before_;
    storage::Store& after_;
    ChunkPos pos_;
    std::string name_;
    mutable int reads_ = 0;
};

TEST_F(UpdateMapTest, AChunkThatChangesDuringTheRunIsMadeGoodByTheNext) {
    // One on each side of the border of two regions: the first to be rendered uses the edges of the other.
    const ChunkPos left{31, 5};
    const ChunkPos right{32, 5};
    world::made::MadeWorld later(folder_ / "later");
    for (auto* world : {&world_, &later}) world->put(left, 1);
    world_.put(right, 2);
    later.put(right, 3);
    auto place = world::find_location(world_.folder()).value();
    auto& world = place.worlds.at(0);
    world.source = world::World::Source::other;
    made::QuickFiles files;
    NoProgress progress;
    const auto run = [&](const std::string& out) {
        const auto done =
            update_world(world, world::Assets::built_in(), files, map(out), few_layers(), progress);
        ASSERT_TRUE(done) << done.error().text();
    };
    const auto share = [](storage::Store& store) {
        return std::shared_ptr<storage::Store>(std::shared_ptr<void>(), &store);
    };
    for (const bool right_side : {true, false}) {
        const auto name = right_side ? "first" : "second";
        RestlessStore store(world_.store(), later.store(), right_side ? right : left);
        world.open_other = [&](const auto&) { return share(store); };
        run(name);
        world.open_other = [&](const auto&) { return share(right_side ? later.store() : world_.store()); };
        run(name);
        run(std::string(name) + "-fresh");
        EXPECT_EQ(referenced(map(name)), referenced(map(std::string(name) + "-fresh")));
    }
}

/// Writes down what is done, and syncs nothing.
class NotedFiles final : public MapFiles {
public:
    Result<void> write(const fs::path& path, Bytes content) override {
        note("write " + path.filename().string());
        return MapFiles::write(path, content);
    }
    Result<void> sync(const fs::path& folder) override {
        note("sync " + folder.filename().string());
        return {};
    }
    Result<void> replace(const fs::path& path, Bytes content) override {
        note("replace " + path.filename().string());
        return MapFiles::replace(path, content);
    }
    [[nodiscard]] std::vector<std::string> take() { return std::exchange(done_, {}); }

private:
    void note(std::string what) {
        const std::lock_guard lock(mutex_);
        done_.push_back(std::move(what));
    }
    std::mutex mutex_;
    std::vector<std::string> done_;
};

TEST_F(UpdateMapTest, AllThatAnIndexNamesIsSyncedBeforeTheIndexIsReplaced) {
    world_.put({0, 0}, 1);
    NotedFiles files;
    for (int round = 0; round < 2; ++round) {
        ASSERT_TRUE(update("map", files, few_layers()));
        const auto done = files.take();
        const auto sync = std::ranges::find(done, "sync world");
        ASSERT_NE(sync, done.end());
        EXPECT_EQ(std::ranges::count(done, "replace world.js"), 1);
        EXPECT_GT(std::ranges::find(done, "replace world.js") - sync, 0);
        for (auto at = sync; at != done.end(); ++at) EXPECT_FALSE(at->starts_with("write ")) << *at;
        EXPECT_GT(std::ranges::count_if(done, [](const auto& what) { return what.ends_with(".png"); }), 0);
        world_.put({0, 0}, 2);
    }
    ASSERT_TRUE(update("map", files, few_layers()));
    (void)files.take();
    ASSERT_TRUE(update("map", files, few_layers()));
    EXPECT_EQ(files.take(), std::vector<std::string>{}) << "nothing changed";
}

TEST_F(UpdateMapTest, SomeHundredProblemsAreToldAndAllAreCounted) {
    constexpr std::uint64_t most = 200;
    for (int i = 0; i < 205; ++i) world_.put({i % 32 + (i / 32 % 2) * 32, i / 64}, as_bytes("no document"));
    for (int round = 0; round < 2; ++round) { // from the chunks, then from what is known of them
        const auto done = update("map", few_layers());
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(done->problems.size(), most);
        EXPECT_EQ(done->problem_count, 205U);
        EXPECT_EQ(done->chunks_unreadable, 205U);
    }
}

TEST_F(UpdateMapTest, TheNumbersOfARunAreThoseOfItsFiles) {
    world_.put({0, 0}, 1);
    world_.put({40, 0}, 2);
    const auto first = update("map", few_layers()).value();
    EXPECT_EQ(first.generation, 1U);
    EXPECT_EQ(first.levels, 2);
    EXPECT_EQ(first.tiles_removed, 0U);
    const auto tiles = files_in(map("map") / "tiles");
    EXPECT_EQ(first.tiles, tiles.size());
    EXPECT_EQ(first.tiles_written, tiles.size());
    std::uint64_t bytes = 0;
    for (const auto& [path, file] : tiles) bytes += file.second.size();
    EXPECT_EQ(first.bytes_written, bytes);
    world_.remove({40, 0});
    const auto second = update("map", few_layers()).value();
    EXPECT_EQ(second.chunks, 1U);
    EXPECT_EQ(second.chunks_changed, 1U);
    EXPECT_EQ(second.levels, 1);
    EXPECT_EQ(second.tiles, 2U);
    EXPECT_EQ(second.tiles_removed, first.tiles - 2) << "the tile and the level above";
    EXPECT_EQ(second.files_removed, 0U) << "pages that are open may still ask for them";
    world_.put({1, 0}, 3);
    const auto third = update("map", few_layers()).value();
    EXPECT_GT(third.files_removed, 0U);
    EXPECT_EQ(third.generation, 3U);
}

TEST_F(UpdateMapTest, OnlyAnEmptyFolderOrAMapIsWrittenTo) {
    world_.put({0, 0}, 1);
    fs::create_directory(folder_ / "other");
    std::ofstream(folder_ / "other" / "mine") << "x";
    std::ofstream(folder_ / "file") << "x";
    fs::create_directory(folder_ / "empty");
    for (const auto* name : {"other", "file"}) {
        const auto refused = update(name, few_layers());
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, Errc::exists);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "other"), {}), 1);
    EXPECT_TRUE(update("empty", few_layers()));
    std::ofstream(folder_ / "empty" / "of-the-user") << "kept";
    EXPECT_TRUE(update("empty", few_layers()));
    EXPECT_EQ(content(folder_ / "empty" / "of-the-user"), "kept");
}

} // namespace
} // namespace orbis::map
