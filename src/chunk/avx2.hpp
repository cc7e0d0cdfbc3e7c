#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

/// A function for processors with vectors of 32 bytes: call it only where `has_avx2()`.
#define ORBIS_AVX2 [[gnu::target("avx2,bmi2")]]

namespace orbis::chunk {

/// Whether functions with ORBIS_AVX2 run here. Nearly every processor that has AVX2 has BMI2 as well.
inline bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
    return has;
}

} // namespace orbis::chunk

#endif
