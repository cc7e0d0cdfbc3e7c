// Every single write and sync of a sequence is cut, torn or failed once; the file is opened again and
// compared.

#include "storage/region_file.hpp"
#include "storage/stores_test.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/simulated_disk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace orbis::storage {
namespace {

using test::BlobImage;
using test::SimulatedDisk;
using test_stores::policy_name;
using Fault = SimulatedDisk::Fault;
using Content = std::optional<BlobImage>; ///< of a slot; nothing when it is empty

constexpr int k_slots = 12;
constexpr test::RegionShape k_crash_shape{.blob_count = k_slots, .segment_size = 64};

/// A step of a sequence: a blob goes into a slot, a slot is emptied, or all is synced.
struct Step {
    enum class Kind : std::uint8_t { write, remove, sync } kind = Kind::write;
    int slot = 0;
    BlobImage blob;
};

BlobImage blob_of(int slot, int version, std::size_t size) {
    Buffer frame(size);
    for (std::size_t i = 0; i < size; ++i)
        frame[i] = static_cast<std::uint8_t>(slot * 31 + version * 7 + static_cast<int>(i));
    return {std::move(frame), static_cast<std::uint32_t>(version)};
}

/// New, larger, smaller, removed, added again; sizes of one to twelve segments, so that runs are reused.
std::vector<Step> sequence(std::mt19937_64& random, int length) {
    std::vector<Step> steps;
    for (int version = 1; version <= length; ++version) {
        const auto slot = static_cast<int>(random() % k_slots);
        const auto dice = random() % 10;
        if (dice == 0)
            steps.push_back({Step::Kind::sync, 0, {}});
        else if (dice <= 2)
            steps.push_back({Step::Kind::remove, slot, {}});
        else
            steps.push_back({Step::Kind::write, slot, blob_of(slot, version, 1 + random() % 700)});
    }
    return steps;
}

/// What each slot may hold when the file is opened again.
class Expectation {
public:
    Expectation(SyncPolicy policy, const test::RegionContent& start) : policy_(policy) {
        for (int slot = 0; slot < k_slots; ++slot) {
            const auto found = start.find(slot);
            slots_[slot].settled = found == start.end() ? Content() : Content(found->second);
        }
    }

    void apply(const Step& step, bool succeeded) {
        if (step.kind == Step::Kind::sync) {
            if (!succeeded) return;
            for (auto& [slot, state] : slots_) settle(state);
            return;
        }
        auto& state = slots_[step.slot];
        state.later.push_back(step.kind == Step::Kind::write ? Content(step.blob) : Content());
        state.certain = succeeded;
        if (succeeded && policy_ == SyncPolicy::each) settle(state);
    }

    /// The process is gone, and with it what a batch held back.
    void kill() {
        if (policy_ != SyncPolicy::batch) return;
        for (auto& [slot, state] : slots_) state.certain = state.certain && state.later.empty();
    }

    /// After a kill a write that returned is there, except where a batch holds it back.
    void check_after_kill(const Buffer& content) const {
        check(content, policy_ != SyncPolicy::batch, false);
    }
    void check_after_power_cut(const Buffer& content) const {
        check(content, false, policy_ == SyncPolicy::none);
    }

private:
    struct State {
        Content settled;
        std::vector<Content> later;
        bool certain = true; ///< the last change has succeeded
    };

    static void settle(State& state) {
        if (!state.later.empty() && state.certain) state.settled = state.later.back();
        if (state.certain) state.later.clear();
    }

    void check(const Buffer& content, bool latest, bool forgives_unsettled) const {
        auto opened = open_region(std::make_unique<test::MemoryFile>(content), {0, 0});
        ASSERT_TRUE(opened) << opened.error().text();
        for (const auto& [slot, state] : slots_) {
            if (forgives_unsettled && !state.later.empty()) continue;
            Buffer gathered;
            const auto blob = (*opened)->blob({slot}, gathered);
            ASSERT_TRUE(blob) << "slot " << slot << ": " << blob.error().text();
            Content found;
            if (*blob)
                found = BlobImage{Buffer((*blob)->frame.begin(), (*blob)->frame.end()), (*blob)->raw_size};
            std::vector<Content> allowed = state.later;
            allowed.push_back(state.settled);
            if (latest && state.certain && !state.later.empty()) allowed = {state.later.back()};
            ASSERT_TRUE(std::find(allowed.begin(), allowed.end(), found) != allowed.end())
                << "slot " << slot << " holds version " << (found ? static_cast<int>(found->raw_size) : -1)
                << ", one of " << allowed.size() << " others is allowed";
        }
    }

