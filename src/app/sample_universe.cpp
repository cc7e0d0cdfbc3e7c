#include "app/sample_universe.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace orbis::app {

namespace {

namespace fs = std::filesystem;

Result<fs::path> default_sample_folder() {
    // Relative paths in the variable are to be ignored, says the XDG base directory specification.
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && fs::path(data).is_absolute())
        return fs::path(data) / "orbis" / "sample";
    if (const char* home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".local" / "share" / "orbis" / "sample";
    return fail(
        error(Errc::not_found, "no place for the sample universe: neither HOME nor XDG_DATA_HOME is set")
            .advise("give the path of a universe, or create one: orbis sample DIR"));
}

} // namespace

Result<world::sample::SampleReport> make_sample(Console& console, const fs::path& folder, std::uint64_t seed,
                                                std::size_t threads) {
    world::sample::SampleOptions options;
    options.seed = seed;
    options.threads = threads;
    bool begun = false;
    options.on_progress = [&](std::size_t, std::size_t total) {
        if (!std::exchange(begun, true)) console.begin("Writing chunks", total);
        console.step();
    };
    return world::sample::write_sample(folder, options);
}

Result<fs::path> make_default_sample(Console& console, std::size_t threads) {
    TRY(auto folder, default_sample_folder());
    std::error_code code;
    if (fs::is_directory(folder / "worlds", code)) return folder;
    fs::create_directories(folder.parent_path(), code);
    if (code)
        return fail(error(Errc::io, "cannot create the folder: {}", code.message())
                        .in_file(folder.parent_path().string()));
    console.note(fmt::format("Creating the sample universe in {} (only once)", folder.string()));
    auto made = make_sample(console, folder, world::sample::k_default_seed, threads);
    // Somebody else may have made it meanwhile.
    if (!made && !fs::is_directory(folder / "worlds", code)) return std::unexpected(std::move(made).error());
    return folder;
}

} // namespace orbis::app
