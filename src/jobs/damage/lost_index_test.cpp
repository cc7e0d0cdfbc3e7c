#include "jobs/convert/convert.hpp"
#include "jobs/edit/compact.hpp"
#include "jobs/edit/prune.hpp"
#include "jobs/edit/upgrade_world.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/snapshot/store.hpp"
#include "jobs/snapshot/take.hpp"
#include "jobs/snapshot/view.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"
#include "jobs/verify/verify.hpp"
#include "storage/walk.hpp"
#include "support/amount.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/shared.hpp"
#include "world/sample/sample.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orbis::jobs {

namespace {

namespace fs = std::filesystem;

/// A universe with one world that has region 0.0, part of the sample or, where fewer things are looked at, a
/// few real chunks.
class LostIndex : public testing::Test {
protected:
    static constexpr std::uint64_t k_index = 32;
    static constexpr std::uint64_t k_entries = 1024;

    void SetUp() override {
        fs::copy(whole(), universe_, fs::copy_options::recursive);
        if (fs::is_empty(universe_)) GTEST_SKIP() << "the real worlds are not beside the checkout";
        file_ = *fs::directory_iterator(universe_ / "worlds/default/chunks");
        original_ = documents();
        ASSERT_GT(original_.size(), 12U);
    }

    static const fs::path& whole() {
        static const test::TemporaryFolder folder;
        static const fs::path made = make(folder.path());
        return made;
    }

    static fs::path make(const fs::path& folder) {
        const auto chunks = folder / "universe/worlds/default/chunks";
        fs::create_directories(folder / "universe");
        const auto shared = test::shared_folder();
        if (!test::looks_at_fewer() || (!shared && !test::k_is_sanitized)) {
            EXPECT_TRUE(
                world::sample::write_sample(folder / "sample", {.seed = 1, .threads = 2, .on_progress = {}}));
            fs::create_directories(chunks.parent_path());
            fs::copy(folder / "sample/worlds/default/config.json", chunks.parent_path());
            fs::create_directories(chunks);
            fs::copy(folder / "sample/worlds/default/chunks/0.0.region.bin", chunks);
        } else if (shared) {
            fs::create_directories(chunks);
            fs::copy(*shared / "worlds/dense/chunks/0.1.region.bin", chunks);
            fs::permissions(chunks / "0.1.region.bin", fs::perms::owner_write, fs::perm_options::add);
            std::ofstream(chunks.parent_path() / "config.json")
                << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})";
        }
        return folder / "universe";
    }

    /// The slots of the chunks that have an entry.
    [[nodiscard]] std::vector<std::uint64_t> listed() const {
        std::vector<std::uint64_t> slots;
        const auto bytes = read();
        for (std::uint64_t slot = 0; slot < k_entries; ++slot)
            if (bytes.substr(k_index + slot * 4, 4) != std::string(4, '\0')) slots.push_back(slot);
        return slots;
    }
    [[nodiscard]] std::string read() const {
        std::ifstream in(file_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void lose(const std::vector<std::uint64_t>& slots) const {
        auto bytes = read();
        for (const auto slot : slots) bytes.replace(k_index + slot * 4, 4, 4, '\0');
        std::ofstream(file_, std::ios::binary) << bytes;
    }

    /// Lets the entry of one slot lead to where that of another leads.
    void lead(std::uint64_t slot, std::uint64_t other) const {
        auto bytes = read();
        bytes.replace(k_index + slot * 4, 4, bytes.substr(k_index + other * 4, 4));
        std::ofstream(file_, std::ios::binary) << bytes;
    }

    [[nodiscard]] world::Location location() const { return world::find_location(universe_).value(); }
    [[nodiscard]] std::map<ChunkPos, Buffer> documents() const {
        std::map<ChunkPos, Buffer> found;
        const auto store = location().worlds.at(0).open({}).value();
        storage::ReadContext context;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            const auto document = store->read(*pos, context).value().value();
            found[*pos] = Buffer(document.begin(), document.end());
        }
        return found;
    }
    [[nodiscard]] std::size_t lost_files(bool accepts = false) const {
        std::size_t count = 0;
        NoProgress quiet;
        (void)verify(
            location(), world::Assets::built_in(), {.quick = true, .accepts = accepts},
            [&](const Finding& finding) { count += finding.code == Code::container_lost_entries ? 1 : 0; },
            quiet);
        return count;
    }
    RepairReport repair_it(bool from_orphans) const {
        RepairOptions options;
        options.from_orphans = from_orphans;
        return repair_it(options);
    }
    RepairReport repair_it(RepairOptions options) const {
        options.damage_only = true;
        NoProgress quiet;
        return repair(
                   location(), world::Assets::built_in(), options, [](const RepairStep&) {}, quiet)
            .value();
    }
    /// Undoes all changes, the newest first.
    void undo_all(std::size_t expected) const {
        NoProgress quiet;
        std::vector<Error> problems;
        const auto found = location();
        const auto changes = past_changes(found, problems).value();
        EXPECT_EQ(changes.size(), expected);
        for (const auto& change : changes) ASSERT_TRUE(undo_change(change, {.force = true}, quiet));
    }
    /// How many chunks are back; each is where it was.
    [[nodiscard]] std::size_t back() const {
        const auto now = documents();
        for (const auto& [pos, document] : now)
            EXPECT_TRUE(original_.contains(pos) && original_.at(pos) == document)
                << "chunk " << pos.x << "," << pos.z << " is in a wrong place";
        return now.size();
    }

    test::TemporaryFolder folder_;
    fs::path universe_ = folder_ / "universe";
    fs::path file_;
    std::map<ChunkPos, Buffer> original_;
};

