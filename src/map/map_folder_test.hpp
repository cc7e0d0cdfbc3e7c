#pragma once

#include "bytes/content_hash.hpp"
#include "map/map_state.hpp"
#include "map/update_map.hpp"
#include "map/world_index.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <sys/stat.h>

/// A made world and maps of it.
namespace orbis::map::made {

namespace fs = std::filesystem;

inline std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// Everything that an index names, by path; the index itself without its generation. Checks on the way that
/// every file is there and is what its name says.
inline std::map<std::string, std::string> referenced(const fs::path& world) {
    std::map<std::string, std::string> out;
    auto index = content(world / "world.js");
    const auto head = read_index_head(index);
    EXPECT_TRUE(head) << index.substr(0, 200);
    if (!head) return out;
    const auto generation = fmt::format("\"generation\":{},", head->generation);
    EXPECT_NE(index.find(generation), std::string::npos);
    index.replace(index.find(generation), generation.size(), "");
    out["world.js"] = index;
    const auto file = content(world / MapState::state_path(head->state));
    const auto state = MapState::load(as_bytes(file));
    EXPECT_TRUE(state) << state.error().text();
    if (!state) return out;
    std::set<std::string> paths;
    state->add_paths(head->state, paths);
    for (const auto& path : paths) {
        out[path] = content(world / path);
        EXPECT_FALSE(out[path].empty()) << path;
        const bool is_script = path.ends_with(".js");
        const auto start = out[path].find(',') + 1;
        const auto bytes = is_script ? std::string_view(out[path]).substr(start, out[path].size() - start - 3)
                                     : std::string_view(out[path]);
        EXPECT_NE(path.find(hash_text(content_hash(as_bytes(bytes)))), std::string::npos) << path;
    }
    return out;
}

/// All files of a folder with what tells whether they were touched.
inline std::map<std::string, std::pair<ino_t, std::string>> files_in(const fs::path& folder) {
    std::map<std::string, std::pair<ino_t, std::string>> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        struct stat status{};
        stat(entry.path().c_str(), &status);
        out[entry.path().lexically_relative(folder).string()] = {status.st_ino, content(entry.path())};
    }
    return out;
}

inline UpdateOptions few_layers(std::size_t threads = 1) {
    UpdateOptions options;
    options.layers = {{LayerKind::surface, 0}, {LayerKind::slice, 9}};
    options.threads = threads;
    return options;
}

/// Files that need not survive a power cut.
class QuickFiles final : public MapFiles {
public:
    Result<void> sync(const fs::path&) override { return {}; }
};

class MapTest : public testing::Test {
protected:
    MapTest() : world_(folder_ / "world") {}

    Result<WorldUpdate> update(const std::string& out, UpdateOptions options = {}) {
        QuickFiles files;
        return update(out, files, options);
    }
    Result<WorldUpdate> update(const std::string& out, MapFiles& files, UpdateOptions options = {}) {
        NoProgress progress;
        const auto place = world::find_location(world_.folder()).value();
        auto done = update_map(place, world::Assets::built_in(), files, folder_ / out, options, progress);
        if (!done) return std::unexpected(done.error());
        return done->worlds.at(0);
    }
    [[nodiscard]] fs::path map(const std::string& out) const { return folder_ / out / "worlds" / "world"; }

    test::TemporaryFolder folder_;
    world::made::MadeWorld world_;
};

} // namespace orbis::map::made
