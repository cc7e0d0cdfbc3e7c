#pragma once

#include "app/console.hpp"
#include "jobs/compare/diff_worlds.hpp"

namespace orbis::app {

/// A chunk that differs: what differs, then the single changes that were kept.
void print_compared(Console& console, std::string_view world, const jobs::ComparedChunk& chunk);

/// `blocks 12, fluids 3`: the parts that differ with their numbers; empty if none does.
std::string parts_text(const jobs::ChunkDiff& diff);

/// The numbers of `parts_text` as members of an open object.
void write_parts(JsonWriter& json, const jobs::ChunkDiff& diff);

} // namespace orbis::app