TEST_F(LostIndex, IsDamageAndNobodyDropsWhatItDoesNotList) {
    EXPECT_EQ(lost_files(), 0U);
    lose(listed());
    EXPECT_EQ(lost_files(), 1U);
    const auto bytes = read();
    NoProgress quiet;
    const auto world = location().worlds.at(0);
    const auto compacted = compact(world, {}, quiet);
    ASSERT_TRUE(compacted);
    EXPECT_EQ(compacted->problems.size(), 1U);
    EXPECT_FALSE(upgrade_world(world, world::Assets::built_in(), {}, quiet));
    EXPECT_FALSE(convert_location(location(), folder_ / "copy", StorageFormat::region_files, 1, quiet));
    EXPECT_FALSE(convert_location(world::find_location(file_).value(), folder_ / file_.filename(),
                                  StorageFormat::region_files, 1, quiet));
    EXPECT_EQ(repair_it(false).left, 1U);
    EXPECT_TRUE(read() == bytes) << "somebody wrote into the file";

    snapshot::TakeOptions options;
    const auto taken = snapshot::take(folder_ / "store", location(), options, quiet);
    ASSERT_TRUE(taken) << taken.error().text();
    EXPECT_EQ(taken->problems.size(), 1U);
    const auto store = snapshot::SnapshotStore::open(folder_ / "store").value();
    const auto kept = snapshot::open_snapshot(store, store.find("latest").value()).value();
    const auto file = kept.root.open("worlds/default/chunks/" + file_.filename().string()).value();
    EXPECT_TRUE(as_text(file->view(0, bytes.size()).value().bytes()) == bytes)
        << "the snapshot has another file";
}

TEST_F(LostIndex, IsNoneWhereWhatMakesTheWorldGoesOn) {
    lose(listed());
    EXPECT_EQ(lost_files(), 1U);
    std::ofstream(universe_ / world::k_unfinished_note) << "convert\n";
    EXPECT_EQ(lost_files(), 0U);
}

TEST_F(LostIndex, IsRebuiltFromTheChunksThemselves) {
    lose(listed());
    const auto bytes = read();
    const auto report = repair_it(true);
    EXPECT_EQ(report.chunks_restored, back());
    if (!test::looks_at_fewer()) {
        EXPECT_GE(back() * 100, original_.size() * 95);
    }
    undo_all(1);
    EXPECT_EQ(lost_files(), 1U);
    EXPECT_EQ(documents().size(), 0U);
    EXPECT_TRUE(read() == bytes) << "undo left something else";
}

