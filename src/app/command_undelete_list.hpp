#pragma once

#include "app/console.hpp"
#include "jobs/edit/undelete.hpp"

namespace orbis::app {

/// How an older version is named on the command line: `-1.0:46`, region and first segment.
std::string copy_name(const jobs::Orphan& orphan);

/// `-10,32 (similarity, likely)`, `one of 42 chunks (similarity, open)`.
std::string owner_text(const jobs::Orphan& orphan);

/// One line of the list.
void print_older(Console& console, std::string_view world, const jobs::OlderVersion& version);

/// The last line.
void print_undelete_report(Console& console, std::string_view world, const jobs::UndeleteReport& report);

} // namespace orbis::app
