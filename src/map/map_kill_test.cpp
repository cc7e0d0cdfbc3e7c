#include "map/map_folder_test.hpp"
#include "support/amount.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace orbis::map {
namespace {

namespace fs = std::filesystem;
using made::files_in;
using made::referenced;

/// Stops at one of its calls: what comes later does not happen either, as after a kill.
class StoppingFiles final : public MapFiles {
public:
    enum class Way { error, signal, full_disk };
    StoppingFiles(int calls, Way way) : left_(calls), way_(way) {}

    Result<void> write(const fs::path& path, Bytes content) override {
        if (stops()) {
            if (way_ != Way::full_disk) { // half of it is there, under the name of an unfinished file
                fs::create_directories(path.parent_path());
                std::ofstream(path.string() + ".part", std::ios::binary)
                    << as_text(content.first(content.size() / 2));
            }
            return stop();
        }
        return MapFiles::write(path, content);
    }
    Result<void> place(const fs::path& from, const fs::path& to) override {
        return stops() ? stop() : MapFiles::place(from, to);
    }
    Result<void> sync(const fs::path&) override { return stops() ? stop() : Result<void>(); }
    Result<void> replace(const fs::path& path, Bytes content) override {
        return stops() ? stop() : MapFiles::replace(path, content);
    }
    Result<void> remove(const fs::path& path) override {
        if (way_ == Way::full_disk) return MapFiles::remove(path);
        return stops() ? stop() : MapFiles::remove(path);
    }
    [[nodiscard]] bool stopped() const { return left_ < 0; }

private:
    bool stops() {
        if (left_ < 0) return true;
        return --left_ < 0;
    }
    [[nodiscard]] Result<void> stop() const {
        if (way_ == Way::signal) kill(getpid(), SIGKILL);
        return fail(way_ == Way::full_disk ? Errc::no_space : Errc::io, "stopped by the test");
    }

    int left_;
    Way way_;
};

/// More of them are more of the same moments.
UpdateOptions one_layer() {
    auto options = made::few_layers();
    options.layers.resize(1);
    return options;
}

class MapKillTest : public made::MapTest {
protected:
    MapKillTest() {
        for (int i = 0; i < 5; ++i) world_.put({i * 20 - 40, i % 3 * 14}, static_cast<std::uint32_t>(i));
        EXPECT_TRUE(update("old", one_layer()));
        world_.put({5, 14}, 100);
        world_.put({60, 20}, 101);
        world_.remove({-40, 0});
        EXPECT_TRUE(update("new", one_layer()));
        before_ = referenced(map("old"));
        after_ = referenced(map("new"));
        EXPECT_NE(before_, after_);
    }

    /// A map of the world as it was.
    void copy_old(const std::string& name) {
        fs::remove_all(folder_ / name);
        fs::copy(folder_ / "old", folder_ / name, fs::copy_options::recursive);
    }
    void expect_old_or_new(const std::string& name, int call) {
        const auto found = referenced(map(name));
        EXPECT_TRUE(found == before_ || found == after_) << "stopped at call " << call;
        ASSERT_TRUE(update(name, one_layer())) << "stopped at call " << call;
        EXPECT_EQ(referenced(map(name)), after_) << "stopped at call " << call;
    }

    std::map<std::string, std::string> before_;
    std::map<std::string, std::string> after_;
};

TEST_F(MapKillTest, ARunThatStopsAnywhereLeavesTheOldMapOrTheNew) {
    for (int call = 0;; ++call) {
        ASSERT_LT(call, 200);
        copy_old("map");
        StoppingFiles files(call, StoppingFiles::Way::error);
        const auto done = update("map", files, one_layer());
        if (!files.stopped()) {
            EXPECT_TRUE(done);
            EXPECT_GT(call, 15) << "there is more to do than that";
            break;
        }
        expect_old_or_new("map", call);
    }
}

TEST_F(MapKillTest, AFirstRunThatStopsAnywhereIsMadeGoodByTheNext) {
    for (int call = 0;; call += test::looks_at_fewer() ? 3 : 1) {
        ASSERT_LT(call, 200);
        fs::remove_all(folder_ / "map");
        StoppingFiles files(call, StoppingFiles::Way::error);
        (void)update("map", files, one_layer());
        if (!files.stopped()) break;
        const auto again = update("map", one_layer());
        ASSERT_TRUE(again) << "stopped at call " << call << ": " << again.error().text();
        EXPECT_EQ(referenced(map("map")), after_) << "stopped at call " << call;
    }
}

TEST_F(MapKillTest, ARealKillLeavesTheOldMapOrTheNew) {
    for (const int call : {0, 3, 7, 11, 13, 14, 15, 16, 17, 18}) {
        copy_old("map");
        const auto child = fork();
        if (child == 0) {
            StoppingFiles files(call, StoppingFiles::Way::signal);
            (void)update("map", files, one_layer());
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        expect_old_or_new("map", call);
    }
}

TEST_F(MapKillTest, AMapWhoseStateIsLostStaysWhenARunFails) {
    copy_old("map");
    const auto tiles = files_in(map("map") / "tiles");
    fs::remove_all(map("map") / "state");
    StoppingFiles files(2, StoppingFiles::Way::full_disk);
    ASSERT_FALSE(update("map", files, one_layer()));
    const auto after = files_in(map("map") / "tiles");
    for (const auto& [path, file] : tiles) EXPECT_TRUE(after.contains(path)) << path;
    ASSERT_TRUE(update("map", one_layer()));
    EXPECT_EQ(referenced(map("map")), after_);
}

TEST_F(MapKillTest, OnAFullDiskTheOldMapStaysAndNothingElse) {
    const auto files_before = files_in(folder_ / "old" / "worlds");
    for (int call = 1;; call += 2) {
        copy_old("map");
        StoppingFiles files(call, StoppingFiles::Way::full_disk);
        const auto done = update("map", files, one_layer());
        if (!files.stopped()) break;
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, Errc::no_space);
        if (referenced(map("map")) == after_) continue; // it was the page or map.js that did not fit
        EXPECT_EQ(referenced(map("map")), before_);
        EXPECT_EQ(files_in(folder_ / "map" / "worlds").size(), files_before.size()) << call;
    }
}

} // namespace
} // namespace orbis::map
