#include "app/command.hpp"
#include "app/sample_universe.hpp"
#include "world/sample/sample.hpp"

#include <fmt/format.h>

#include <optional>

namespace orbis::app {

namespace {

namespace fs = std::filesystem;

class CommandSample final : public Command {
    void declare(Options& options) override {
        options.path("DIR", folder_, "Folder to create; it must be new or empty")
            .number("--seed SEED", seed_, 0, 2147483647, "Seed of the landscape (default: 1)")
            .footer("Creates a universe with one world of 400 chunks: a valley with a river and a lake, a "
                    "village, fields, forests, a mountain and a cave. The same seed gives the same bytes.\n"
                    "To look at it: orbis up DIR");
    }

    Result<Outcome> run(Console& console) override {
        const auto seed = seed_ ? static_cast<std::uint64_t>(*seed_) : world::sample::k_default_seed;
        TRY(const auto report, make_sample(console, folder_, seed, common.threads));
        if (console.json()) {
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
        console.line(fmt::format("Created the sample universe {}: {}, {}, {}", folder_.string(),
                                 counted(report.chunks, "chunk"), counted(report.blocks, "block key"),
                                 fmt::format("{} entities", report.entities)));
        return Outcome::fine;
    }

    fs::path folder_;
    std::optional<int> seed_;
};

} // namespace

std::unique_ptr<Command> make_command_sample() { return std::make_unique<CommandSample>(); }

} // namespace orbis::app
