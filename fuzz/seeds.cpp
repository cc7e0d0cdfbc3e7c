#include "target.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

/// libFuzzer calls this before it looks at its arguments.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* folder = std::getenv("ORBIS_FUZZ_SEEDS"); // NOLINT(concurrency-mt-unsafe): one thread yet
    if (folder == nullptr) return 0;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const auto& seed : orbis::fuzz::seeds()) {
        std::ofstream out(std::filesystem::path(folder) / ("seed-" + std::to_string(number++)),
                          std::ios::binary);
        out.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
    }
    std::exit(0); // NOLINT(concurrency-mt-unsafe)
}
