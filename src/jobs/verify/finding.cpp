#include "jobs/verify/finding.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace orbis::jobs {

namespace {

using enum Severity;

constexpr std::string_view k_from_backup = "orbis repair PATH --from BACKUP";
constexpr std::string_view k_repair = "orbis repair PATH";
constexpr std::string_view k_repair_missing = "orbis repair PATH --from BACKUP --missing";

constexpr std::array k_codes{
    CodeInfo{"container.header", damage, "the header of a region file is damaged", k_repair},
    CodeInfo{"container.short", damage, "a region file ends inside its header or index", k_from_backup},
    CodeInfo{"container.entry-outside", damage, "an index entry points outside the file", k_from_backup},
    CodeInfo{"container.lengths", damage, "the stored lengths of a chunk are impossible", k_from_backup},
    CodeInfo{"container.cut-off", damage, "the file ends inside a chunk", k_from_backup},
    CodeInfo{"container.overlap", damage, "two chunks claim the same segments", k_from_backup},
    CodeInfo{"container.extra-entry", wrong, "an index entry beyond the 1024 chunks of a region", ""},
    CodeInfo{"container.shape", note, "a segment size or index length that the game does not write", ""},
    CodeInfo{"container.version-0", note, "a region file of the old container version", "orbis upgrade PATH"},
    CodeInfo{"container.orphans", note, "unused segments, which may contain older chunks",
             "orbis undelete PATH"},
    CodeInfo{"container.lost-entries", damage,
             "whole chunks that the index does not list: it was damaged, or chunks were removed",
             "orbis repair PATH --from-orphans"},
    CodeInfo{"container.stray-file", note, "a file beside the region files that the game ignores", ""},
    CodeInfo{"container.folder", damage, "a folder in the place of a region file", ""},
    CodeInfo{"store.unreadable", damage, "the storage of a world, or part of it, is unreadable", ""},
    CodeInfo{"store.log-cut", wrong, "the log of a database ends inside a record: its last changes are lost",
             ""},
    CodeInfo{"frame.broken", damage, "a chunk does not decompress", k_from_backup},
    CodeInfo{"frame.size", damage, "a chunk decompresses to a different size than stated", k_from_backup},
    CodeInfo{"frame.no-size", note, "a frame does not state its size", "orbis compact PATH --level 3"},
    CodeInfo{"document.bson", damage, "a chunk is not a valid BSON document", k_from_backup},
    CodeInfo{"document.empty", damage, "a chunk with 0 bytes", k_from_backup},
    CodeInfo{"document.no-components", damage, "a document without Components is not a chunk", k_from_backup},
    CodeInfo{"component.missing", damage, "a component that every chunk has is missing", k_repair},
    CodeInfo{"component.unreadable", damage, "a component cannot be read", k_repair},
    CodeInfo{"component.too-new", damage, "a component with a version that orbis does not know", ""},
    CodeInfo{"component.twice", wrong, "a component is stored twice", ""},
    CodeInfo{"component.misspelt", damage, "a misspelt name, so the game does not find its content",
             k_repair},
    CodeInfo{"section.surplus", damage, "more sections than a chunk has", k_repair},
    CodeInfo{"palette.count", wrong, "a palette entry states a wrong number of cells", k_repair},
    CodeInfo{"palette.id", wrong, "cells with an id that no palette entry has", k_repair},
    CodeInfo{"rotation.range", wrong, "a rotation above 63", k_repair},
    CodeInfo{"ticking.count", note, "the stated number of ticking cells is wrong", k_repair},
    CodeInfo{"ticking.empty", note, "ticking cells with neither a block nor a fluid", ""},
    CodeInfo{"light.stale", note, "outdated light, which the game will recalculate", k_repair},
    CodeInfo{"fluid.level", wrong, "a fluid without a level, or a level without a fluid", k_repair},
    CodeInfo{"fluid.unknown", note, "an unknown fluid key", "orbis verify PATH --assets FOLDER"},
    CodeInfo{"block.unknown", note, "an unknown block key", "orbis blocks PATH --unknown"},
    CodeInfo{"filler.dangling", wrong, "cells of a bigger block whose base is missing", k_repair},
    CodeInfo{"filler.lost", note, "cells of a bigger block whose base is in a missing chunk", ""},
    CodeInfo{"height.wrong", wrong, "a stored height that does not match the highest block", k_repair},
    CodeInfo{"column.key", wrong, "columns of a height or tint map with an unknown key", k_repair},
    CodeInfo{"environment.runs", wrong, "environments out of order or without a name", ""},
    CodeInfo{"entity.outside", wrong, "entities whose position is in another chunk", ""},
    CodeInfo{"entity.no-position", note, "entities without a position", ""},
    CodeInfo{"chunk.misplaced", wrong, "a chunk whose entities all belong to another chunk", k_repair},
    CodeInfo{"chunk.missing", damage, "chunks that are in the backup but not in the world", k_repair_missing},
    CodeInfo{"chunk.fewer", note, "fewer chunks than at the last check", k_repair_missing},
    CodeInfo{"block-component.place", wrong, "a block component outside the world", ""},
    CodeInfo{"block-component.host", wrong, "a block component on a block that cannot hold it", ""},
    CodeInfo{"health.outside", wrong, "block health of blocks in another chunk", ""},
    CodeInfo{"config.missing", damage, "config.json is missing: the game will create one with another seed",
             k_from_backup},
    CodeInfo{"config.unreadable", damage, "config.json and its backup cannot be read", k_from_backup},
    CodeInfo{"config.backup-used", wrong, "config.json is missing or damaged; its .bak is used", k_repair},
    CodeInfo{"config.too-new", damage, "config.json has a version that orbis does not know", ""},
    CodeInfo{"config.storage", wrong, "the configured chunk storage is not the one in the folder", ""},
    CodeInfo{"player.unreadable", damage, "a player file and its backup cannot be read", k_from_backup},
    CodeInfo{"player.backup-used", wrong, "a player file is missing or damaged; its .bak is used", k_repair},
    CodeInfo{"player.too-new", damage, "a player file with a version that orbis does not know", ""},
    CodeInfo{"player.world", note, "a player in a world that does not exist", ""},
    CodeInfo{"resource.unreadable", damage, "a damaged resource, which the game will replace with defaults",
             k_from_backup},
    CodeInfo{"file.missing", damage, "a file that is in the backup but not in the world", k_repair_missing},
    CodeInfo{"world.unfinished", wrong, "an incomplete world: the command that created it was interrupted",
             ""},
};
static_assert(k_codes.size() == static_cast<std::size_t>(Code::unfinished_convert) + 1);

} // namespace

