#pragma once

#include "bytes/position.hpp"
#include "support/power_cut.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Verbs that write, each with a small world to work on and what it promises about it.
namespace orbis::faults {

/// What people lose when it is lost: documents by world and chunk ("unreadable" where one cannot be read),
/// and all other files by path.
struct Content {
    std::map<std::pair<std::string, ChunkPos>, std::string> chunks;
    std::map<std::string, std::string> files;
    friend bool operator==(const Content&, const Content&) = default;
};

Content read_content(const std::filesystem::path& place);
/// The same of a single file; nothing where it is not there.
Content read_one_file(const std::filesystem::path& file);

/// What a verb works on.
enum class Promise : std::uint8_t {
    in_place, ///< chunks and files are old or new at any moment, and orbis undo brings the old ones back
    once,     ///< as above; what was half done is undone before it is done again
    rewrite,  ///< as in place, but there is nothing to undo
    undo,     ///< as above: it is orbis undo itself
    new_file, ///< one file that is not there, or whole
    new_copy, ///< a new place that says that it is not finished, or is whole
    store,    ///< a store of snapshots, each of which is whole
};

struct Scene {
    std::string name;
    Promise promise = Promise::in_place;
    /// Makes the folder that faults come to and, beside it, one that is only read.
    std::function<void(const std::filesystem::path& work, const std::filesystem::path& beside)> prepare;
    /// Arguments of orbis; WORK and BESIDE stand for the two folders.
    std::vector<std::string> arguments;
    std::string place;     ///< what is looked at, below the first folder
    int exit_code = 0;     ///< without a fault
    bool in_steps = false; ///< what could not be read is readable before it is as it shall be
};

std::vector<Scene> all_scenes();

/// Damage that `verify` finds, or nothing where the place says that it is not finished.
std::optional<std::uint64_t> count_damage(const std::filesystem::path& place);

/// Takes every change back; what is wrong, or nothing.
std::string undo_all(const std::filesystem::path& place);
bool has_changes(const std::filesystem::path& place);

/// Each snapshot of a store and what it holds; "damaged" for one that cannot be read.
std::map<std::string, Content> read_snapshots(const std::filesystem::path& store);

} // namespace orbis::faults
