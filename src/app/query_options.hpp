#pragma once

#include "app/problem_lines.hpp"
#include "query/session.hpp"

namespace orbis::app {

/// How questions are answered for a person: problems are collected, and a bar shows how far a scan is. Both
/// must outlive what is made with these.
query::SessionOptions query_options(Console& console, ProblemLines& problems, std::size_t threads);

} // namespace orbis::app
