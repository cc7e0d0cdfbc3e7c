#include "app/print_converted.hpp"

#include <fmt/format.h>

namespace orbis::app {

void print_converted(Console& console, const jobs::ConvertReport& report, const std::filesystem::path& target,
                     std::string_view snapshot) {
    for (const auto& problem : report.problems) console.problem(problem);
    for (const auto& folder : report.left_out)
        console.note(fmt::format("{} was not copied: the world does not keep its chunks there", folder));
    if (console.json()) {
        JsonWriter json;
        json.object();
        if (!snapshot.empty()) json.member("snapshot", snapshot);
        json.member("written", report.written)
            .member("already_there", report.already_there)
            .member("verified", report.verified)
            .member("files_copied", report.files_copied)
            .member("missing", report.missing)
            .member("problems", report.problems.size())
            .end();
        console.line(json.text());
    } else {
        console.line(fmt::format("{}{}{} written to {}, {} were already there, {} verified; {} copied",
                                 snapshot, snapshot.empty() ? "" : ": ", counted(report.written, "chunk"),
                                 target.string(), human_count(report.already_there),
                                 human_count(report.verified), counted(report.files_copied, "other file")));
    }
    if (report.missing > 0)
        console.note(fmt::format("{} is incomplete: {} could not be copied. Next: {}", target.string(),
                                 counted(report.missing, "part"),
                                 snapshot.empty() ? "repair the source and run the same command again"
                                                  : "see the problems above"));
}

} // namespace orbis::app
