#include "bytes/progress.hpp"
#include "game/chunks/disk_watch.hpp"
#include "game/edits/edits_test.hpp"
#include "jobs/undo/change.hpp"
#include "storage/write_lock.hpp"
#include "support/seed.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace orbis::game {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ChunkSaverTest : public made::EditTest {
protected:
    ChunkSaverTest() { begin(); }
    ~ChunkSaverTest() override { saver_.reset(); } // before what it reports to

    [[nodiscard]] fs::path region(std::string_view name = "0.0.region.bin") const {
        return folder_ / "world/chunks" / name;
    }
    /// Changes a copy of the world as another program would, and puts its files in place.
    template <typename Change>
    void change_from_outside(Change change) {
        const auto copy = folder_ / "copy";
        fs::remove_all(copy);
        fs::copy(folder_ / "world", copy, fs::copy_options::recursive);
        {
            const auto place = world::find_location(copy).value();
            storage::StoreOptions options;
            options.write = true;
            change(*place.worlds.at(0).open(options).value());
        }
        for (const auto& entry : fs::directory_iterator(copy / "chunks"))
            fs::rename(entry.path(), folder_ / "world/chunks" / entry.path().filename());
    }
    static void set_from_outside(storage::Store& store, BlockPos pos, std::string_view key) {
        storage::ReadContext context;
        const auto document = store.read(pos.chunk(), context).value().value();
        auto chunk = chunk::Chunk::decode(Buffer(document.begin(), document.end())).value();
        EXPECT_TRUE(chunk.set_block(pos, {key, {}, {}}));
        Buffer out;
        EXPECT_TRUE(store.write(pos.chunk(), chunk.encode(out).value()));
    }
};

TEST_F(ChunkSaverTest, EditsAreOnTheDiskWhenTheyAreToldAsSaved) {
    const auto before = on_disk({0, 0});
    begin_saving();
    place({5, 200, 5}, "Rock_Stone");
    place({6, 200, 5}, "Soil_Dirt");
    place({-5, 200, 5}, "Rock_Stone");
    EXPECT_EQ(on_disk({0, 0}).block({5, 200, 5}).key, "Empty");
    const auto report = save();
    EXPECT_EQ(report.saved_up_to, 3U);
    EXPECT_EQ(report.written, (std::vector<ChunkPos>{{-1, 0}, {0, 0}}));
    EXPECT_TRUE(report.problems.empty());
    EXPECT_EQ(saver_->saved_up_to(), 3U);
    EXPECT_TRUE(chunks_.unsaved().empty());

    const auto after = on_disk({0, 0});
    EXPECT_EQ(after.block({5, 200, 5}).key, "Rock_Stone");
    EXPECT_EQ(after.heights().at(ColumnIndex(5, 5)), 200);
    EXPECT_EQ(after.heights().at(ColumnIndex(7, 5)), before.heights().at(ColumnIndex(7, 5)));
    EXPECT_TRUE(after.problems().empty());
    EXPECT_TRUE(after.check().empty());
    const auto section = [](const chunk::Chunk& chunk, const char* y, const char* part) {
        const auto data = chunk.component("ChunkColumn")->find("Sections")->array()->document(y);
        return Buffer(data->document("Components")->document(part)->bytes().begin(),
                      data->document("Components")->document(part)->bytes().end());
    };
    EXPECT_EQ(section(after, "8", "Block"), section(before, "8", "Block")) << "what is not changed stays";
    EXPECT_EQ(section(after, "6", "Fluid"), section(before, "6", "Fluid"));
    EXPECT_NE(section(after, "6", "Block"), section(before, "6", "Block"));

    // The copy in memory goes on from there.
    dig({5, 200, 5});
    EXPECT_EQ(save().saved_up_to, 4U);
    EXPECT_EQ(on_disk({0, 0}).heights().at(ColumnIndex(5, 5)), before.heights().at(ColumnIndex(5, 5)));
    EXPECT_EQ(on_disk({0, 0}).block({6, 200, 5}).key, "Soil_Dirt");
}

