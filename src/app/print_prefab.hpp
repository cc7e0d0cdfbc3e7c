#pragma once

#include "app/console.hpp"
#include "jobs/prefab/prefab.hpp"
#include "jobs/prefab/summary.hpp"

#include <filesystem>

namespace orbis::app {

/// `43 × 14 × 32 blocks`, or that there are none.
std::string size_text(const std::optional<jobs::prefab::Bounds>& bounds);

/// What `orbis prefab info` says about a file.
void print_prefab(Console& console, const std::filesystem::path& path, const jobs::prefab::Prefab& prefab,
                  const jobs::prefab::Summary& summary, bool shows_all);

} // namespace orbis::app
