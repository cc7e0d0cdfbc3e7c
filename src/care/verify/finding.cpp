#include "care/verify/finding.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace orbis::care {

namespace {

using enum Severity;

constexpr std::string_view k_from_backup = "orbis repair PATH --from BACKUP";
constexpr std::string_view k_repair = "orbis repair PATH";
constexpr std::string_view k_repair_missing = "orbis repair PATH --from BACKUP --missing";

constexpr std::array k_codes{
    CodeInfo{"container.header", damage, "the header of a region file is not one", k_repair},
    CodeInfo{"container.short", damage, "a region file ends inside of its header or index", k_from_backup},
    CodeInfo{"container.entry-outside", damage, "an index entry leads out of the file", k_from_backup},
    CodeInfo{"container.lengths", damage, "the lengths of a chunk make no sense", k_from_backup},
    CodeInfo{"container.cut-off", damage, "the file ends inside of a chunk", k_from_backup},
    CodeInfo{"container.overlap", damage, "two chunks claim the same segments", k_from_backup},
    CodeInfo{"container.extra-entry", wrong, "an index entry above the 1024 chunks of a region", ""},
    CodeInfo{"container.shape", note, "a segment size or index length that the game does not write", ""},
    CodeInfo{"container.version-0", note, "a region file of the old container version", "orbis upgrade PATH"},
    CodeInfo{"container.orphans", note, "unused segments, which may hold older chunks",
             "orbis undelete PATH"},
    CodeInfo{"container.lost-entries", damage,
             "whole chunks that the index does not list: it was lost, or chunks were removed",
             "orbis repair PATH --from-orphans"},
    CodeInfo{"container.stray-file", note, "a file beside the region files that the game ignores", ""},
    CodeInfo{"container.folder", damage, "a folder where the game wants a region file", ""},
    CodeInfo{"store.unreadable", damage, "the storage of a world, or a part of it, cannot be read", ""},
    CodeInfo{"store.log-cut", wrong,
             "the log of a database ends inside of a record: its last changes are lost", ""},
    CodeInfo{"frame.broken", damage, "a chunk does not decompress", k_from_backup},
    CodeInfo{"frame.size", damage, "a chunk decompresses to another size than promised", k_from_backup},
    CodeInfo{"frame.no-size", note, "a frame does not state its size", "orbis compact PATH --level 3"},
    CodeInfo{"document.bson", damage, "a chunk is no well-formed BSON document", k_from_backup},
    CodeInfo{"document.empty", damage, "a chunk of no bytes", k_from_backup},
    CodeInfo{"document.no-components", damage, "a document without Components is no chunk", k_from_backup},
    CodeInfo{"component.missing", damage, "a component that every chunk has is missing", k_repair},
    CodeInfo{"component.unreadable", damage, "a component cannot be read", k_repair},
    CodeInfo{"component.too-new", damage, "a component of a version that this program does not know", ""},
    CodeInfo{"component.twice", wrong, "a component is there twice", ""},
    CodeInfo{"component.misspelt", damage,
             "a name that is a letter or two off, so that the game does not find what it holds", k_repair},
    CodeInfo{"section.surplus", damage, "more sections than a chunk has", k_repair},
    CodeInfo{"palette.count", wrong, "a palette entry says another number of cells than hold it", k_repair},
    CodeInfo{"palette.id", wrong, "cells with an id that no palette entry has", k_repair},
    CodeInfo{"rotation.range", wrong, "a rotation above 63", k_repair},
    CodeInfo{"ticking.count", note, "another number of ticking cells than announced", k_repair},
    CodeInfo{"ticking.empty", note, "ticking cells with neither a block nor a fluid", ""},
    CodeInfo{"light.stale", note, "light that the game will compute again", k_repair},
    CodeInfo{"fluid.level", wrong, "a fluid without a level, or a level without a fluid", k_repair},
    CodeInfo{"fluid.unknown", note, "a fluid key that no table knows", "orbis verify PATH --assets FOLDER"},
    CodeInfo{"block.unknown", note, "a block key that no table knows", "orbis blocks PATH --unknown"},
    CodeInfo{"filler.dangling", wrong, "cells of a bigger block whose base is gone", k_repair},
    CodeInfo{"filler.lost", note, "cells of a bigger block whose base lies in a chunk that is not there", ""},
    CodeInfo{"height.wrong", wrong, "a height that is not that of the highest block", k_repair},
    CodeInfo{"column.key", wrong, "columns of a height or tint map with a key that is not there", k_repair},
    CodeInfo{"environment.runs", wrong, "environments that do not ascend or have no name", ""},
    CodeInfo{"entity.outside", wrong, "entities that stand in another chunk than the one that keeps them",
             ""},
    CodeInfo{"entity.no-position", note, "entities without a position", ""},
    CodeInfo{"chunk.misplaced", wrong, "a chunk whose entities all belong to another", k_repair},
    CodeInfo{"chunk.missing", damage, "chunks that the backup has and the world has not", k_repair_missing},
    CodeInfo{"chunk.fewer", note, "fewer chunks than when the world was last looked at", k_repair_missing},
    CodeInfo{"block-component.place", wrong, "a block component outside of the world", ""},
    CodeInfo{"block-component.host", wrong, "a block component on a block that cannot hold it", ""},
    CodeInfo{"health.outside", wrong, "block health of blocks in another chunk", ""},
    CodeInfo{"config.missing", damage, "a world without config.json: the game makes one with another seed",
             k_from_backup},
    CodeInfo{"config.unreadable", damage, "config.json and its backup cannot be read", k_from_backup},
    CodeInfo{"config.backup-used", wrong, "config.json is missing or broken; its .bak is used", k_repair},
    CodeInfo{"config.too-new", damage, "config.json of a version that this program does not know", ""},
    CodeInfo{"config.storage", wrong, "the configured chunk storage is not what lies there", ""},
    CodeInfo{"player.unreadable", damage, "a player file and its backup cannot be read", k_from_backup},
    CodeInfo{"player.backup-used", wrong, "a player file is missing or broken; its .bak is used", k_repair},
    CodeInfo{"player.too-new", damage, "a player file of a version that this program does not know", ""},
    CodeInfo{"player.world", note, "a player in a world that is not there", ""},
    CodeInfo{"resource.unreadable", damage, "a resource that the game will replace by defaults",
             k_from_backup},
    CodeInfo{"file.missing", damage, "a file that the backup has and the world has not", k_repair_missing},
    CodeInfo{"world.unfinished", wrong, "made by a command that did not come to its end", ""},
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

std::string help_for(Code code, const HelpPlace& place) {
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

std::string to_json(const Finding& finding, const HelpPlace& place) {
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

} // namespace orbis::care
