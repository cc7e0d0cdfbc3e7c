#pragma once

#include "bytes/json_writer.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::jobs {

/// How bad a finding is.
enum class Severity : std::uint8_t {
    damage, ///< the game cannot load it, or something is lost
    wrong,  ///< the game loads it, but it contradicts itself
    note,   ///< worth knowing, harmless
};

/// What can be found. The names are stable: `code_info` has them, docs/verify.md explains them.
enum class Code : std::uint8_t {
    container_header,
    container_short,
    container_entry_outside,
    container_lengths,
    container_cut_off,
    container_overlap,
    container_extra_entry,
    container_shape,
    container_version_0,
    container_orphans,
    container_lost_entries,
    container_stray_file,
    container_folder,
    store_unreadable,
    store_log_cut,
    frame_broken,
    frame_size,
    frame_no_size,
    document_bson,
    document_empty,
    document_no_components,
    component_missing,
    component_unreadable,
    component_too_new,
    component_twice,
    component_misspelt,
    section_surplus,
    palette_count,
    palette_id,
    rotation_range,
    ticking_count,
    ticking_empty,
    light_stale,
    fluid_level,
    fluid_unknown,
    block_unknown,
    filler_dangling,
    filler_lost,
    height_wrong,
    column_key,
    environment_runs,
    entity_outside,
    entity_no_position,
    chunk_misplaced,
    chunk_missing,
    chunk_fewer,
    block_component_place,
    block_component_host,
    health_outside,
    config_missing,
    config_unreadable,
    config_backup_used,
    config_too_new,
    config_storage,
    player_unreadable,
    player_backup_used,
    player_too_new,
    player_world,
    resource_unreadable,
    file_missing,
    unfinished_convert,
};

struct CodeInfo {
    std::string_view name;
    Severity severity;
    std::string_view meaning; ///< one phrase, for the legend
    std::string_view help;    ///< the command that helps, with `PATH` for the place; empty if none is needed
};

/// In the order of `Code`.
std::span<const CodeInfo> all_codes();
const CodeInfo& code_info(Code code);
std::string_view name(Severity severity);

/// One thing that is not as it should be. Findings of one code in one chunk are one finding with a count.
struct Finding {
    Code code = Code::container_header;
    std::string world;
    std::string file;                      ///< region file, database or JSON file
    std::optional<ChunkPos> chunk;         ///< where one is concerned
    std::optional<std::uint64_t> offset;   ///< in the file: of the index entry, blob or field
    std::optional<std::uint64_t> in_chunk; ///< in the chunk's document
    std::string part;                      ///< such as `section 3, Block`
    std::optional<ChunkPos> home;          ///< of a misplaced chunk: where it belongs
    std::uint64_t count = 1;               ///< cells, columns, entities …
    std::string text;                      ///< what was expected and what was found
    std::string help{};                    ///< the command that helps, where the code's own does not say it

    [[nodiscard]] Severity severity() const { return code_info(code).severity; }
};

/// `damage frame.broken FILE: chunk X,Z, offset N: …`
std::string to_text(const Finding& finding);

/// The location that was checked, as commands have to name it.
struct HelpTarget {
    std::string argument; ///< quoted; put where the help says PATH
    std::string copy{};   ///< makes a copy NEW that can be written, if it cannot be written itself
};
/// One object, without a line end.
std::string to_json(const Finding& finding, const HelpTarget& place);
/// The command that helps, for this place.
std::string help_for(Code code, const HelpTarget& place);

} // namespace orbis::jobs
