#include "app/line_editor.hpp"

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <histedit.h>
#include <utility>

namespace orbis::app {

struct LineEditor::State {
    EditLine* editor = nullptr;
    ::History* history = nullptr;
    Complete complete;
    std::string prompt;
    bool is_cancelled = false;

    ~State() {
        if (editor != nullptr) el_end(editor);
        if (history != nullptr) history_end(history);
    }

    static State& of(EditLine* editor) {
        void* data = nullptr;
        el_get(editor, EL_CLIENTDATA, &data);
        return *static_cast<State*>(data);
    }
    static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

    static unsigned char cancel(EditLine* editor, int) {
        of(editor).is_cancelled = true;
        std::fputs("^C\n", stdout);
        return CC_NEWLINE;
    }

    static unsigned char suspend(EditLine* editor, int) {
        el_set(editor, EL_PREP_TERM, 0); // the shell gets the terminal as it was
        kill(0, SIGTSTP);
        el_set(editor, EL_PREP_TERM, 1);
        return CC_REDISPLAY;
    }

    static unsigned char complete_word(EditLine* editor, int) {
        const auto* line = el_line(editor);
        const std::string_view before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
        const auto is_part = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
                   || c == '.';
        };
        auto begin = before.size();
        while (begin > 0 && is_part(before[begin - 1])) --begin;
        const std::string word(before.substr(begin));
        const auto found = of(editor).complete(before.substr(0, begin), word);
        if (found.empty()) return CC_REFRESH_BEEP;
        auto common = found.front();
        for (const auto& other : found) {
            const auto [end, ignored] = std::ranges::mismatch(common, other);
            common.erase(static_cast<std::size_t>(end - common.begin()));
        }
        if (found.size() == 1) common += ' ';
        if (common.size() > word.size()) {
            // The word is written as the list has it: keywords may have been typed in small letters.
            el_deletestr(editor, static_cast<int>(word.size()));
            el_insertstr(editor, common.c_str());
            return CC_REFRESH;
        }
        show(found);
        return CC_REDISPLAY;
    }

    /// All words are ours: nothing in them acts on the terminal.
    static void show(const std::vector<std::string>& words) {
        std::size_t widest = 0;
        for (const auto& word : words) widest = std::max(widest, word.size());
        constexpr std::size_t k_line = 78;
        const auto per_line = std::max<std::size_t>(1, k_line / (widest + 2));
        std::string text = "\n";
        for (std::size_t i = 0; i < words.size(); ++i) {
            text += words[i];
            const bool ends = (i + 1) % per_line == 0 || i + 1 == words.size();
            text += ends ? "\n" : std::string(widest + 2 - words[i].size(), ' ');
        }
        std::fputs(text.c_str(), stdout);
    }
};

LineEditor::LineEditor(const char* program, Complete complete) : state_(std::make_unique<State>()) {
    std::setlocale(LC_CTYPE, ""); // so that letters are moved over as letters, not as bytes
    state_->complete = std::move(complete);
    state_->editor = el_init(program, stdin, stdout, stderr);
    state_->history = history_init();
    auto* editor = state_->editor;
    HistEvent event{};
    constexpr int k_remembered = 1000;
    history(state_->history, &event, H_SETSIZE, k_remembered);
    history(state_->history, &event, H_SETUNIQUE, 1);
    el_set(editor, EL_CLIENTDATA, state_.get());
    el_set(editor, EL_PROMPT, &State::prompt_of);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 1);
    el_set(editor, EL_HIST, history, state_->history);
    // Wide texts are kept as they are; of others the library makes copies that it never frees.
    el_wset(editor, EL_ADDFN, L"orbis-complete", L"Complete a word", &State::complete_word);
    el_wset(editor, EL_ADDFN, L"orbis-cancel", L"Cancel the line", &State::cancel);
    el_wset(editor, EL_ADDFN, L"orbis-suspend", L"Go to the background", &State::suspend);
    el_set(editor, EL_BIND, "\t", "orbis-complete", nullptr);
    el_set(editor, EL_BIND, "^C", "orbis-cancel", nullptr);
    el_set(editor, EL_BIND, "^Z", "orbis-suspend", nullptr);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // While a line is typed, Ctrl+C is a key like others. While a statement runs, it is a signal.
    el_set(editor, EL_SETTY, "-d", "-isig", nullptr);
}

LineEditor::~LineEditor() = default;

LineEditor::Typed LineEditor::read(const std::string& prompt) {
    state_->prompt = prompt;
    state_->is_cancelled = false;
    // Before the prompt is shown: what is typed as soon as it is there are keys, not signals.
    el_set(state_->editor, EL_PREP_TERM, 1);
    int length = 0;
    const char* line = el_gets(state_->editor, &length);
    if (state_->is_cancelled) return {Typed::How::cancelled, {}};
    if (line == nullptr || length <= 0) return {Typed::How::ended, {}};
    std::string text(line, static_cast<std::size_t>(length));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return {Typed::How::line, std::move(text)};
}

void LineEditor::remember(const std::string& text) {
    HistEvent event{};
    history(state_->history, &event, H_ENTER, text.c_str());
}

} // namespace orbis::app
