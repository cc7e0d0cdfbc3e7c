#pragma once

#include "app/options.hpp"
#include "jobs/select/selection.hpp"

#include <string>
#include <vector>

namespace orbis::app {

/// Which chunks a verb works on: the option `--chunks`, or another that takes selections
/// (docs/selections.md).
class ChunksOption {
public:
    void declare(Options& options, const char* help, const char* name = "--chunks");
    [[nodiscard]] bool is_given() const { return !texts_.empty(); }
    /// As they were given.
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
    /// Empty if the option was not given.
    [[nodiscard]] Result<jobs::Selection> selection() const;

private:
    std::vector<std::string> texts_;
};

} // namespace orbis::app
