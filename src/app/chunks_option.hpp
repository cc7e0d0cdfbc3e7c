#pragma once

#include "app/options.hpp"
#include "jobs/select/selection.hpp"
#include "world/location.hpp"

#include <functional>
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

    /// Which chunks of the worlds of a location are selected; nothing if the option was not given. What
    /// cannot be read goes to `on_problem`.
    [[nodiscard]] Result<std::function<bool(const world::World& world, ChunkPos pos)>>
    only(const world::Location& location, std::size_t threads, Progress& progress,
         const std::function<void(const Error&)>& on_problem) const;

private:
    std::vector<std::string> texts_;
};

} // namespace orbis::app
