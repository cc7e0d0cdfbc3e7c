#pragma once

#include "bytes/position.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::app {

/// Declares the arguments of one verb. The targets must live until the verb has run. Which library reads the
/// command line is known to options.cpp alone.
///
/// The name of an option is followed by what its value is called: `--output,-o PATH`. Use one word for one
/// thing: PATH, FOLDER, WORLD, SNAPSHOT, KEY, COUNT, SECONDS … Completion knows some of them
/// (completion.hpp).
class Options {
public:
    class Parser; ///< of options.cpp

    explicit Options(Parser& parser) : parser_(parser) {}

    /// Arguments by place.
    Options& path(const char* name, std::filesystem::path& target, const char* help, bool required = true);
    Options& paths(const char* name, std::vector<std::filesystem::path>& target, const char* help);
    Options& text_argument(const char* name, std::string& target, const char* help, bool required = true);
    /// Any number of texts, also none.
    Options& words(const char* name, std::vector<std::string>& target, const char* help);
    /// Chunk coordinates, given as `X,Z`.
    Options& chunk(const char* name, ChunkPos& target, const char* help);
    Options& optional_chunk(const char* name, std::optional<ChunkPos>& target, const char* help);
    /// `X Y Z`, three arguments
    Options& block(BlockPos& target, const char* help);

    /// Options by name, such as `--level`.
    Options& flag(const char* name, bool& target, const char* help);
    /// A flag that needs no arguments by place beside it, such as one that lists something and exits.
    Options& lone_flag(const char* name, bool& target, const char* help);
    Options& text(const char* name, std::string& target, const char* help);
    /// For options where an empty text differs from none.
    Options& text(const char* name, std::optional<std::string>& target, const char* help);
    /// May be given several times, and with several values where no argument by place comes after them.
    Options& texts(const char* name, std::vector<std::string>& target, const char* help);
    Options& file(const char* name, std::filesystem::path& target, const char* help);
    Options& number(const char* name, std::optional<int>& target, int least, int most, const char* help);
    Options& integer(const char* name, std::int64_t& target, const char* help);
    /// One of several words, which the help shows.
    Options& choice(const char* name, std::string& target, std::vector<std::string> words, const char* help);

    /// `--dry-run` and `--force` of verbs that change a world.
    Options& dry_run(bool& target);
    Options& force(bool& target);

    /// Text after the list of options, such as examples.
    Options& footer(const char* text);

private:
    Parser& parser_;
};

} // namespace orbis::app