TEST_F(ChunkSaverTest, TheFolderIsLockedUntilTheEndWhichSavesTheRest) {
    begin_saving();
    storage::StoreOptions options;
    options.write = true;
    EXPECT_EQ(world().open(options).error().code, Errc::busy);
    place({5, 200, 5}, "Rock_Stone");
    saver_->stop();
    EXPECT_EQ(reports_.back().saved_up_to, 1U);
    EXPECT_EQ(on_disk({0, 0}).block({5, 200, 5}).key, "Rock_Stone");
    EXPECT_TRUE(world().open(options));
}

TEST_F(ChunkSaverTest, RegionFilesThatCannotBeWrittenAreToldBeforeAnybodyBuilds) {
    const auto start = [&] {
        // For the superuser every file can be written.
        constexpr uid_t k_nobody = 65534;
        const auto user = geteuid();
        EXPECT_TRUE(user != 0 || seteuid(k_nobody) == 0);
        auto saver = ChunkSaver::start(world(), chunks_, made::is_transparent, {}, [](const SaveReport&) {});
        EXPECT_TRUE(user != 0 || seteuid(user) == 0);
        return saver;
    };
    for (const auto& path : {folder_.path(), folder_ / "world", folder_ / "world/chunks"})
        fs::permissions(path, fs::perms::all);
    fs::permissions(region(), static_cast<fs::perms>(0444));
    for (const auto* name : {"-1.0.region.bin", "0.-1.region.bin", "-1.-1.region.bin"})
        fs::permissions(region(name), static_cast<fs::perms>(0666));
    const auto refused = start();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::read_only);
    EXPECT_TRUE(refused.error().text().contains("0.0.region.bin")) << refused.error().text();
    fs::permissions(region(), static_cast<fs::perms>(0666));
    const auto started = start();
    EXPECT_TRUE(started) << started.error().text();
}

TEST_F(ChunkSaverTest, WhatItWritesIsNoNewsForTheWatch) {
    // As if they were written long ago: fresh ones are not taken for settled.
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "world/chunks"))
        std::filesystem::last_write_time(entry.path(), std::filesystem::file_time_type::clock::now() - 1h);
    begin();
    begin_saving();
    std::mutex mutex;
    std::set<ChunkPos> news;
    const auto watch = DiskWatch::start(
                           world(), {1ms, folder_.path()},
                           [&](const std::vector<ChunkPos>& chunks) {
                               const std::lock_guard lock(mutex);
                               news.insert(chunks.begin(), chunks.end());
                           },
                           [this](ChunkPos pos, const storage::Store& store) {
                               storage::ReadContext context;
                               const auto stored = jobs::stored_hash(store, pos, context);
                               return stored && *stored && saver_->is_own(pos, **stored);
                           })
                           .value();
    ASSERT_TRUE(test::wait_for([&] { return watch->is_settled(); }));
    place({5, 200, 5}, "Rock_Stone");
    EXPECT_EQ(save().saved_up_to, 1U);
    const auto before = watch->looks();
    EXPECT_TRUE(test::wait_for([&] { return watch->looks() > before + 1; }));
    saver_->stop();
    ASSERT_TRUE(open_for_writing()->write({1, 1}, world::made::document({1, 1}, 7777)));
    EXPECT_TRUE(test::wait_for([&] {
        const std::lock_guard lock(mutex);
        return !news.empty();
    }));
    watch->stop();
    EXPECT_EQ(news, (std::set<ChunkPos>{{1, 1}})) << "and nothing before it";
}

TEST_F(ChunkSaverTest, SavesByItself) {
    begin_saving(20ms);
    place({5, 200, 5}, "Rock_Stone");
    EXPECT_TRUE(test::wait_for([&] { return saver_->saved_up_to() > 0; }));
    EXPECT_EQ(saver_->saved_up_to(), 1U);
}

