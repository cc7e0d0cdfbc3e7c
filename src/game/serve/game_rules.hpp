#pragma once

#include "game/chunks/chunk_cache_rules.hpp"
#include "game/chunks/watch_settings.hpp"
#include "game/edits/edit_settings.hpp"
#include "game/player/server_facts.hpp"

namespace orbis::world {
class Assets;
}

namespace orbis::game {

class ContentPack;

struct GameRules {
    ServerFacts facts{};
    bool is_unlimited = false;
    std::size_t workers = 1;
    ChunkCacheRules cache{};
    bool has_map = true;
    WatchSettings watching{};
    bool can_edit = false; ///< otherwise nothing is ever written, and no lock is taken
    EditorSettings editing{};
    const world::Assets* assets = nullptr; ///< null: those that are built in
    const ContentPack* pack = nullptr;     ///< what is offered for download; null: nothing
};

} // namespace orbis::game
