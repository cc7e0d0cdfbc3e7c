#include "jobs/snapshot/snapshot_worlds_test.hpp"
#include "support/power_cut.hpp"
#include "support/run_and_kill.hpp"

#include <set>
#include <stdexcept>

namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

struct Killed : std::runtime_error {
    Killed() : std::runtime_error("killed") {}
};

/// A disk that stops at the n-th step that changes anything, before it or in the middle of a write.
class KillingDisk final : public Disk {
public:
    KillingDisk(std::size_t step, bool tears) : left_(step), tears_(tears) {}

    Result<std::unique_ptr<File>> create(const fs::path& path) override {
        step();
        TRY(auto file, Disk::create(path));
        return std::make_unique<KillingFile>(*this, std::move(file));
    }
    Result<void> rename(const fs::path& from, const fs::path& to) override {
        step();
        return Disk::rename(from, to);
    }
    Result<void> remove(const fs::path& path) override {
        step();
        return Disk::remove(path);
    }

private:
    class KillingFile final : public File {
    public:
        KillingFile(KillingDisk& disk, std::unique_ptr<File> file) : disk_(disk), file_(std::move(file)) {}
        const std::string& name() const override { return file_->name(); }
        Result<std::uint64_t> size() const override { return file_->size(); }
        Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
            return file_->view(offset, length);
        }
        Result<void> check(const FileView& view) const override { return file_->check(view); }
        Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override {
            if (disk_.left_ == 0 && disk_.tears_)
                (void)file_->write(offset, parts.front().first(parts.front().size() / 2));
            disk_.step();
            return file_->write(offset, parts);
        }
        Result<void> sync() override {
            disk_.step();
            return file_->sync();
        }

    private:
        KillingDisk& disk_;
        std::unique_ptr<File> file_;
    };

    void step() {
        if (left_ == 0) throw Killed();
        --left_;
    }

    std::size_t left_;
    bool tears_;
};

class KillTest : public testing::Test {
protected:
    /// A store with two snapshots, and a world with changes that it does not have yet.
    void SetUp() override {
        std::mt19937_64 random(7);
        auto content = first_content();
        for (int i = 0; i < 3; ++i) {
            for (int x = -4; x < 4; ++x) content.chunks[{x, i}] = edited(content.chunks[{x, i}], random);
            content.chunks[{20 + i, 3}] = document(random());
            content.files["players/a.json"] = fmt::format("{}", random());
            write_world(world_, content);
            if (i < 2) taken_[take_world(original_, world_, k_later + i).id] = content;
        }
        now_ = content;
    }

    /// Everything of a store, as a new process finds it.
    void expect_snapshots(const fs::path& store, const std::map<std::string, WorldContent>& expected) const {
        std::vector<Error> problems;
        std::set<std::string> found;
        for (const auto& snapshot : SnapshotStore::open(store).value().list(problems))
            found.insert(snapshot.id);
        EXPECT_TRUE(problems.empty());
        for (const auto& [id, content] : expected) {
            EXPECT_TRUE(found.contains(id)) << id;
            EXPECT_EQ(read_path(store.string() + "@" + id), content) << id;
        }
        EXPECT_TRUE(verify_store(store).problems.empty());
    }

    /// The first snapshot, and what is left of the store once it is removed.
    struct Removal {
        std::string gone;
        std::map<std::string, WorldContent> rest;
        std::uint64_t bytes = 0;
    };
    Removal removal() {
        Removal removal{taken_.begin()->first, taken_, 0};
        removal.rest.erase(removal.gone);
        const auto whole = folder_ / "whole";
        fs::copy(original_, whole, fs::copy_options::recursive);
        EXPECT_TRUE(remove_snapshots(whole, {removal.gone}, false, quiet_));
        removal.bytes = SnapshotStore::open(whole).value().bytes();
        return removal;
    }

    static std::size_t leftovers(const fs::path& store) {
        std::size_t count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(store))
            if (entry.path().string().ends_with(k_unfinished_suffix)
                || entry.path().filename() == "unfinished")
                ++count;
        return count;
    }

    /// Kills `run` at every step, each time on a fresh copy of the store, until it comes to its end.
    void kill_everywhere(const std::function<void(const fs::path& store, Disk& disk)>& run,
                         const std::function<void(const fs::path& store)>& after) {
        for (const bool tears : {false, true})
            for (std::size_t step = 0;; ++step) {
                SCOPED_TRACE(fmt::format("killed at step {}{}", step, tears ? ", torn" : ""));
                ASSERT_LT(step, 1000U);
                const auto store = folder_ / "copy";
                fs::remove_all(store);
                fs::copy(original_, store, fs::copy_options::recursive);
                KillingDisk disk(step, tears);
                bool killed = false;
                try {
                    run(store, disk);
                } catch (const Killed&) {
                    killed = true;
                }
                after(store);
                if (HasFailure()) return;
                if (!killed) break;
            }
    }

    test::TemporaryFolder folder_;
    fs::path original_ = folder_ / "store";
    fs::path world_ = folder_ / "world";
    std::map<std::string, WorldContent> taken_;
    WorldContent now_;
    NoProgress quiet_;
};

TEST_F(KillTest, ASnapshotThatIsKilledAnywhereLosesNothing) {
    kill_everywhere(
        [&](const fs::path& store, Disk& disk) { take_world(store, world_, k_later + 9, &disk, 1); },
        [&](const fs::path& store) {
            expect_snapshots(store, taken_);
            auto expected = taken_;
            expected[take_world(store, world_, k_later + 20).id] = now_;
            expect_snapshots(store, expected);
            EXPECT_EQ(leftovers(store), 0U);
        });
}