TEST_F(ChunkSaverTest, WhatOthersWriteMeanwhileStays) {
    begin_saving();
    place({5, 200, 5}, "Rock_Stone");
    change_from_outside([](storage::Store& store) {
        set_from_outside(store, {9, 200, 9}, "Soil_Dirt");
        set_from_outside(store, {40, 200, 9}, "Soil_Dirt");
        set_from_outside(store, {5, 200, 5}, "Soil_Sand");
    });
    const auto report = save();
    EXPECT_EQ(report.saved_up_to, 1U);
    EXPECT_EQ(report.merged, (std::vector<ChunkPos>{{0, 0}}));
    EXPECT_TRUE(report.problems.empty());
    EXPECT_EQ(on_disk({0, 0}).block({5, 200, 5}).key, "Rock_Stone") << "the later one";
    EXPECT_EQ(on_disk({0, 0}).block({9, 200, 9}).key, "Soil_Dirt");
    EXPECT_EQ(on_disk({1, 0}).block({40, 200, 9}).key, "Soil_Dirt") << "of another chunk in the same file";
    EXPECT_EQ(chunks_.find({0, 0})->block({9, 200, 9}).key, "Soil_Dirt");
    // And after a save of its own.
    place({6, 200, 5}, "Rock_Stone");
    EXPECT_TRUE(save().merged.empty());
    place({7, 200, 5}, "Rock_Stone");
    change_from_outside([](storage::Store& store) { set_from_outside(store, {9, 201, 9}, "Soil_Dirt"); });
    EXPECT_EQ(save().merged, (std::vector<ChunkPos>{{0, 0}}));
    for (const int x : {5, 6, 7}) EXPECT_EQ(on_disk({0, 0}).block({x, 200, 5}).key, "Rock_Stone");
    EXPECT_EQ(on_disk({0, 0}).block({9, 201, 9}).key, "Soil_Dirt");
}

TEST_F(ChunkSaverTest, AChunkThatOthersRemoveIsNotMadeAgain) {
    begin_saving();
    place({5, 200, 5}, "Rock_Stone");
    place({40, 200, 5}, "Rock_Stone");
    change_from_outside([](storage::Store& store) { EXPECT_TRUE(store.remove({0, 0}).value()); });
    auto report = save();
    EXPECT_EQ(report.saved_up_to, 0U);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(on_disk({1, 0}).block({40, 200, 5}).key, "Rock_Stone") << "the others are saved";
    report = save();
    ASSERT_EQ(report.lost.size(), 1U) << "it is not only away for a moment";
    EXPECT_EQ(report.lost[0].cells, 1U);
    EXPECT_EQ(report.lost[0].pos, (ChunkPos{0, 0}));
    EXPECT_EQ(report.saved_up_to, 2U);
    EXPECT_FALSE(world().open({}).value()->contains({0, 0}).value());
    EXPECT_EQ(place({5, 200, 5}, "Rock_Stone").refusal->code, Errc::not_found);
}

TEST_F(ChunkSaverTest, AFileThatIsAwayForAMomentNowAndThenCostsNothing) {
    begin_saving();
    std::uint64_t last = 0;
    // It comes back as it was, then with other content, then after its chunk was given up.
    for (const int round : {0, 1, 2, 3}) {
        SCOPED_TRACE(round);
        ASSERT_FALSE(place({round, 200, 5}, "Rock_Stone").refusal);
        last = edits_->last_edit();
        fs::rename(region(), folder_ / "aside");
        auto report = save();
        EXPECT_TRUE(report.lost.empty()) << "the first look is never the last";
        EXPECT_EQ(report.problems.size(), 1U);
        EXPECT_EQ(report.saved_up_to, last - 1);
        if (round == 2) {
            report = save();
            EXPECT_EQ(report.lost.size(), 1U);
            EXPECT_EQ(report.saved_up_to, last) << "it is told as lost";
        }
        fs::rename(folder_ / "aside", region());
        if (round == 1)
            change_from_outside(
                [](storage::Store& store) { set_from_outside(store, {9, 200, 9}, "Soil_Dirt"); });
        if (round == 2) continue;
        report = save();
        EXPECT_TRUE(report.lost.empty());
        EXPECT_TRUE(report.problems.empty());
        EXPECT_EQ(report.merged.size(), round == 1 ? 1U : 0U);
        EXPECT_EQ(report.saved_up_to, last);
        EXPECT_EQ(on_disk({0, 0}).block({round, 200, 5}).key, "Rock_Stone");
    }
}

