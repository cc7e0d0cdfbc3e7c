#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace orbis {

enum class UtcForm : std::uint8_t {
    date,       ///< 2026-01-31
    date_time,  ///< 2026-01-31 04:00:12
    iso,        ///< 2026-01-31T04:00:12Z
    iso_name,   ///< 2026-01-31T04-00-12Z, for names of files
    backup_name ///< 2026-01-31_04-00-12, as in names of the game's backups
};

/// A time in UTC; `unknown` where it is so far off that it has no year.
std::string utc_text(std::chrono::sys_seconds time, UtcForm form);

/// The time of now, without a part of a second.
std::chrono::sys_seconds utc_now();

} // namespace orbis
