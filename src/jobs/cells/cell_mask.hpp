#pragma once

#include "chunk/chunk.hpp"
#include "jobs/cells/cell_set.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orbis::jobs {

/// Keys as people write them: `*` stands for any text, several have commas between them, and those after a
/// `!` are not meant.
class KeyPatterns {
public:
    /// An error for a pattern without text.
    static Result<KeyPatterns> parse(std::string_view text);

    [[nodiscard]] bool empty() const { return wanted_.empty() && unwanted_.empty(); }
    /// Without wanted ones all but the unwanted are meant.
    [[nodiscard]] bool match(std::string_view key) const;

private:
    std::vector<std::string> wanted_;
    std::vector<std::string> unwanted_;
};

/// Which cells of an area are meant, by what is there.
struct CellMask {
    KeyPatterns blocks;       ///< of the cell itself
    KeyPatterns above;        ///< of the cell above; above the world it is empty
    KeyPatterns environments; ///< of the cell

    [[nodiscard]] bool empty() const { return blocks.empty() && above.empty() && environments.empty(); }
    /// Removes the cells that are not meant.
    void narrow(const chunk::Chunk& chunk, CellSet& cells) const;
};

} // namespace orbis::jobs
