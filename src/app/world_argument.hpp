#pragma once

#include "app/command.hpp"
#include "orbis/world.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::app {

/// The one world that a verb works on.
struct ChosenWorld {
    world::World world;
    bool is_unfinished = false; ///< its notes, which were printed, say so: the verb exits with 1
};

/// The same, open for reading.
struct OpenedWorld : ChosenWorld {
    std::shared_ptr<storage::Store> store{};
};

/// Which location, world or worlds a verb works on: the argument PATH and the option `--world`.
class WorldArgument {
public:
    enum class Use : std::uint8_t {
        read,  ///< also from backups and snapshots
        write, ///< in place
    };
    explicit WorldArgument(Use use) : use_(use) {}

    /// For verbs that take one world, and for those that take all of a universe. Null: the usual help.
    void declare_one(Options& options, const char* name = "PATH");
    void declare_all(Options& options, const char* name = "PATH", const char* help = nullptr);
    /// The path alone, for verbs that show whole locations or have `--world` among their settings.
    void declare(Options& options, const char* name = "PATH", const char* help = nullptr,
                 bool is_required = true);
    /// `--world` alone, for verbs that find their location in another way.
    void declare_name(Options& options, const char* help = nullptr);

    /// The one world that is meant. Its notes are printed.
    [[nodiscard]] Result<ChosenWorld> choose(Console& console) const;
    [[nodiscard]] Result<OpenedWorld> open(Console& console) const;
    /// The same as the library has it.
    [[nodiscard]] Result<World> open_world(Console& console) const;

    /// What is at the path, with all its worlds.
    [[nodiscard]] Result<world::Location> find_all() const;
    /// The same with only the world of `--world`, if that was given.
    [[nodiscard]] Result<world::Location> find() const;
    /// The same of a location that `find_all` found.
    [[nodiscard]] Result<world::Location> narrow(world::Location location) const;
    /// The same for a name that is not from `--world`; empty for all worlds.
    [[nodiscard]] Result<world::Location> find(std::string_view name) const;
    /// Two locations to compare. A snapshot store without a snapshot means the newest one of the other
    /// location.
    [[nodiscard]] static Result<std::pair<world::Location, world::Location>>
    find_both(const WorldArgument& first, const WorldArgument& second);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Where the user may leave the path out.
    void set_path(std::filesystem::path path) { path_ = std::move(path); }
    /// Of verbs with actions that read and actions that write.
    void set_use(Use use) { use_ = use; }
    /// What `--world` names; empty for none.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// As a command line has it: `'my universe' --world default`.
    [[nodiscard]] std::string argument() const;
    /// Adds to an error that a chunk is not there how to see which are.
    [[nodiscard]] Error with_advice(Error error) const;
    /// The error for a chunk that the world does not have.
    [[nodiscard]] Error no_such_chunk(const storage::Store& store, ChunkPos pos) const;

private:
    Use use_;
    std::filesystem::path path_;
    std::string name_;
};

/// Several locations to read, one after another.
class WorldArguments {
public:
    void declare(Options& options, const char* name, const char* help) { options.paths(name, paths_, help); }
    /// Does a job with each world, open for reading. Stops at the first error.
    [[nodiscard]] Result<void>
    for_each_store(const std::function<void(const storage::Store& store)>& job) const;

private:
    std::vector<std::filesystem::path> paths_;
};

/// The other world of a verb that has two, most often a backup: `--from` and `--from-world`.
class FromOption {
public:
    void declare(Options& options, const char* help);
    [[nodiscard]] bool is_given() const { return !from_.empty(); }
    /// The world of it that belongs to `world`. Its notes are printed.
    [[nodiscard]] Result<ChosenWorld> choose(Console& console, const world::World& world) const;

private:
    std::string from_;
    std::string name_;
};

/// Does a job with each world of a location. The error of a single world is that of the verb; with several
/// worlds, errors are printed and the job goes on with the others.
Result<Outcome> for_each_world(Console& console, const world::Location& location,
                               const std::function<Result<Outcome>(const world::World& world)>& job);

/// The worlds at a source, for completion; none where there is nothing to read.
std::vector<std::string> world_names(const std::string& source);

/// A path and a world of it as a command line has them.
std::string location_argument(const std::filesystem::path& path, std::string_view world = {});

/// `universe in a zip`, `world` …
std::string kind_text(const world::Location& location);

/// The notes of a world (a broken configuration, for example) as messages; whether one of them says that the
/// world is unfinished. The others are remarks: no verb that did its work fails for them.
bool print_notes(Console& console, const world::World& world);
/// Those of all worlds.
bool print_notes(Console& console, const world::Location& location);

} // namespace orbis::app
