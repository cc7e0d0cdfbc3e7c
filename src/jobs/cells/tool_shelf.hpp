#pragma once

#include "jobs/cells/chunk_edit_job.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace orbis::jobs {

/// The tools of an edit between its walks over the world: their memory is used again.
class ToolShelf {
public:
    std::unique_ptr<EditTool> take() {
        const std::scoped_lock lock(mutex_);
        if (tools_.empty()) return std::make_unique<EditTool>();
        auto tool = std::move(tools_.back());
        tools_.pop_back();
        return tool;
    }
    void put_back(std::unique_ptr<EditTool>&& tool) {
        const std::scoped_lock lock(mutex_);
        tools_.push_back(std::move(tool));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<EditTool>> tools_;
};

/// A tool that goes back to its shelf in the end.
class ShelvedTool {
public:
    explicit ShelvedTool(ToolShelf& shelf) : shelf_(shelf), tool_(shelf.take()) {}
    ~ShelvedTool() { shelf_.put_back(std::move(tool_)); }
    ShelvedTool(const ShelvedTool&) = delete;
    ShelvedTool& operator=(const ShelvedTool&) = delete;

    EditTool& operator*() { return *tool_; }

private:
    ToolShelf& shelf_;
    std::unique_ptr<EditTool> tool_;
};

} // namespace orbis::jobs
