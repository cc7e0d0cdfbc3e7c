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

/// Which world, or which worlds, a verb works on: the argument PATH and the option `--world`.
class WorldArgument {
public:
    enum class Use : std::uint8_t {
        read,  ///< out of backups and snapshots too
        write, ///< in place
    };
    explicit WorldArgument(Use use) : use_(use) {}

    /// For verbs that take one world, and for those that take all of a universe.
    void declare_one(Options& options, const char* name = "PATH");
    void declare_all(Options& options, const char* name = "PATH");

    /// The one world that is meant. Its notes are printed.
    [[nodiscard]] Result<ChosenWorld> choose(Console& console) const;
    [[nodiscard]] Result<OpenedWorld> open(Console& console) const;
    /// The same as the library has it.
    [[nodiscard]] Result<World> open_world(Console& console) const;

    /// What is at the path, with all its worlds.
    [[nodiscard]] Result<world::Location> find_all() const;
    /// The same with nothing but the world of `--world` in it, where that was given.
    [[nodiscard]] Result<world::Location> find() const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
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
Result<Outcome> for_each_world(Console& console, const world::Location& place,
                               const std::function<Result<Outcome>(const world::World& world)>& job);

/// A path and a world of it as a command line has them.
std::string location_argument(const std::filesystem::path& path, std::string_view world = {});

/// `universe in a zip`, `world` …
std::string kind_text(const world::Location& place);

/// The notes of a world (a broken configuration, for example) as messages; whether one of them says that the
/// world is unfinished. The others are remarks: no verb that did its work fails for them.
bool print_notes(Console& console, const world::World& world);
/// Those of all worlds.
bool print_notes(Console& console, const world::Location& place);

} // namespace orbis::app
