#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace orbis::fuzz {

/// Inputs to start from, made in code: each target has its own. With the variable ORBIS_FUZZ_SEEDS set to a
/// folder the program writes them there and ends.
std::vector<Buffer> seeds();

/// What the target expects of the code under test; a broken promise is a crash that libFuzzer keeps.
inline void require(bool kept) {
    if (!kept) std::abort();
}

} // namespace orbis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
