#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::app {

/// Lets a person type lines at a terminal, with the keys they know from their shell: arrows, history, search,
/// completion. Which library does that is known to line_editor.cpp alone.
class LineEditor {
public:
    /// All words that could stand where `word` stands; `line` is what comes before it.
    using Complete = std::function<std::vector<std::string>(std::string_view line, std::string_view word)>;

    LineEditor(const char* program, Complete complete);
    ~LineEditor();
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    struct Typed {
        enum class How : std::uint8_t { line, cancelled, ended };
        How how = How::ended;
        std::string text; ///< of a line, without its end
    };
    /// Waits for a line. Ctrl+C cancels it, Ctrl+D on an empty one is the end.
    Typed read(const std::string& prompt);
    /// What the arrow keys bring back.
    void remember(const std::string& text);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace orbis::app
