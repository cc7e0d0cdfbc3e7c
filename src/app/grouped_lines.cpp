#include "app/grouped_lines.hpp"

#include <algorithm>
#include <array>

namespace orbis::app {

namespace {

/// What strangers wrote can make as many kinds as there are lines: those beyond share a group.
constexpr std::size_t k_most_groups = 100;
constexpr std::string_view k_other = "other";

} // namespace

GroupedLines::GroupedLines(bool all) : all_(all), spool_(all ? std::tmpfile() : nullptr) {}

void GroupedLines::add(Console& console, std::string_view key, std::string_view title, std::string_view line,
                       std::size_t most) {
    auto group = std::ranges::find(groups_, key, &Group::key);
    if (group == groups_.end() && groups_.size() >= k_most_groups)
        group = std::ranges::find(groups_, k_other, &Group::key);
    if (group == groups_.end()) {
        const bool is_full = groups_.size() >= k_most_groups;
        groups_.push_back(
            {std::string(is_full ? k_other : key), std::string(is_full ? k_other : title), false, 0, {}});
        group = std::prev(groups_.end());
    }
    ++group->count;
    group->is_mixed = group->is_mixed || group->title != title;
    if (!all_) {
        if (group->examples.size() < most) group->examples.emplace_back(line);
        return;
    }
    std::string ended(line);
    std::ranges::replace_if(ended, [](char c) { return c == '\n' || c == '\0'; }, ' ');
    ended += '\n';
    // Without room for them they come before the verdict.
    if (!spool_ || std::fwrite(ended.data(), 1, ended.size(), spool_.get()) != ended.size())
        console.line(line);
}

std::uint64_t GroupedLines::left_out() const {
    std::uint64_t sum = 0;
    if (!all_)
        for (const auto& group : groups_) sum += group.count - group.examples.size();
    return sum;
}

void GroupedLines::print_all(Console& console) {
    if (!spool_) return;
    std::rewind(spool_.get());
    std::string line;
    std::array<char, 65536> part{};
    while (std::fgets(part.data(), static_cast<int>(part.size()), spool_.get()) != nullptr) {
        line += part.data();
        if (!line.ends_with('\n')) continue;
        line.pop_back();
        console.line(line);
        line.clear();
    }
}

} // namespace orbis::app
