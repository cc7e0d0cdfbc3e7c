#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace orbis::app {

/// The lines that a person typed earlier, in a file that only they can read. It has the last 1,000 or a few
/// more. A file that cannot be read or written is no problem: then nothing is remembered.
class HistoryFile {
public:
    /// `name` below `$XDG_STATE_HOME/orbis` or `~/.local/state/orbis`.
    explicit HistoryFile(const char* name);

    /// The oldest first.
    [[nodiscard]] std::vector<std::string> load() const;
    /// Adds a line, with blanks in place of its line ends.
    void add(std::string line) const;

private:
    std::filesystem::path path_; ///< empty for none
};

} // namespace orbis::app
