#pragma once

#include "net/time.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace orbis::world {
class Assets;
}

namespace orbis::game {

class ContentPack;

/// What a server says of itself to everybody.
struct ServerFacts {
    std::string name = "Orbis";
    std::string motd{};
    std::string welcome{}; ///< what a player hears when it comes; empty: nothing
    int max_players = 100;
    int view_radius = 32; ///< chunks, at most
};

struct ColumnCacheRules {
    /// Columns that nobody has in view are kept up to this many bytes, all together up to that many; the
    /// least recently used go first.
    std::size_t most_unused_bytes = 256 << 20;
    std::size_t most_bytes = std::size_t{1} << 30;
    /// When a chunk that could not be read is tried again.
    net::Duration retry_after = std::chrono::seconds(10);
};

struct SaverSettings {
    std::chrono::milliseconds every{2000}; ///< between two saves
    bool force = false;                    ///< also when another program has the files open
};

struct EditorSettings {
    bool can_edit = false; ///< else nothing is ever written, and no lock is taken
    SaverSettings saving{};
    std::chrono::milliseconds look_every{1000}; ///< at the disk, for what others change
    std::filesystem::path scratch;              ///< a folder to work in; empty: that of the system
    double reach = 64;                          ///< blocks
};

struct GameRules {
    ServerFacts facts{};
    bool is_unlimited = false;
    std::size_t workers = 1;
    ColumnCacheRules cache{};
    bool has_map = true;
    EditorSettings editing{};
    const world::Assets* assets = nullptr; ///< null: those that are built in
    const ContentPack* pack = nullptr;     ///< what is offered for download; null: nothing
};

} // namespace orbis::game