/// A store whose disk fails when it is told to.
class FailingStore final : public storage::Store {
public:
    struct Faults {
        std::atomic<bool> is_full = false;
        std::atomic<bool> cannot_sync = false;
        std::atomic<int> full_for = 0; ///< so many writes
    };
    FailingStore(std::shared_ptr<storage::Store> store, Faults& faults)
        : store_(std::move(store)), faults_(faults) {}

    std::string_view kind() const override { return store_->kind(); }
    const std::string& name() const override { return store_->name(); }
    bool keeps_compressed() const override { return store_->keeps_compressed(); }
    std::unique_ptr<storage::Cursor> chunks() const override { return store_->chunks(); }
    Result<bool> contains(ChunkPos pos) const override { return store_->contains(pos); }
    Result<std::optional<Bytes>> read(ChunkPos pos, storage::ReadContext& context) const override {
        return store_->read(pos, context);
    }
    Result<std::optional<storage::CompressedChunk>>
    read_compressed(ChunkPos pos, storage::ReadContext& context) const override {
        return store_->read_compressed(pos, context);
    }
    Result<void> write(ChunkPos pos, Bytes document) override {
        if (faults_.is_full) return fail(Errc::no_space, "the disk is full");
        return store_->write(pos, document);
    }
    Result<void> write_compressed(ChunkPos pos, const storage::CompressedChunk& frame) override {
        if (faults_.is_full || faults_.full_for-- > 0) return fail(Errc::no_space, "the disk is full");
        return store_->write_compressed(pos, frame);
    }
    Result<bool> remove(ChunkPos pos) override { return store_->remove(pos); }
    Result<void> sync() override {
        is_broken_ = is_broken_ || faults_.cannot_sync;
        if (is_broken_) return fail(Errc::io, "the disk is away");
        return store_->sync();
    }

private:
    std::shared_ptr<storage::Store> store_;
    Faults& faults_;
    bool is_broken_ = false; ///< after a sync that failed only a new one can be trusted
};

class FailingSaverTest : public ChunkSaverTest {
protected:
    FailingSaverTest() {
        auto& failing = place_.worlds.at(0);
        failing.open_other =
            [this, real = failing](
                const storage::StoreOptions& options) -> Result<std::shared_ptr<storage::Store>> {
            TRY(auto store, real.open(options));
            return std::make_shared<FailingStore>(std::move(store), faults);
        };
        failing.source = world::World::Source::other;
        begin_saving();
    }
    ~FailingSaverTest() override { saver_.reset(); } // before the faults

    FailingStore::Faults faults;
};

TEST_F(FailingSaverTest, AMomentsTroubleAtTheEndCostsNothing) {
    place({5, 200, 5}, "Rock_Stone");
    faults.full_for = 1;
    saver_->stop();
    ASSERT_EQ(reports_.size(), 2U);
    EXPECT_EQ(reports_[0].saved_up_to, 0U);
    EXPECT_EQ(reports_[1].saved_up_to, 1U);
    EXPECT_EQ(on_disk({0, 0}).block({5, 200, 5}).key, "Rock_Stone");
}

TEST_F(FailingSaverTest, OnlyWhatCouldNotBeWrittenHoldsTheCountBack) {
    place({40, 200, 5}, "Rock_Stone");
    place({5, 200, 5}, "Rock_Stone");
    faults.full_for = 1; // the chunk that comes first has the later edit
    auto report = save();
    EXPECT_EQ(report.written, (std::vector<ChunkPos>{{1, 0}}));
    EXPECT_EQ(report.saved_up_to, 1U);
    EXPECT_EQ(report.problems.size(), 1U);
    report = save();
    EXPECT_EQ(report.written, (std::vector<ChunkPos>{{0, 0}}));
    EXPECT_EQ(report.saved_up_to, 2U);
}

