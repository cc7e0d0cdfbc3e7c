#pragma once

#include "bytes/bytes.hpp"

#include <zstd.h>

namespace orbis::test {

/// A frame that does not say how much it holds.
inline Buffer frame_without_size(Bytes data) {
    auto* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    Buffer out(ZSTD_compressBound(data.size()));
    out.resize(ZSTD_compress2(context, out.data(), out.size(), data.data(), data.size()));
    ZSTD_freeCCtx(context);
    return out;
}

} // namespace orbis::test
