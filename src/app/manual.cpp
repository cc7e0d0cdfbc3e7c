#include "app/manual.hpp"

#include "app/command.hpp"
#include "app/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace orbis::app {

namespace {

/// Text for roff: a hyphen is the one that can be copied, and nothing is a command by accident.
std::string roff(std::string_view text) {
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '\'')
            out += "\\(aq";
        else if (c == '`')
            out += "\\(ga";
        else if (c == '~')
            out += "\\(ti";
        else if (c == '^')
            out += "\\(ha";
        else
            out += c;
    }
    return out;
}

/// A paragraph; what stands between backticks, such as a command, is bold instead.
std::string roff_text(std::string_view text) {
    std::string out;
    bool is_bold = false;
    while (true) {
        const auto end = std::min(text.find('`'), text.size());
        const auto part = roff(text.substr(0, end));
        out += is_bold ? "\\fB" + part + "\\fR" : part;
        if (end == text.size()) return out;
        text.remove_prefix(end + 1);
        is_bold = !is_bold;
    }
}

/// Lines that begin with a blank, such as examples, stay as they are; each other one is a paragraph.
std::string roff_paragraphs(std::string_view text) {
    std::string out;
    bool is_example = false;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with(' ') != is_example) out += is_example ? ".fi\n.RE\n" : ".RS 4\n.nf\n";
        is_example = line.starts_with(' ');
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        out += is_example    ? roff(line) + "\n"
               : out.empty() ? roff_text(line) + "\n"
                             : ".PP\n" + roff_text(line) + "\n";
    }
    return is_example ? out + ".fi\n.RE\n" : out;
}

std::string roff_head(std::string_view name, std::string_view summary) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return fmt::format(
        ".\\\" Written by `orbis help --man`.\n.TH {} 1 {} \"orbis {}\" \"Orbis\"\n.SH NAME\n{} "
        "\\- {}\n",
        roff(upper), ORBIS_VERSION_DATE, ORBIS_VERSION, roff(name), roff(summary));
}

std::string roff_label(const Parameter& parameter) {
    std::string out;
    for (const auto& name : parameter.names)
        out += fmt::format("{}\\fB{}\\fR", out.empty() ? "" : ", ", roff(name));
    return parameter.value.empty() ? out : fmt::format("{} \\fI{}\\fR", out, roff(parameter.value));
}

template <typename Choose>
std::string roff_section(std::string_view title, const std::vector<Parameter>& parameters,
                         const Choose& is_wanted) {
    std::string out;
    for (const auto& parameter : parameters)
        if (is_wanted(parameter))
            out += fmt::format(".TP\n{}\n{}\n", roff_label(parameter), roff_text(parameter.help));
    return out.empty() ? out : fmt::format(".SH {}\n{}", title, out);
}

} // namespace

std::string manual_of(const VerbText& verb) {
    constexpr std::string_view k_codes = "Exit codes: ";
    const std::string_view footer = verb.footer;
    const auto codes = std::min(footer.find(k_codes), footer.size());
    auto about = footer.substr(0, codes);
    while (about.ends_with('\n')) about.remove_suffix(1);
    auto out = roff_head("orbis-" + verb.name, verb.summary);
    out += fmt::format(".SH SYNOPSIS\n\\fBorbis {}\\fR {}\n", roff(verb.name), roff(verb.usage()));
    out += ".SH DESCRIPTION\n" + roff_text(verb.summary) + ".\n";
    if (!about.empty()) out += ".PP\n" + roff_paragraphs(about);
    out += roff_section("ARGUMENTS", verb.parameters, [](const Parameter& each) { return !each.is_option; });
    out += roff_section("OPTIONS", verb.parameters,
                        [](const Parameter& each) { return each.is_option && !each.is_common; });
    out +=
        roff_section("COMMON OPTIONS", verb.parameters, [](const Parameter& each) { return each.is_common; });
    if (codes < footer.size())
        out += ".SH EXIT STATUS\n" + roff_paragraphs(footer.substr(codes + k_codes.size()));
    return out + ".SH SEE ALSO\n\\fBorbis\\fR(1)\n";
}

std::string manual_of_program() {
    auto out = roff_head("orbis", k_program_summary);
    out +=
        ".SH SYNOPSIS\n\\fBorbis\\fR \\fIVERB\\fR [OPTIONS] [ARGUMENTS]\n.SH DESCRIPTION\n"
        "Orbis reads, checks, repairs, draws and serves worlds of the game Hytale, and speaks its network\n"
        "protocol. Data goes to the standard output, everything else to the standard error. No verb\n"
        "overwrites anything unless it is told to.\n";
    std::string_view group;
    for (const auto& verb : verbs()) {
        if (group != verb.group) out += fmt::format(".SH {}\n", roff(verb.group));
        group = verb.group;
        out += fmt::format(".TP\n\\fBorbis\\-{}\\fR(1)\n{}\n", roff(verb.name), roff_text(verb.summary));
    }
    out += roff_section("OPTIONS", program_options(), [](const Parameter&) { return true; });
    out += fmt::format(
        ".SH EXIT STATUS\n{}\n",
        roff_text(std::string_view(k_exit_codes).substr(std::string_view("Exit codes: ").size())));
    out += ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nUse no colours, unless \\fB\\-\\-color always\\fR is "
           "given.\n"
           ".TP\n\\fBCOLUMNS\\fR\nThe width of the terminal, where it is another than the terminal says.\n";
    return out;
}

} // namespace orbis::app
