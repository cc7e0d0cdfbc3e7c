#include "app/completion.hpp"

#include "app/command.hpp"
#include "bytes/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace orbis::app {

namespace {

constexpr std::size_t k_most_words = 1000;

bool begins_with(const Candidate& candidate, std::string_view typed) {
    return candidate.value.starts_with(typed);
}

Completions complete_verb(std::string_view typed) {
    Completions found;
    if (typed.starts_with('-'))
        for (const auto* option : {"--help", "--version"}) found.values.push_back({option});
    else
        for (const auto& verb : verbs()) found.values.push_back({verb.name, verb.summary});
    return found;
}

Completions complete_option(const LineSoFar& line) {
    Completions found;
    for (const auto& parameter : line.verb().parameters) {
        if (!parameter.is_option || (line.was_given(parameter) && !parameter.is_list)) continue;
        for (const auto& name : parameter.names)
            if (name.starts_with("--")) found.values.push_back({name, parameter.help});
    }
    return found;
}

/// Without anything that a terminal or a script could take for something else than text.
bool is_harmless(const std::string& text) { return printable(text) == text; }

/// What a list shows beside a value: the first sentence or so.
std::string short_help(const std::string& text) {
    constexpr std::size_t k_most = 70;
    if (text.size() <= k_most) return text;
    const auto blank = text.rfind(' ', k_most);
    return text.substr(0, blank == std::string::npos ? k_most : blank) + "…";
}

void print_found(const Completions& found) {
    const auto* const kind = found.kind == Completions::Kind::files     ? "files"
                             : found.kind == Completions::Kind::folders ? "folders"
                             : found.may_go_on                          ? "beginnings"
                                                                        : "values";
    std::string out = fmt::format("{}\n", kind);
    for (const auto& [value, help] : found.values)
        if (!value.empty() && is_harmless(value) && is_harmless(help))
            out += fmt::format("{}\t{}\n", value, short_help(help));
    std::fwrite(out.data(), 1, out.size(), stdout);
}

} // namespace

void LineSoFar::take(const std::string& word) {
    if (pending_ != nullptr) {
        given_.emplace_back(std::exchange(pending_, nullptr), word);
    } else if (only_arguments_ || !word.starts_with('-') || word == "-") {
        given_.emplace_back(wanted(), word);
        ++arguments_;
    } else if (word == "--") {
        only_arguments_ = true;
    } else {
        const auto equals = std::min(word.find('='), word.size());
        const auto* const option = find(std::string_view(word).substr(0, equals));
        if (option == nullptr) return;
        if (equals < word.size() || option->value.empty())
            given_.emplace_back(option, word.substr(std::min(equals + 1, word.size())));
        else
            pending_ = option;
    }
}

const Parameter* LineSoFar::find(std::string_view name) const {
    for (const auto& parameter : verb_.parameters)
        if (std::ranges::find(parameter.names, name) != parameter.names.end()) return &parameter;
    return nullptr;
}

const Parameter* LineSoFar::wanted() const {
    if (pending_ != nullptr) return pending_;
    std::size_t at = 0;
    for (const auto& parameter : verb_.parameters) {
        if (parameter.is_option) continue;
        if (at == arguments_ || parameter.is_list) return &parameter;
        ++at;
    }
    return nullptr;
}

bool LineSoFar::was_given(const Parameter& option) const {
    return std::ranges::any_of(given_, [&](const auto& entry) { return entry.first == &option; });
}

std::string LineSoFar::value_of(std::span<const std::string_view> names) const {
    for (const auto name : names)
        for (const auto& [parameter, value] : given_)
            if (parameter != nullptr && std::ranges::find(parameter->names, name) != parameter->names.end())
                return value;
    return {};
}

Completions complete(std::span<const std::string> words) {
    if (words.empty()) return {};
    const auto& typed = words.back();
    Completions found;
    std::string_view prefix = typed;
    if (words.size() == 1) {
        found = complete_verb(typed);
    } else {
        const auto* const verb = find_verb(words.front());
        if (verb == nullptr) return {};
        const auto text = text_of(*verb);
        LineSoFar line(text);
        for (const auto& word : words.subspan(1, words.size() - 2)) line.take(word);
        const auto equals = typed.find('=');
        if (line.takes_options() && typed.starts_with("--") && equals != std::string::npos) {
            line.take(typed.substr(0, equals)); // so that its value is wanted
            if (line.takes_options()) return {};
            prefix.remove_prefix(equals + 1);
            found = complete_value(*line.wanted(), std::string(prefix), line);
        } else if (line.takes_options() && typed.starts_with('-')) {
            found = complete_option(line);
        } else if (const auto* const wanted = line.wanted(); wanted != nullptr) {
            found = complete_value(*wanted, typed, line);
        }
    }
    std::erase_if(found.values, [&](const auto& each) { return !begins_with(each, prefix); });
    return found;
}

std::string unquoted(std::string_view word) {
    std::string out;
    if (word == "~" || word.starts_with("~/")) {
        const char* const home = std::getenv("HOME");
        out = home == nullptr ? "~" : home;
        word.remove_prefix(1);
    }
    char quote = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const char c = word[i];
        const bool has_next = i + 1 < word.size();
        if (quote == '\'') {
            if (c == quote)
                quote = 0;
            else
                out += c;
        } else if (c == '\\' && has_next
                   && (quote == 0
                       || std::string_view("$`\"\\").find(word[i + 1]) != std::string_view::npos)) {
            out += word[++i];
        } else if (c == '\\' && !has_next) {
            return out; // what it quotes has not been typed yet
        } else if (quote == '"' ? c == '"' : c == '\'' || c == '"') {
            quote = quote == 0 ? c : '\0';
        } else {
            out += c;
        }
    }
    return out;
}

int print_completions(std::span<char* const> arguments) {
    if (arguments.empty() || arguments.size() > k_most_words) return 2;
    const std::string_view shell(arguments.front());
    std::vector<std::string> words;
    for (const char* word : arguments.subspan(1)) {
        // fish has taken the quotes off all words but the one that is being typed.
        const bool is_plain = shell == "fish" && words.size() + 2 < arguments.size();
        words.push_back(is_plain ? std::string(word) : unquoted(word));
    }
    try {
        print_found(complete(words));
    } catch (const std::exception&) {
        return 1; // who presses a key wants no message
    }
    return 0;
}

} // namespace orbis::app
