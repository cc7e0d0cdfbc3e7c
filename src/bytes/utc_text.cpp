#include "bytes/utc_text.hpp"

#include <fmt/format.h>

#include <ctime>

namespace orbis {

std::string utc_text(std::chrono::sys_seconds time, UtcForm form) {
    const std::time_t seconds = time.time_since_epoch().count();
    std::tm parts{};
    if (gmtime_r(&seconds, &parts) == nullptr) return "unknown";
    auto text = fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
    if (form == UtcForm::date) return text;
    const bool is_iso = form == UtcForm::iso || form == UtcForm::iso_name;
    const bool is_name = form == UtcForm::iso_name || form == UtcForm::backup_name;
    return fmt::format("{}{}{:02}{}{:02}{}{:02}{}", text,
                       is_iso    ? 'T'
                       : is_name ? '_'
                                 : ' ',
                       parts.tm_hour, is_name ? '-' : ':', parts.tm_min, is_name ? '-' : ':', parts.tm_sec,
                       is_iso ? "Z" : "");
}

std::chrono::sys_seconds utc_now() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

} // namespace orbis