TEST_F(KillTest, ARemovalThatIsKilledAnywhereLosesNothingElse) {
    const auto [gone, rest, expected_bytes] = removal();
    kill_everywhere([&](const fs::path& store,
                        Disk& disk) { (void)remove_snapshots(store, {gone}, false, quiet_, disk); },
                    [&](const fs::path& store) {
                        expect_snapshots(store, rest);
                        ASSERT_TRUE(remove_snapshots(store, {gone}, false, quiet_));
                        expect_snapshots(store, rest);
                        EXPECT_EQ(leftovers(store), 0U);
                        EXPECT_LE(SnapshotStore::open(store).value().bytes(), expected_bytes + 600)
                            << "nothing is left behind";
                    });
}

TEST_F(KillTest, AStoreThatIsKilledWhileItIsMadeIsMadeTheNextTime) {
    original_ = folder_ / "nothing";
    fs::create_directories(original_);
    kill_everywhere([&](const fs::path& store, Disk& disk) { take_world(store, world_, k_later, &disk, 1); },
                    [&](const fs::path& store) {
                        const auto id = take_world(store, world_, k_later + 5).id;
                        expect_snapshots(store, {{id, now_}});
                        EXPECT_EQ(leftovers(store), 0U);
                    });
}

TEST_F(KillTest, TheSameCommandTakesANamedSnapshotWhereverItWasKilled) {
    const auto take_named = [&](const fs::path& store, Disk* disk, std::int64_t time) {
        TakeOptions options;
        options.name = "before-update";
        options.time = time;
        options.disk = disk;
        return take(store, find_source(world_.string()).value(), options, quiet_);
    };
    std::size_t was_taken = 0;
    kill_everywhere(
        [&](const fs::path& store, Disk& disk) { ASSERT_TRUE(take_named(store, &disk, k_later + 9)); },
        [&](const fs::path& store) {
            const bool is_named = SnapshotStore::open(store).value().find("before-update").has_value();
            const bool came_to_its_end = is_named && !fs::exists(store / "unfinished");
            const auto again = take_named(store, nullptr, k_later + 20);
            ASSERT_NE(again.has_value(), came_to_its_end);
            if (!again) return;
            EXPECT_EQ(again->was_taken, is_named);
            if (again->was_taken) ++was_taken;
            EXPECT_EQ(read_path(store.string() + "@before-update"), now_);
            EXPECT_EQ(leftovers(store), 0U);
            EXPECT_FALSE(take_named(store, nullptr, k_later + 30));
        });
    EXPECT_GT(was_taken, 0U);
}

TEST_F(KillTest, ASnapshotLastsThroughAPowerCutWhenItIsSaidToBeTaken) {
    const auto id = id_of_time(k_later + 9);
    int states = 0;
    const auto run = test::after_power_cuts(
        original_,
        [&] {
            take_world(original_, world_, k_later + 9, nullptr, 1);
            return 0;
        },
        [&](const test::PowerCut& cut) {
            if (HasFailure()) return;
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            ++states;
            auto expected = taken_;
            if (cut.finished) expected[id] = now_;
            expect_snapshots(original_, expected);
            expected[take_world(original_, world_, k_later + 20).id] = now_;
            expect_snapshots(original_, expected);
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(states, 20);
}

TEST_F(KillTest, ARemovalLosesNothingElseInAPowerCut) {
    const auto [gone, rest, expected_bytes] = removal();
    const auto run = test::after_power_cuts(
        original_, [&] { return remove_snapshots(original_, {gone}, false, quiet_) ? 0 : 1; },
        [&](const test::PowerCut& cut) {
            if (HasFailure()) return;
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            const bool is_there = fs::exists(original_ / "snapshots" / (gone + ".snapshot"));
            EXPECT_FALSE(is_there && cut.finished);
            if (cut.finished) {
                EXPECT_LE(SnapshotStore::open(original_).value().bytes(), expected_bytes + 600)
                    << "space is freed";
            }
            expect_snapshots(original_, is_there ? taken_ : rest);
            ASSERT_TRUE(remove_snapshots(original_, {gone}, false, quiet_));
            expect_snapshots(original_, rest);
        });
    EXPECT_EQ(run.exit_code, 0);
}

TEST_F(KillTest, ARealKillLosesNothingEither) {
    SEEDED_RANDOM(random);
    std::int64_t time = k_later + 100;
    const auto take = [&] { take_world(original_, world_, time, nullptr, 1); };
    const auto moments = test::count_moments(take);
    taken_[id_of_time(time)] = now_;
    constexpr int k_rounds = 20;
    int killed = 0;
    for (int round = 0; round < k_rounds; ++round) {
        now_.chunks[{0, 0}] = edited(now_.chunks[{0, 0}], random);
        now_.chunks[{9, round}] = document(random(), 60000);
        write_world(world_, now_);
        ++time;
        const auto moment = moments * (round + 1) / (k_rounds + 1);
        killed += test::run_and_kill(take, moment) == moment ? 1 : 0;
        std::vector<Error> problems;
        for (const auto& snapshot : SnapshotStore::open(original_).value().list(problems))
            if (snapshot.manifest.time == time) taken_[snapshot.id] = now_;
        ASSERT_TRUE(problems.empty());
    }
    EXPECT_GT(killed, k_rounds / 2);
    taken_[take_world(original_, world_, time + 1).id] = now_;
    expect_snapshots(original_, taken_);
    EXPECT_EQ(leftovers(original_), 0U);
}

} // namespace
} // namespace orbis::jobs::snapshot
