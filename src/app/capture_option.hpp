#pragma once

#include "app/console.hpp"
#include "app/options.hpp"
#include "capture/recorder.hpp"

#include <memory>
#include <optional>

namespace orbis::app {

/// `--capture FILE` of verbs that take part in connections.
class CaptureOption {
public:
    void declare(Options& options);

    /// Begins to record; null where nobody wants it.
    [[nodiscard]] Result<std::shared_ptr<capture::Recorder>> start() const;
    /// Ends it and says what it came to. Without one it does nothing; an error is one of the disk.
    static Result<void> finish(Console& console, const std::shared_ptr<capture::Recorder>& recorder);

private:
    std::filesystem::path file_;
    std::optional<int> megabytes_;
    std::optional<std::string> every_;
    bool personal_ = false;
};

} // namespace orbis::app
