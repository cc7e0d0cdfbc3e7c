#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

namespace orbis::test {

/// What the two sides of a test connection send, as whole frames made from typed packets; the same
/// bytes in each process.
struct GameFrames {
    Buffer connect; ///< client, stream 0: Connect
    Buffer accept;  ///< server, stream 0: ConnectAccept
    Buffer chunks;  ///< server, stream 3: SetChunk, some hundred KiB
    Buffer map;     ///< server, stream 7: UpdateWorldMap and ClearWorldMap
    Buffer ready;   ///< client, stream 0: ClientReady, when all of the above has come
};

Result<GameFrames> make_game_frames();

} // namespace orbis::test