TEST_F(FailingSaverTest, OnAFullOrFailingDiskEditsWaitUntilThereIsRoom) {
    place({5, 200, 5}, "Rock_Stone");
    EXPECT_EQ(save().saved_up_to, 1U);
    for (auto* fault : {&faults.is_full, &faults.cannot_sync}) {
        const auto saved = saver_->saved_up_to();
        *fault = true;
        place({40, 200, 5}, fault == &faults.is_full ? "Rock_Stone" : "Soil_Dirt");
        dig({5, 200, 5});
        place({5, 200, 5}, "Soil_Sand");
        for (int i = 0; i < 2; ++i) {
            const auto report = save();
            EXPECT_EQ(report.saved_up_to, saved);
            EXPECT_TRUE(report.written.empty() || fault == &faults.is_full) << "nothing is said to be safe";
            ASSERT_FALSE(report.problems.empty());
            EXPECT_EQ(report.problems[0].code, fault == &faults.is_full ? Errc::no_space : Errc::io);
        }
        EXPECT_EQ(chunks_.unsaved().size(), 2U);
        *fault = false;
        const auto report = save();
        EXPECT_EQ(report.saved_up_to, saved + 3)
            << (report.problems.empty() ? "" : report.problems[0].text());
        EXPECT_TRUE(report.lost.empty());
        EXPECT_EQ(on_disk({1, 0}).block({40, 200, 5}).key,
                  fault == &faults.is_full ? "Rock_Stone" : "Soil_Dirt");
        EXPECT_EQ(on_disk({0, 0}).block({5, 200, 5}).key, "Soil_Sand");
    }
}

TEST_F(ChunkSaverTest, KnowsItsOwnWrites) {
    begin_saving();
    place({5, 200, 5}, "Rock_Stone");
    save();
    storage::ReadContext context;
    const auto stored = load_chunk(*world().open({}).value(), {0, 0}, context).value()->stored();
    EXPECT_TRUE(saver_->is_own({0, 0}, stored));
    EXPECT_FALSE(saver_->is_own({1, 0}, stored));
    EXPECT_TRUE(saver_->is_own({0, 0}, stored)) << "however often it is asked";
    EXPECT_FALSE(saver_->is_own({0, 0}, Sha256{1})) << "somebody else has written";
    EXPECT_FALSE(saver_->is_own({0, 0}, stored)) << "and has put it back: that is a change, too";
    place({6, 200, 5}, "Rock_Stone");
    save();
    EXPECT_TRUE(saver_->is_own({0, 0}, chunks_.find({0, 0})->stored()));
}

/// Edit `number` of a storm: the same in the process that makes it and in the one that looks at what is left.
CellEdit storm_edit(std::uint64_t seed, std::uint64_t number) {
    static constexpr std::array<std::string_view, 5> k_keys{"Rock_Stone", "Soil_Dirt", "Soil_Sand",
                                                            "Soil_Grass", "Empty"};
    std::uint64_t state = seed * 1'000'003 + number;
    const auto random = [&] { // splitmix64
        auto mixed = state += 0x9E37'79B9'7F4A'7C15;
        mixed = (mixed ^ mixed >> 30) * 0xBF58'476D'1CE4'E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D0'49BB'1331'11EB;
        return mixed ^ mixed >> 31;
    };
    const BlockPos pos{static_cast<int>(random() % 40) * 4 - 64, static_cast<int>(random() % 4) * 90,
                       static_cast<int>(random() % 40) * 4 - 64};
    return {pos, {k_keys[random() % k_keys.size()], {}, {}}, number};
}

/// A storm is never further ahead of what was saved than this, however slow the disk is.
constexpr std::uint64_t k_most_ahead = 8'000;

