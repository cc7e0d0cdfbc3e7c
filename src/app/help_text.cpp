#include "app/help_text.hpp"

#include "app/command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::app {

namespace {

constexpr std::size_t k_help_line = 100;
constexpr std::size_t k_help_names = 30; ///< the column of names, before their description

/// One entry of a list: a name and, in a column of its own, what it is.
std::string help_entry(std::string_view name, std::string_view text) {
    auto out = fmt::format("  {:<{}}", name, k_help_names - 2);
    if (name.size() + 2 >= k_help_names) // no blank would be left before the text
        out = fmt::format("  {}\n{}", name, std::string(k_help_names, ' '));
    return out + wrapped(text, k_help_line - k_help_names, k_help_names) + "\n";
}

template <typename Choose>
std::string help_section(std::string_view title, const std::vector<Parameter>& parameters,
                         const Choose& is_wanted) {
    std::string out;
    for (const auto& parameter : parameters)
        if (is_wanted(parameter)) out += help_entry(parameter.label(), parameter.help);
    return out.empty() ? out : fmt::format("\n{}:\n{}", title, out);
}

} // namespace

const char* const k_exit_codes =
    "Exit codes: 0 success; 1 damage or errors in the data; 2 the command cannot be run as it was given.";

const char* const k_program_summary = "open, inspect, convert and repair Hytale worlds";

std::string Parameter::label() const {
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
    return value.empty() ? out : out + " " + value;
}

std::string VerbText::usage() const {
    std::string out = "[OPTIONS]";
    for (const auto& parameter : parameters) {
        if (parameter.is_option) continue;
        const auto shown = parameter.names.front() + (parameter.is_list ? "..." : "");
        out += parameter.is_required ? " " + shown : " [" + shown + "]";
    }
    return out;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    while (true) {
        auto line = text.substr(0, text.find('\n'));
        const bool is_last = line.size() == text.size();
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        while (line.size() > width && !line.starts_with(' ')) {
            auto end = line.rfind(' ', width);
            if (end == std::string_view::npos) end = line.find(' ');
            if (end == std::string_view::npos) break;
            out.append(line.substr(0, end)).append("\n").append(indent, ' ');
            line.remove_prefix(end + 1);
        }
        out += line;
        if (is_last) return out;
        out.append("\n").append(indent, ' ');
    }
}

std::string either(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 < words.size() ? ", " : " or ";
        out += words[i];
    }
    return out;
}

std::string help_of(const VerbText& verb) {
    return fmt::format(
        "{}\nUsage: orbis {} {}\n{}{}{}\n{}\n", verb.summary, verb.name, verb.usage(),
        help_section("Arguments", verb.parameters, [](const Parameter& each) { return !each.is_option; }),
        help_section("Options", verb.parameters,
                     [](const Parameter& each) { return each.is_option && !each.is_common; }),
        help_section("Common options", verb.parameters, [](const Parameter& each) { return each.is_common; }),
        wrapped(verb.footer, k_help_line));
}

const std::vector<Parameter>& program_options() {
    static const std::vector<Parameter> options{
        {.names = {"--version"}, .value = "", .help = "Print the version and exit"},
        {.names = {"-h", "--help"}, .value = "", .help = "Print this help and exit"}};
    return options;
}

std::string help_of_program() {
    auto out = fmt::format("orbis: {}.\nUsage: orbis VERB [OPTIONS] [ARGUMENTS]\n", k_program_summary);
    out += help_section("Options", program_options(), [](const Parameter&) { return true; });
    std::string_view group;
    for (const auto& verb : verbs()) {
        if (group != verb.group) out += fmt::format("\n{}:\n", verb.group);
        group = verb.group;
        out += help_entry(verb.name, verb.summary);
    }
    return out + fmt::format("\n`orbis help VERB` explains a verb.\n{}\n", k_exit_codes);
}

} // namespace orbis::app
