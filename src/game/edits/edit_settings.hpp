#pragma once

#include <chrono>

namespace orbis::game {

struct SaverSettings {
    std::chrono::milliseconds every{2000}; ///< between two saves
    bool force = false;                    ///< also when another program has the files open
};

struct EditorSettings {
    SaverSettings saving{};
    double reach = 64; ///< blocks
};

} // namespace orbis::game
