#include "app/command_sample.hpp"

#include "app/describe_place.hpp"
#include "world/sample/sample.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <utility>

namespace orbis::app {

namespace {

namespace fs = std::filesystem;
using world::sample::SampleOptions;
using world::sample::SampleReport;

Result<SampleReport> make_sample(Console& console, const fs::path& folder, std::uint64_t seed,
                                 std::size_t threads) {
    SampleOptions options;
    options.seed = seed;
    options.threads = threads;
    bool begun = false;
    options.on_progress = [&](std::size_t, std::size_t total) {
        if (!std::exchange(begun, true)) console.begin("Writing chunks", total);
        console.step();
    };
    return world::sample::write_sample(folder, options);
}

class CommandSample final : public Command {
    void declare(Options& options) override {
        options.path("DIR", folder_, "Folder to make; it must be new or empty")
            .number("--seed", seed_, 0, 2147483647, "Another landscape (default: 1)")
            .footer("Makes a universe with one world of 400 chunks: a valley with a river and a lake, a\n"
                    "village, fields, forests, a mountain and a cave. The same seed gives the same bytes.\n"
                    "Look at it with: orbis up DIR");
    }

    Result<Outcome> run(Console& console) override {
        const auto seed = seed_ ? static_cast<std::uint64_t>(*seed_) : world::sample::k_default_seed;
        TRY(const auto report, make_sample(console, folder_, seed, common.threads));
        if (common.json) {
            JsonWriter json;
            json.object()
                .member("path", folder_.string())
                .member("seed", seed)
                .member("chunks", report.chunks);
            json.member("block_keys", report.blocks).member("block_components", report.block_components);
            json.member("entities", report.entities).member("files", report.files).end();
            console.line(json.text());
            return Outcome::fine;
        }
        console.line(fmt::format("Made the sample universe {}: {}, {}, {}", folder_.string(),
                                 counted(report.chunks, "chunk"), counted(report.blocks, "block key"),
                                 fmt::format("{} entities", report.entities)));
        return Outcome::fine;
    }

    fs::path folder_;
    std::optional<int> seed_;
};

} // namespace

std::unique_ptr<Command> make_command_sample() { return std::make_unique<CommandSample>(); }

Result<fs::path> default_sample_folder() {
    // Relative paths in the variable are to be ignored, says the XDG base directory specification.
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && fs::path(data).is_absolute())
        return fs::path(data) / "orbis" / "sample";
    if (const char* home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".local" / "share" / "orbis" / "sample";
    return fail(error(Errc::not_found, "expected HOME or XDG_DATA_HOME to name a folder, found neither")
                    .advise("give the path of a universe, or make one with: orbis sample DIR"));
}

Result<fs::path> make_default_sample(Console& console, std::size_t threads) {
    TRY(auto folder, default_sample_folder());
    std::error_code code;
    if (fs::is_directory(folder / "worlds", code)) return folder;
    fs::create_directories(folder.parent_path(), code);
    if (code)
        return fail(error(Errc::io, "cannot make the folder: {}", code.message())
                        .in_file(folder.parent_path().string()));
    console.note(fmt::format("Making the sample universe in {} (once)", folder.string()));
    auto made = make_sample(console, folder, world::sample::k_default_seed, threads);
    // Somebody else may have made it meanwhile.
    if (!made && !fs::is_directory(folder / "worlds", code)) return std::unexpected(std::move(made).error());
    return folder;
}

} // namespace orbis::app