/// Edits without end.
[[noreturn]] void rage(std::uint64_t seed, EditQueue& edits, const ChunkSaver& saver) {
    std::uint64_t awaited = 0;
    for (std::uint64_t number = 1;; ++number) {
        const auto wanted = storm_edit(seed, number);
        edits.submit({wanted.pos, wanted.block, {}, [](const EditOutcome&) {}});
        if (number % 16 == 0) std::this_thread::sleep_for(200us);
        if (number % (k_most_ahead / 4) != 0) continue;
        while (saver.saved_up_to() < awaited) std::this_thread::sleep_for(1ms);
        awaited = edits.last_edit();
    }
}

TEST_F(ChunkSaverTest, AKilledServerHasEverythingThatItToldAsSaved) {
    SEEDED_RANDOM(random);
    const auto seed = random();
    const auto read_all = [this] {
        std::map<ChunkPos, chunk::Chunk> all;
        for (int i = 0; i < 25; ++i)
            all.emplace(ChunkPos{i % 5 - 2, i / 5 - 2}, on_disk({i % 5 - 2, i / 5 - 2}));
        return all;
    };
    auto before = read_all();
    for (std::uint64_t round = 0; round < 12; ++round) {
        std::array<int, 2> pipe{};
        ASSERT_EQ(::pipe(pipe.data()), 0);
        const auto child = fork();
        if (child == 0) {
            auto saver = ChunkSaver::start(world(), chunks_, made::is_transparent, {1ms, false},
                                           [&](const SaveReport& report) {
                                               if (!report.problems.empty() || !report.lost.empty()) _exit(3);
                                               const auto saved = report.saved_up_to;
                                               if (::write(pipe[1], &saved, sizeof saved) < 0) _exit(2);
                                           });
            if (!saver) _exit(4);
            rage(seed + round, *edits_, **saver);
        }
        close(pipe[1]);
        // Three of four are killed after something was saved, however slow this machine is; the fourth at any
        // time.
        std::uint64_t saved = 0;
        std::uint64_t told = 0;
        const bool waits = round % 4 != 3;
        while (waits && saved == 0 && ::read(pipe[0], &told, sizeof told) == sizeof told) saved = told;
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round << " ended with " << WEXITSTATUS(status);
        while (::read(pipe[0], &told, sizeof told) == sizeof told) saved = told;
        close(pipe[0]);
        EXPECT_TRUE(saved > 0 || !waits) << "nothing was tried in round " << round;
        SCOPED_TRACE(fmt::format("round {}, {} edits were saved", round, saved));

        // What each cell may hold: what it had after the last saved edit, or what a later one made of it.
        std::map<BlockPos, std::string> model;
        std::map<BlockPos, std::set<std::string>> later;
        const auto held = [&](BlockPos pos) {
            const auto found = model.find(pos);
            if (found != model.end()) return found->second;
            return std::string(before.at(pos.chunk()).block(pos).key);
        };
        std::uint64_t count = 0; // of edits that change something: only those have numbers
        for (std::uint64_t number = 1; count < saved + k_most_ahead; ++number) {
            const auto wanted = storm_edit(seed + round, number);
            const bool changes = count < saved ? held(wanted.pos) != wanted.block.key : true;
            if (changes) ++count;
            if (count <= saved)
                model[wanted.pos] = wanted.block.key;
            else
                later[wanted.pos].emplace(wanted.block.key);
        }
        auto after = read_all();
        for (const auto& [pos, key] : model) {
            const std::string found(after.at(pos.chunk()).block(pos).key);
            ASSERT_TRUE(found == key || later[pos].contains(found))
                << pos.x << "," << pos.y << "," << pos.z << " holds " << found << " instead of " << key;
        }
        NoProgress progress;
        const auto checked = jobs::verify(
            world::find_location(folder_ / "world").value(), world::Assets::built_in(), {},
            [](const jobs::Finding&) {}, progress);
        EXPECT_EQ(checked.damage, 0U);
        EXPECT_EQ(checked.wrong, 0U);
        EXPECT_EQ(checked.chunks, 25U);
        before = std::move(after);
    }
}

} // namespace
} // namespace orbis::game
