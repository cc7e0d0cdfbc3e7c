#include "bytes/atomic_file.hpp"
#include "bytes/copy_file.hpp"
#include "bytes/file.hpp"
#include "support/power_cut.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <set>

namespace orbis {
namespace {

namespace fs = std::filesystem;

std::string found_in(const fs::path& path) { return test::read_folder(path.parent_path())[path.filename()]; }

/// The model itself: what it must be able to show of a careless writer.
TEST(PowerCutModel, LosesTearsAndMixesWhatWasNotSynced) {
    const test::TemporaryFolder folder;
    test::write_folder(folder.path(), {{"old", std::string(2000, 'o')}});
    std::set<std::string> olds;
    std::set<std::string> news;
    bool name_without_content = false;
    const auto run = test::after_power_cuts(
        folder.path(),
        [&] {
            auto old = open_file(folder / "old", FileMode::write).value();
            (void)old->write(0, Buffer(2000, 'x'));
            auto made = open_file(folder / "new.tmp", FileMode::create).value();
            (void)made->write(0, Buffer(2000, 'y'));
            fs::rename(folder / "new.tmp", folder / "new");
            return 0;
        },
        [&](const test::PowerCut&) {
            auto state = test::read_folder(folder.path());
            olds.insert(state["old"]);
            if (state.contains("new")) news.insert(state["new"]);
            name_without_content = name_without_content || (state.contains("new") && state["new"].empty());
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(olds, (std::set<std::string>{std::string(2000, 'o'), std::string(2000, 'x'),
                                           std::string(512, 'x') + std::string(1488, 'o')}));
    EXPECT_EQ(news, (std::set<std::string>{"", std::string(2000, 'y'), std::string(512, 'y'),
                                           std::string(2000, '\0')}));
    EXPECT_TRUE(name_without_content);
    EXPECT_EQ(found_in(folder / "new"), std::string(2000, 'y')) << "at the end all is as it was left";
}

TEST(PowerCutModel, BelievesEverySync) {
    const test::TemporaryFolder folder;
    int ends = 0;
    test::after_power_cuts(
        folder.path(),
        [&] {
            auto file = open_file(folder / "a", FileMode::create).value();
            (void)file->write(0, as_bytes("a"));
            (void)file->sync();
            (void)sync_folder(folder.path());
            return 0;
        },
        [&](const test::PowerCut& cut) {
            if (!cut.finished) return;
            ++ends;
            EXPECT_EQ(test::read_folder(folder.path()), (test::FolderContent{{"a", "a"}}));
        });
    EXPECT_EQ(ends, 1) << "nothing can be lost in the end";
}

TEST(AtomicFile, APowerCutLeavesOneWholeVersionAndKeepsWhatWasSaid) {
    const test::TemporaryFolder folder;
    const std::string before(5000, 'o');
    const std::string after(9000, 'n');
    test::write_folder(folder.path(), {{"f", before}});
    int states = 0;
    const auto run = test::after_power_cuts(
        folder.path(), [&] { return write_file_atomically(folder / "f", as_bytes(after)) ? 0 : 1; },
        [&](const test::PowerCut& cut) {
            ++states;
            const auto found = found_in(folder / "f");
            EXPECT_TRUE(found == after || (!cut.finished && found == before))
                << cut.calls << " calls, lost: " << cut.lost << ", found " << found.size() << " bytes";
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(states, 5);
}

TEST(AtomicFile, ANewFileIsWholeOrNotThereAfterAPowerCut) {
    const test::TemporaryFolder folder;
    const std::string content(9000, 'n');
    const auto run = test::after_power_cuts(
        folder.path(), [&] { return write_file_atomically(folder / "f", as_bytes(content)) ? 0 : 1; },
        [&](const test::PowerCut& cut) {
            const auto state = test::read_folder(folder.path());
            const auto found = state.find("f");
            EXPECT_TRUE(found == state.end() ? !cut.finished : found->second == content)
                << cut.calls << " calls, lost: " << cut.lost;
        });
    EXPECT_EQ(run.exit_code, 0);
}

TEST(AtomicFile, PlacesAndFoldersLastWhenTheyAreSaidToBeThere) {
    const test::TemporaryFolder folder;
    test::write_folder(folder.path(), {{"a", "content"}, {"to/", ""}});
    const auto run = test::after_power_cuts(
        folder.path(),
        [&] {
            return create_folders(folder / "x" / "y" / "z") && place_file(folder / "a", folder / "to" / "b")
                       ? 0
                       : 1;
        },
        [&](const test::PowerCut& cut) {
            EXPECT_TRUE(fs::exists(folder / "a") || fs::exists(folder / "to" / "b")) << cut.lost;
            if (!cut.finished) return;
            EXPECT_TRUE(fs::is_directory(folder / "x" / "y" / "z")) << cut.lost;
            EXPECT_EQ(found_in(folder / "to" / "b"), "content") << cut.lost;
        });
    EXPECT_EQ(run.exit_code, 0);
}

TEST(DiskFile, AWriteThatTheSystemCutsShortGoesOn) {
    const test::TemporaryFolder folder;
    std::string first(9000, 'a');
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<char>('a' + i % 23);
    const std::string second(700, 'z');
    const auto write = [&] {
        auto file = open_file(folder / "f", FileMode::write);
        const std::array<Bytes, 2> parts{as_bytes(first), as_bytes(second)};
        return file && (*file)->write(100, parts) ? 0 : 1;
    };
    for (std::size_t at = 0; at < 2; ++at) {
        test::write_folder(folder.path(), {{"f", std::string(100, '-')}});
        const auto run = test::trace_run(folder.path(), write, {test::TracedFault::Kind::shorten, at, 0});
        EXPECT_TRUE(run.faulted);
        EXPECT_EQ(run.calls.size(), 3U) << "one of the two writes was done in two parts";
        EXPECT_EQ(run.exit_code, 0);
        EXPECT_EQ(found_in(folder / "f"), std::string(100, '-') + first + second);
    }
}

TEST(AtomicFile, WhateverCallFailsTheOldContentStaysOrTheNewIsThereAndNothingElse) {
    using Kind = test::TracedFault::Kind;
    const test::TemporaryFolder folder;
    const std::string before(500, 'o');
    const std::string after(900, 'n');
    const auto write = [&] { return write_file_atomically(folder / "f", as_bytes(after)) ? 0 : 1; };
    test::write_folder(folder.path(), {{"f", before}});
    const auto count = test::trace_run(folder.path(), write).count;
    ASSERT_GE(count, 6U); // remove what a killed run has left; create, write, sync, rename, sync
    for (std::size_t at = 1; at < count; ++at)
        for (const auto fault :
             {test::TracedFault{Kind::fail, at, EIO}, test::TracedFault{Kind::full, at, 0}}) {
            test::write_folder(folder.path(), {{"f", before}});
            const auto run = test::trace_run(folder.path(), write, fault);
            EXPECT_TRUE(run.faulted) << at;
            const auto state = test::read_folder(folder.path());
            EXPECT_EQ(state.size(), 1U) << at << ": nothing is left beside it";
            const auto& found = state.at("f");
            if (run.exit_code == 0) {
                EXPECT_EQ(found, after) << at;
                EXPECT_EQ(fault.kind, Kind::full) << at << ": a call failed and nobody said so";
            } else {
                EXPECT_TRUE(found == before || (found == after && at + 1 == count)) << at;
            }
        }
}

TEST(CopyFile, WhatWasCopiedLastsAndIsTheOldOrTheNewOne) {
    const test::TemporaryFolder folder;
    const auto place = folder / "place";
    const std::string content(9000, 'n');
    test::write_folder(folder.path(), {{"from", content}, {"place/", ""}, {"place/f", "old"}});
    const auto copy = [&]() -> Result<void> {
        TRY(const auto from, open_file(folder / "from", FileMode::read));
        TRY_DO(copy_file(*from, place / "f", fs::perms{0600}));
        return copy_folder(place / "sub", fs::perms{0700});
    };
    const auto run = test::after_power_cuts(
        place, [&] { return copy() ? 0 : 1; },
        [&](const test::PowerCut& cut) {
            const auto found = found_in(place / "f");
            EXPECT_TRUE(found == content || (!cut.finished && found == "old")) << cut.lost;
            if (!cut.finished) return;
            EXPECT_TRUE(fs::is_directory(place / "sub")) << cut.lost;
        });
    EXPECT_EQ(run.exit_code, 0);
}

TEST(CopyFile, ALinkIsSyncedWithItsFolder) {
    using Kind = test::TracedCall::Kind;
    const test::TemporaryFolder folder;
    const auto run =
        test::trace_run(folder.path(), [&] { return copy_link("somewhere", folder / "link") ? 0 : 1; });
    EXPECT_EQ(run.exit_code, 0);
    ASSERT_EQ(run.calls.size(), 2U);
    EXPECT_EQ(run.calls[0].kind, Kind::link);
    EXPECT_EQ(run.calls[1].kind, Kind::sync);
    EXPECT_EQ(run.calls[1].path, "");
}

TEST(CopyFile, WhateverCallFailsTheOldContentStaysAndNothingElse) {
    using Kind = test::TracedFault::Kind;
    const test::TemporaryFolder folder;
    const auto place = folder / "place";
    const std::string content(9000, 'n');
    test::write_folder(folder.path(), {{"from", content}, {"place/", ""}});
    const auto copy = [&] {
        const auto from = open_file(folder / "from", FileMode::read);
        return from && copy_file(**from, place / "f", fs::perms{0600}) ? 0 : 1;
    };
    test::write_folder(place, {{"f", "old"}});
    const auto count = test::trace_run(place, copy).count;
    ASSERT_GE(count, 6U);
    for (std::size_t at = 1; at < count; ++at)
        for (const auto fault :
             {test::TracedFault{Kind::fail, at, EIO}, test::TracedFault{Kind::full, at, 0}}) {
            test::write_folder(place, {{"f", "old"}});
            const auto run = test::trace_run(place, copy, fault);
            const auto state = test::read_folder(place);
            EXPECT_EQ(state.size(), 1U) << at << ": nothing is left beside it";
            EXPECT_TRUE(state.at("f") == content || (run.exit_code != 0 && state.at("f") == "old")) << at;
            EXPECT_TRUE(run.exit_code != 0 || fault.kind == Kind::full)
                << at << ": nobody said that it failed";
        }
}

} // namespace
} // namespace orbis
