#include "app/problem_lines.hpp"

#include <fmt/format.h>

#include <utility>

namespace orbis::app {

namespace {

constexpr std::size_t k_shown_of_a_kind = 3;
constexpr std::size_t k_most_as_json = 10'000;

Error plain(std::string text, std::string_view advice) {
    Error line;
    line.problem = std::move(text);
    line.advice = advice;
    return line;
}

} // namespace

void ProblemLines::add(const Error& problem) {
    const std::lock_guard lock(mutex_);
    ++count_;
    if (console_.json()) {
        if (first_.size() < k_most_as_json) first_.push_back(problem);
        return;
    }
    auto line = problem;
    line.advice.clear();
    lines_.add(console_, fmt::format("{} {} {}", name(problem.code), problem.file, problem.advice),
               problem.advice, line.text(), k_shown_of_a_kind);
}

bool ProblemLines::print() {
    const std::lock_guard lock(mutex_);
    if (count_ == 0) return false;
    for (const auto& problem : first_) console_.problem(problem);
    if (count_ > first_.size() && console_.json())
        console_.problem(error(Errc::too_large, "{} more problems", count_ - first_.size()));
    for (const auto& group : lines_.groups()) {
        const auto more = group.count - group.examples.size();
        for (const auto& example : group.examples) {
            const bool is_last = more == 0 && &example == &group.examples.back();
            console_.problem(plain(example, is_last ? group.title : std::string()));
        }
        if (more > 0) console_.problem(plain(fmt::format("{} more like these", more), group.title));
    }
    lines_ = GroupedLines(false);
    first_.clear();
    count_ = 0;
    return true;
}

} // namespace orbis::app