TEST_F(LostIndex, AFewEntriesComeBackToo) {
    auto slots = listed();
    std::ranges::shuffle(slots, std::mt19937_64(1));
    slots.resize(slots.size() / 5);
    lose(slots);
    const auto report = repair_it(true);
    EXPECT_EQ(report.chunks_restored + original_.size() - slots.size(), back());
    if (!test::looks_at_fewer()) {
        EXPECT_GE(back() + 1, original_.size());
    }
}

TEST_F(LostIndex, ADryRunShowsWhatItWouldPutBack) {
    lose(listed());
    const auto bytes = read();
    const auto preview =
        storage::open_region_store(storage::Folder(storage::open_disk_tree(folder_ / "preview")),
                                   {.write = true, .create = true, .sync = storage::SyncPolicy::none})
            .value();
    RepairOptions options;
    options.from_orphans = true;
    options.dry_run = true;
    options.preview = preview.get();
    const auto report = repair_it(options);
    EXPECT_TRUE(read() == bytes);
    EXPECT_EQ(storage::count_chunks(*preview), report.chunks_restored);
    EXPECT_GT(report.chunks_restored, 0U);
    storage::ReadContext context;
    for (const auto& [pos, document] : original_) {
        const auto shown = preview->read(pos, context).value();
        EXPECT_TRUE(!shown || std::ranges::equal(*shown, document));
    }
}

TEST_F(LostIndex, EntriesThatShareAChunkLeaveItToTheOneThatItFits) {
    auto slots = listed();
    std::ranges::shuffle(slots, std::mt19937_64(1));
    constexpr std::size_t k_strays = 2;
    for (std::size_t i = 0; i < k_strays; ++i) lead(slots[i], slots[i + k_strays]);
    RepairOptions options;
    options.remove_unreadable = true;
    const auto report = repair_it(options);
    if (test::looks_at_fewer()) return; // of so few chunks nothing is sure
    EXPECT_EQ(report.chunks_removed, k_strays);
    EXPECT_EQ(report.left, 0U);
    EXPECT_EQ(back(), original_.size() - k_strays);
}

TEST_F(LostIndex, EntriesThatShareAChunkOfNobodyGoOnlyWhenThatIsWanted) {
    fs::remove(file_);
    const auto chunks = fs::path(file_).parent_path();
    const auto region = *storage::parse_region_file_name(file_.filename().string());
    const auto& [pos, document] = *original_.begin();
    ASSERT_TRUE(storage::open_region_store(storage::Folder(storage::open_disk_tree(chunks)),
                                           {.write = true, .create = true})
                    .value()
                    ->write(pos, document));
    const auto slot = listed().at(0);
    const auto other = (slot + 40) % k_entries;
    lead(other, slot);
    const auto bytes = read();
    const auto expect_both = [&] {
        const auto found = documents();
        EXPECT_EQ(found.size(), 2U);
        EXPECT_TRUE(found.contains(region.chunk(Slot{static_cast<int>(other)})));
    };
    EXPECT_EQ(repair_it(false).left, 2U);
    EXPECT_TRUE(read() == bytes);

    RepairOptions options;
    options.remove_ambiguous = true;
    const auto report = repair_it(options);
    EXPECT_EQ(report.chunks_removed, 2U);
    EXPECT_EQ(report.left, 0U);
    EXPECT_TRUE(documents().empty());
    EXPECT_FALSE(fs::is_empty(chunks.parent_path() / "orbis-set-aside"));
    undo_all(1);
    expect_both();
}

TEST_F(LostIndex, WhatWasRemovedOnPurposeIsNotLost) {
    NoProgress quiet;
    const auto world = location().worlds.at(0);
    PruneOptions options;
    options.remove = Selection::parse(std::vector<std::string>{"all"}).value();
    options.all = true;
    const auto plan = plan_prune(world, *world.open({}).value(), options, quiet).value();
    ASSERT_TRUE(prune(world, plan, options, quiet));
    EXPECT_EQ(listed().size(), 0U);
    EXPECT_EQ(lost_files(), 0U);
    const auto compacted = compact(world, {}, quiet).value();
    EXPECT_TRUE(compacted.problems.empty());
    EXPECT_TRUE(compacted.files.at(0).rewritten);

    undo_all(2); // compacting like anything else
    EXPECT_EQ(back(), original_.size());
}