    SyncPolicy policy_;
    std::map<int, State> slots_;
};

bool run(RegionFile& file, const Step& step) {
    if (step.kind == Step::Kind::sync) return file.sync().has_value();
    if (step.kind == Step::Kind::remove) return file.remove({step.slot}).has_value();
    return file.write({step.slot}, step.blob.frame, step.blob.raw_size).has_value();
}

test::RegionContent start_content() {
    test::RegionContent content;
    for (int slot = 0; slot < k_slots; slot += 2)
        content[slot] = blob_of(slot, 0, 40 + static_cast<std::size_t>(slot) * 30);
    return content;
}

class CrashTest : public testing::TestWithParam<SyncPolicy> {};

INSTANTIATE_TEST_SUITE_P(RegionFile, CrashTest,
                         testing::Values(SyncPolicy::each, SyncPolicy::batch, SyncPolicy::none), policy_name);

TEST_P(CrashTest, ACutAtEveryCallLeavesEachChunkOldOrNew) {
    SEEDED_RANDOM(random);
    const auto steps = sequence(random, 60);
    const auto start = test::region_v1_image(start_content(), k_crash_shape);
    for (const auto fault : {Fault::stop, Fault::tear})
        for (std::size_t call = 0;; ++call) {
            SCOPED_TRACE(fmt::format("fault {} at call {}", static_cast<int>(fault), call));
            SimulatedDisk disk(start, random());
            disk.fail_at(call, fault);
            Expectation expected(GetParam(), start_content());
            {
                auto file = RegionFile::open(disk.open(), {0, 0}, RegionAccess::write, GetParam()).value();
                for (const auto& step : steps) {
                    const bool succeeded = run(*file, step);
                    expected.apply(step, succeeded);
                    if (disk.is_stopped()) break;
                    ASSERT_TRUE(succeeded);
                }
            }
            expected.check_after_kill(disk.after_kill());
            disk.after_power_cut(6, [&](const Buffer& content) { expected.check_after_power_cut(content); });
            if (HasFatalFailure()) return;
            if (!disk.has_failed()) break; // the sequence has no more calls
        }
}

TEST_P(CrashTest, AFullDiskAtEveryWriteLosesNothingAndTheFileStillWorks) {
    SEEDED_RANDOM(random);
    const auto steps = sequence(random, 60);
    const auto start = test::region_v1_image(start_content(), k_crash_shape);
    for (std::size_t call = 0;; ++call) {
        SCOPED_TRACE(fmt::format("full at call {}", call));
        SimulatedDisk disk(start, random());
        disk.fail_at(call, Fault::no_space);
        Expectation expected(GetParam(), start_content());
        auto file = RegionFile::open(disk.open(), {0, 0}, RegionAccess::write, GetParam()).value();
        int failures = 0;
        for (const auto& step : steps) {
            const bool succeeded = run(*file, step);
            failures += succeeded ? 0 : 1;
            expected.apply(step, succeeded);
            if (!disk.has_failed()) continue; // up to here every round is the same
            expected.check_after_kill(disk.after_kill());
            disk.after_power_cut(1, [&](const Buffer& content) { expected.check_after_power_cut(content); });
            if (HasFatalFailure()) return;
        }
        if (!disk.has_failed()) break;
        ASSERT_GE(failures, 1) << "a failure is told";
        if (disk.has_failed_a_sync()) { // after which the file is not written any more
            EXPECT_FALSE(file->sync());
            continue;
        }
        EXPECT_EQ(failures, 1);
        ASSERT_TRUE(file->sync());
        expected.apply({Step::Kind::sync, 0, {}}, true);
        disk.after_power_cut(2, [&](const Buffer& content) { expected.check_after_power_cut(content); });
        if (HasFatalFailure()) return;
    }
}

TEST_P(CrashTest, AFailureOfEveryCallIsToldAndLosesNothing) {
    SEEDED_RANDOM(random);
    const auto steps = sequence(random, 50);
    const auto start = test::region_v1_image(start_content(), k_crash_shape);
    for (std::size_t call = 0;; ++call) {
        SCOPED_TRACE(fmt::format("failure at call {}", call));
        SimulatedDisk disk(start, random());
        disk.fail_at(call, Fault::io);
        Expectation expected(GetParam(), start_content());
        auto file = RegionFile::open(disk.open(), {0, 0}, RegionAccess::write, GetParam()).value();
        bool told = false;
        for (const auto& step : steps) {
            const bool succeeded = run(*file, step);
            told = told || !succeeded;
            ASSERT_EQ(told, disk.has_failed());
            expected.apply(step, succeeded);
            if (!disk.has_failed()) continue;
            disk.after_power_cut(2, [&](const Buffer& content) { expected.check_after_power_cut(content); });
            if (HasFatalFailure()) return;
        }
        if (!disk.has_failed()) break;
    }
}

TEST_P(CrashTest, AKillAtEveryCallAndThenAPowerCutUnderTheNextWriter) {
    SEEDED_RANDOM(random);
    const auto start = test::region_v1_image(start_content(), k_crash_shape);
    const auto before = sequence(random, 40);
    const auto after = sequence(random, 12);
    for (std::size_t call = 0;; ++call) {
        SimulatedDisk disk(start, random());
        disk.fail_at(call, Fault::stop);
        Expectation expected(GetParam(), start_content());
        const auto write = [&](const std::vector<Step>& steps) {
            auto file = RegionFile::open(disk.open(), {0, 0}, RegionAccess::write, GetParam()).value();
            for (const auto& step : steps) {
                expected.apply(step, run(*file, step));
                if (!disk.has_failed()) continue;
                disk.after_power_cut(3,
                                     [&](const Buffer& content) { expected.check_after_power_cut(content); });
                if (disk.is_stopped() || HasFatalFailure()) return;
            }
        };
        SCOPED_TRACE(fmt::format("kill at call {}", call));
        write(before);
        const bool done = !disk.has_failed();
        disk.start_again();
        expected.kill();
        write(after);
        if (HasFatalFailure()) return;
        if (done) break;
    }
}

TEST(RegionFileFormat, ANewFileThatIsCutAtAnyCallIsEitherWholeOrRefused) {
    for (std::size_t call = 0; call < 2; ++call) {
        SimulatedDisk disk({}, 7);
        disk.fail_at(call, Fault::tear);
        const auto file = disk.open();
        ASSERT_FALSE(RegionFile::format(*file));
        disk.after_power_cut(20, [&](const Buffer& content) {
            const auto opened = open_region(std::make_unique<test::MemoryFile>(content), {0, 0});
            if (!opened) return;
            EXPECT_EQ(content.size(), 32U + 4 * 1024);
            EXPECT_TRUE((*opened)->slots().value().empty());
        });
    }
    SimulatedDisk disk({}, 7);
    ASSERT_TRUE(RegionFile::format(*disk.open()));
    disk.after_power_cut(5, [&](const Buffer& content) { EXPECT_EQ(content, test::region_v1_image({})); });
}

/// A removal that failed on its way to the disk is tried again by the next one, which finds nothing to do.
TEST(RegionFile, ARemovalThatFailedIsDoneByTheNext) {
    SimulatedDisk disk(test::region_v1_image(start_content(), k_crash_shape), 7);
    disk.fail_at(2, Fault::io); // after two syncs, the index entry
    auto file = RegionFile::open(disk.open(), {0, 0}, RegionAccess::write, SyncPolicy::each).value();
    EXPECT_FALSE(file->remove({2}));
    ASSERT_TRUE(disk.has_failed() && !disk.has_failed_a_sync());
    EXPECT_EQ(file->remove({2}).value(), false) << "readers see it gone already";
    disk.after_power_cut(5, [&](const Buffer& content) {
        const auto opened = open_region(std::make_unique<test::MemoryFile>(content), {0, 0}).value();
        EXPECT_EQ(opened->entry({2}).value(), 0);
        EXPECT_NE(opened->entry({4}).value(), 0);
    });
}

} // namespace
} // namespace orbis::storage