std::span<const CodeInfo> all_codes() { return k_codes; }

const CodeInfo& code_info(Code code) {
    return k_codes.at(static_cast<std::size_t>(std::to_underlying(code)));
}

std::string_view name(Severity severity) {
    switch (severity) {
    case damage: return "damage";
    case wrong: return "wrong";
    case note: return "note";
    }
    return "note";
}

std::string help_for(Code code, const HelpTarget& place) {
    std::string help(code_info(code).help);
    const auto at = help.find("PATH");
    if (at == std::string::npos) return help;
    const bool reads = help.starts_with("orbis verify ") || help.starts_with("orbis blocks ");
    if (reads || place.copy.empty()) return help.replace(at, 4, place.argument);
    return fmt::format("{} && {}", place.copy, help.replace(at, 4, "NEW"));
}

std::string to_text(const Finding& finding) {
    auto text =
        fmt::format("{} {} {}: ", name(finding.severity()), code_info(finding.code).name, finding.file);
    std::string separator;
    const auto add = [&](std::string_view part) {
        text += separator;
        text += part;
        separator = ", ";
    };
    if (finding.chunk) add(fmt::format("{}", *finding.chunk));
    if (!finding.part.empty()) add(finding.part);
    if (finding.offset) add(fmt::format("offset {}", *finding.offset));
    if (finding.in_chunk) add(fmt::format("byte {} of the document", *finding.in_chunk));
    if (!separator.empty()) text += ": ";
    return text + finding.text;
}

std::string to_json(const Finding& finding, const HelpTarget& place) {
    JsonWriter json;
    json.object()
        .member("code", code_info(finding.code).name)
        .member("severity", name(finding.severity()))
        .member("world", finding.world)
        .member("file", finding.file);
    if (finding.chunk) {
        json.key("chunk").array().number(finding.chunk->x).number(finding.chunk->z).end();
    }
    if (finding.offset) json.member("offset", *finding.offset);
    if (finding.in_chunk) json.member("document_offset", *finding.in_chunk);
    if (!finding.part.empty()) json.member("part", finding.part);
    if (finding.home) json.key("belongs_to").array().number(finding.home->x).number(finding.home->z).end();
    json.member("count", finding.count).member("message", finding.text);
    const auto help = finding.help.empty() ? help_for(finding.code, place) : finding.help;
    if (!help.empty()) json.member("help", help);
    json.end();
    return json.take();
}

} // namespace orbis::jobs