TEST_F(LostIndex, CountsAsLostUntilSomebodySaysThatItIsNot) {
    lose(listed());
    const auto world = location().worlds.at(0);
    EXPECT_EQ(lost_files(true), 0U);
    remember_counts(world, {{*storage::parse_region_file_name(file_.filename().string()), 0}}, 1, true);
    EXPECT_EQ(lost_files(), 0U);
}

/// A region with so many chunks in use, so many that nothing leads to, and so many older copies.
std::unique_ptr<storage::Region> region_with(int in_use, int lost, int older, std::int32_t version = 1) {
    using test_worlds::version_blob;
    test::RegionContent content;
    for (int i = 0; i < in_use; ++i) content[i] = version_blob({.seed = 1 + i});
    for (int i = 0; i < lost; ++i) content[700 + i] = version_blob({.seed = 2000 + i});
    for (int i = 0; i < older; ++i) content[900 + i] = version_blob({.seed = 1 + i, .edits = 3});
    auto image = version == 0 ? test::region_v0_image(content) : test::region_v1_image(content);
    std::fill(image.begin() + 32 + 4 * 700, image.begin() + 32 + 4 * 1024, std::uint8_t{0});
    return storage::open_region(std::make_unique<test::MemoryFile>(std::move(image), "r.bin"), {0, 0})
        .value();
}

TEST(LostEntries, AreLookedForWhereThereAreMoreThanAFew) {
    struct Row {
        int in_use;
        int lost;
        int older;
        std::optional<std::uint32_t> remembered;
        std::size_t found_lost;
        std::size_t found_older;
        bool damage;
    };
    for (const auto& row :
         {Row{2, 4, 0, {}, 0, 0, false}, Row{2, 5, 0, {}, 5, 0, true}, Row{2, 3, 2, {}, 3, 2, true},
          Row{6, 3, 3, {}, 3, 3, false}, Row{6, 3, 4, {}, 3, 4, false}, Row{6, 4, 3, {}, 4, 3, true},
          Row{50, 5, 0, {}, 0, 0, false}, Row{50, 6, 0, {}, 6, 0, true}, Row{49, 5, 0, {}, 5, 0, true},
          Row{2, 5, 0, 2, 0, 0, false}, Row{2, 5, 0, 1, 0, 0, false}, Row{2, 5, 0, 3, 5, 0, true},
          Row{0, 5, 0, {}, 5, 0, true}}) {
        SCOPED_TRACE(testing::Message() << row.in_use << ' ' << row.lost << ' ' << row.older);
        const auto region = region_with(row.in_use, row.lost, row.older);
        const auto found = look_for_lost_entries(*region, row.remembered).value();
        EXPECT_EQ(found.in_use, static_cast<std::size_t>(row.in_use));
        EXPECT_EQ(found.unexplained, row.found_lost);
        EXPECT_EQ(found.older, row.found_older);
        EXPECT_EQ(found.is_damage(), row.damage);
        const auto refused = refuse_lost_entries(*region, row.remembered);
        ASSERT_EQ(refused.has_value(), !row.damage);
        if (refused) continue;
        EXPECT_EQ(refused.error().code, Errc::bad_value);
        EXPECT_EQ(refused.error().file, "r.bin");
        EXPECT_EQ(refused.error().advice, k_lost_entries_advice);
        EXPECT_EQ(refused.error().problem,
                  fmt::format("this file has {} whole chunks that its index does not list (it lists {}): the "
                              "index was damaged, or chunks were removed",
                              row.found_lost, row.in_use));
    }
    EXPECT_FALSE(look_for_lost_entries(*region_with(2, 9, 0, 0)).value().is_damage()) << "version 0";
    EXPECT_EQ(look_for_lost_entries(*region_with(2, 9, 0, 0)).value().in_use, 0U);
}

TEST(LostEntries, OfARegionThatIsRememberedAreToldByItsCount) {
    const RememberedCounts counts{{{0, 0}, {3, 100}}, {{1, -1}, {0, 100}}};
    EXPECT_EQ(remembered_count(counts, {0, 0}), 3U);
    EXPECT_EQ(remembered_count(counts, {1, -1}), 0U);
    EXPECT_EQ(remembered_count(counts, {0, 1}), std::nullopt);
}

} // namespace

} // namespace orbis::jobs
