#include "app/capture_option.hpp"

#include "app/server_options.hpp"

#include <fmt/format.h>

namespace orbis::app {

void CaptureOption::declare(Options& options) {
    options.file("--capture", file_, "Record all frames of the game in this pcapng file (see orbis capture)")
        .number("--capture-size MEGABYTES", megabytes_, 1, 1'000'000,
                "With --capture: begin another file after so many megabytes: NAME-000001.pcapng and so on")
        .text("--capture-every TIME", every_,
              "With --capture: begin another file after this time: 30s, 10m, 1h")
        .flag("--capture-personal", personal_,
              "With --capture: keep tokens, passwords and addresses of players");
}

Result<std::shared_ptr<capture::Recorder>> CaptureOption::start() const {
    if (file_.empty()) {
        if (!megabytes_ && !every_ && !personal_) return nullptr;
        return fail(error(Errc::usage, "{} needs --capture",
                          megabytes_ ? "--capture-size"
                          : every_   ? "--capture-every"
                                     : "--capture-personal")
                        .advise("--capture FILE"));
    }
    capture::RecorderSettings settings;
    settings.file = file_;
    settings.program = "orbis " ORBIS_VERSION;
    settings.keeps_personal = personal_;
    if (megabytes_) settings.rotate_size = static_cast<std::uint64_t>(*megabytes_) * 1'000'000;
    if (every_) {
        TRY(const auto time, parse_time("--capture-every", *every_));
        settings.rotate_every = std::chrono::duration_cast<std::chrono::seconds>(time);
        if (settings.rotate_every < std::chrono::seconds(1))
            return fail(Errc::usage, "--capture-every must be 1s or more, not {}", json_quoted(*every_));
    }
    TRY(auto started, capture::Recorder::start(std::move(settings)));
    return std::shared_ptr<capture::Recorder>(std::move(started));
}

Result<void> CaptureOption::finish(Console& console, const std::shared_ptr<capture::Recorder>& recorder) {
    if (!recorder) return {};
    TRY(const auto counts, recorder->finish());
    console.note(fmt::format("captured {} ({}){}", counted(counts.records, "frame"),
                             human_bytes(counts.bytes),
                             counts.dropped > 0 ? fmt::format("; {} dropped because the disk was too slow",
                                                              counted(counts.dropped, "frame"))
                                                : ""));
    return {};
}

} // namespace orbis::app
