#pragma once

#include "bytes/json_writer.hpp"
#include "bytes/progress.hpp"
#include "bytes/result.hpp"

#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace orbis::app {

/// What a part of a line means; on a terminal it shows as a colour.
enum class Tone : std::uint8_t { plain, good, warning, bad, faint, heading };

/// A part of a line.
struct Part {
    std::string_view text;
    Tone tone = Tone::plain;
};

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
    /// `always`, `never`, or `auto`: on a terminal unless NO_COLOR is set. JSON never has colours.
    void set_colour(std::string_view when) { colour_ = when; }

    /// Data: one line, whatever is in it.
    void line(std::string_view text);
    void line(std::span<const Part> parts);
    void line(std::initializer_list<Part> parts) { line(std::span(parts.begin(), parts.size())); }
    /// Several lines of our own, such as help. Lines like `Options:` are headings.
    void page(std::string_view text);
    /// JSON of several lines, to be read by people.
    void indented_json(std::string_view text);
    void bytes(Bytes bytes);
    [[nodiscard]] static bool data_goes_to_terminal();
    /// How many characters a line of data may have: COLUMNS or what the terminal says; 0 for any number,
    /// where data does not go to a terminal.
    [[nodiscard]] static std::size_t data_width();

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
    [[nodiscard]] bool uses_colour(int descriptor) const;
    /// The text as it may be printed, in its colour.
    [[nodiscard]] std::string shown(const Part& part, int descriptor) const;

    bool quiet_ = false;
    bool json_ = false;
    std::string colour_ = "auto";
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
