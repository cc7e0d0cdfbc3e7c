#include "jobs/snapshot/thin.hpp"

#include "bytes/atomic_file.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <set>

namespace orbis::jobs::snapshot {

namespace {

constexpr std::int64_t k_hour = 3600;
constexpr std::int64_t k_day = 24 * k_hour;
constexpr std::int64_t k_week = 7 * k_day;
constexpr std::int64_t k_first_monday = 4 * k_day; ///< 5 January 1970

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::int64_t month_of(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr) return 0;
    return std::int64_t{parts.tm_year} * 12 + parts.tm_mon;
}

/// Keeps the newest snapshot of each of the `count` newest periods.
template <typename PeriodOf>
void keep_periods(const std::vector<const Snapshot*>& newest_first, std::uint32_t count, PeriodOf period_of,
                  std::set<std::string>& kept) {
    std::set<std::int64_t> periods;
    for (const auto* snapshot : newest_first) {
        const auto period = period_of(snapshot->manifest.time);
        if (periods.contains(period)) continue;
        if (periods.size() == count) return;
        periods.insert(period);
        kept.insert(snapshot->id);
    }
}

} // namespace

Result<KeepRule> KeepRule::parse(std::string_view text) {
    KeepRule rule;
    const std::map<std::string_view, std::uint32_t*> fields{{"last", &rule.last},
                                                            {"hourly", &rule.hourly},
                                                            {"daily", &rule.daily},
                                                            {"weekly", &rule.weekly},
                                                            {"monthly", &rule.monthly}};
    auto rest = text;
    while (true) {
        const auto comma = rest.find(',');
        const auto term = rest.substr(0, comma);
        const auto equals = term.find('=');
        const auto field = fields.find(term.substr(0, equals));
        const auto number = equals == std::string_view::npos ? std::string_view() : term.substr(equals + 1);
        std::uint32_t value = 0;
        const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
        if (field == fields.end() || number.empty() || parsed.ec != std::errc()
            || parsed.ptr != number.data() + number.size())
            return fail(error(Errc::usage,
                              "not a list such as hourly=24,daily=7,weekly=8,monthly=12,last=3: {}",
                              term.empty() ? "nothing" : term));
        *field->second = value;
        if (comma == std::string_view::npos) return rule;
        rest = rest.substr(comma + 1);
    }
}

std::vector<std::string> to_be_thinned(const std::vector<Snapshot>& snapshots, const KeepRule& rule) {
    std::map<std::string, std::vector<const Snapshot*>> by_source;
    for (const auto& snapshot : snapshots) by_source[snapshot.manifest.source].push_back(&snapshot);
    std::set<std::string> kept;
    for (auto& [source, group] : by_source) {
        std::ranges::sort(group, [](const auto* a, const auto* b) {
            return std::pair(a->manifest.time, a->id) > std::pair(b->manifest.time, b->id);
        });
        for (std::size_t i = 0; i < group.size(); ++i)
            if (i == 0 || i < rule.last || !group[i]->manifest.name.empty()) kept.insert(group[i]->id);
        keep_periods(group, rule.hourly, [](auto time) { return floor_divide(time, k_hour); }, kept);
        keep_periods(group, rule.daily, [](auto time) { return floor_divide(time, k_day); }, kept);
        keep_periods(
            group, rule.weekly, [](auto time) { return floor_divide(time - k_first_monday, k_week); }, kept);
        keep_periods(group, rule.monthly, month_of, kept);
    }
    std::vector<std::string> out;
    for (const auto& snapshot : snapshots)
        if (!kept.contains(snapshot.id)) out.push_back(snapshot.id);
    return out;
}

Result<RemoveReport> remove_snapshots(const std::filesystem::path& store, const std::vector<std::string>& ids,
                                      bool dry_run, Progress& progress, Disk& disk) {
    TRY(auto session, Session::begin(store, false, disk));
    RemoveReport report;
    CollectOptions options;
    options.dry_run = dry_run;
    for (const auto& id : ids) {
        if (!dry_run) TRY_DO(disk.remove(session.store().manifest_path(id)));
        report.removed.push_back(id);
    }
    // What the manifests needed may go only when they are gone for good.
    if (!dry_run && !ids.empty()) TRY_DO(sync_folder(session.store().snapshots()));
    TRY(report.freed, collect(session, options, progress, ids));
    if (dry_run && session.recovers()) return report; // the next run that writes has to know
    TRY_DO(session.end());
    return report;
}

} // namespace orbis::jobs::snapshot
