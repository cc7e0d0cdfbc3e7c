#pragma once

#include "bytes/json_writer.hpp"
#include "bytes/progress.hpp"
#include "bytes/result.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace orbis::app {

/// The two ends of a run: data goes to stdout, everything else to stderr. A progress bar shows only on a
/// terminal and never when `--quiet` is given.
///
/// This is the only way to a terminal. Names, keys and texts come from files of strangers: every line goes
/// through `printable`, so that none of them breaks the line or controls the terminal. JSON has escapes of
/// its own.
class Console final : public Progress {
public:
    Console() = default;
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;
    ~Console() override { clear_bar(); }

    void set_quiet(bool quiet) { quiet_ = quiet; }
    void set_json(bool json) { json_ = json; }
    [[nodiscard]] bool json() const { return json_; }

    /// Data: one line, whatever is in it.
    void line(std::string_view text);
    /// JSON of several lines, to be read by people.
    void indented_json(std::string_view text);
    void bytes(Bytes bytes);
    [[nodiscard]] static bool data_goes_to_terminal();

    /// Messages. A note is silenced by `--quiet`, a problem is not.
    void note(std::string_view text);
    void problem(const Error& error);

    /// Whether everything reached stdout; a full disk shows here. A reader that has gone, such as `head`, is
    /// no error: it has what it wanted.
    [[nodiscard]] Result<void> flush();

    void begin(std::string_view part, std::uint64_t total) override;
    void step() override;
    void warn(const Error& what) override { problem(what); }

private:
    void note_write(bool done);
    void draw_bar();
    void clear_bar();
    void message(std::string_view text);

    bool quiet_ = false;
    bool json_ = false;
    int write_error_ = 0; ///< why the first write to stdout failed

    std::string part_;
    std::uint64_t total_ = 0;
    std::uint64_t done_ = 0;
    bool bar_shown_ = false;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point drawn_;
};

/// An error as a JSON object: `{"code":…,"message":…,"file":…,"subject":…,"offset":…,"advice":…}`.
void write_error(JsonWriter& json, const Error& error);

/// `12.3 MiB`, `640 bytes`.
std::string human_bytes(std::uint64_t bytes);
/// `1,234,567`.
std::string human_count(std::uint64_t count);
/// `3 worlds`, `1 chunk`.
std::string counted(std::uint64_t count, std::string_view thing);

} // namespace orbis::app
