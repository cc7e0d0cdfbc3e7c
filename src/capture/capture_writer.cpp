#include "capture/capture_writer.hpp"

#include "capture/pcapng.hpp"

namespace orbis::capture {

Result<CaptureWriter> CaptureWriter::create(const std::filesystem::path& path, std::string_view program) {
    CaptureWriter made;
    TRY_DO(made.file_.create(path));
    append_file_start(made.out_, program);
    return made;
}

Result<void> CaptureWriter::add(const Record& record) {
    constexpr std::size_t k_written_at_once = 1 << 20;
    append_record(out_, record);
    return out_.size() < k_written_at_once ? Result<void>() : write_out();
}

Result<void> CaptureWriter::finish() {
    TRY_DO(write_out());
    file_.close();
    return {};
}

Result<void> CaptureWriter::write_out() {
    TRY_DO(file_.append(out_));
    out_.clear();
    return {};
}

} // namespace orbis::capture
