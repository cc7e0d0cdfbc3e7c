#pragma once

#include "capture/growing_file.hpp"
#include "capture/record.hpp"

namespace orbis::capture {

/// Writes a capture in the thread of its caller. `Recorder` is for those who must not wait.
class CaptureWriter {
public:
    static Result<CaptureWriter> create(const std::filesystem::path& path, std::string_view program);

    Result<void> add(const Record& record);
    /// Writes the rest.
    Result<void> finish();

private:
    CaptureWriter() = default;
    Result<void> write_out();

    GrowingFile file_;
    Buffer out_;
};

} // namespace orbis::capture
