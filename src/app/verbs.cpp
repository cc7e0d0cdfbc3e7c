#include "app/command.hpp"
#include "app/command_blocks.hpp"
#include "app/command_bot.hpp"
#include "app/command_cat.hpp"
#include "app/command_checkout.hpp"
#include "app/command_compact.hpp"
#include "app/command_convert.hpp"
#include "app/command_diff.hpp"
#include "app/command_digest.hpp"
#include "app/command_download.hpp"
#include "app/command_get.hpp"
#include "app/command_info.hpp"
#include "app/command_keys.hpp"
#include "app/command_ls.hpp"
#include "app/command_map.hpp"
#include "app/command_merge.hpp"
#include "app/command_packet.hpp"
#include "app/command_ping.hpp"
#include "app/command_prune.hpp"
#include "app/command_repair.hpp"
#include "app/command_restore.hpp"
#include "app/command_sample.hpp"
#include "app/command_serve.hpp"
#include "app/command_show.hpp"
#include "app/command_snapshot.hpp"
#include "app/command_snapshots.hpp"
#include "app/command_undelete.hpp"
#include "app/command_undo.hpp"
#include "app/command_up.hpp"
#include "app/command_upgrade.hpp"
#include "app/command_verify.hpp"

namespace orbis::app {

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> all{
        {"up", "Show the worlds of a universe as a map in the browser", make_command_up},
        {"serve", "Let players into the worlds of a universe", make_command_serve, true},
        {"sample", "Make a universe to try things on", make_command_sample, true},
        {"info", "What a path holds: versions, counts, sizes, free space, configuration", make_command_info},
        {"ls", "List the chunks, one line each", make_command_ls},
        {"cat", "Print the raw document of one chunk", make_command_cat},
        {"digest", "Print a line per chunk that says what is in it, to compare decoders",
         make_command_digest},
        {"show", "One chunk as JSON", make_command_show},
        {"get", "Everything about one block", make_command_get},
        {"blocks", "Count the blocks of a world", make_command_blocks},
        {"map", "Draw a world: surface, slices, caves, heights, light, environments", make_command_map},
        {"diff", "Compare two worlds, backups or snapshots, chunk by chunk and block by block",
         make_command_diff},
        {"merge", "Take a chosen part of another world over", make_command_merge, true},
        {"restore", "Take single chunks out of a backup", make_command_restore, true},
        {"prune", "Remove chunks, so that the game generates them anew", make_command_prune, true},
        {"verify", "Check every layer of every chunk", make_command_verify},
        {"repair", "Mend what is damaged, from backups and older copies where that is needed",
         make_command_repair, true},
        {"upgrade", "Bring old chunks to the formats of today", make_command_upgrade, true},
        {"convert", "Copy a world into another kind of storage, verified", make_command_convert, true},
        {"compact", "Rewrite a world without holes, optionally recompressed", make_command_compact, true},
        {"undelete", "Find older versions of chunks in unused parts of region files, and put them back",
         make_command_undelete, true},
        {"undo", "Take the last change back", make_command_undo, true},
        {"snapshot", "Keep a world as it is now, beside its earlier states", make_command_snapshot, true},
        {"snapshots", "List, verify, thin and remove snapshots", make_command_snapshots, true},
        {"checkout", "Make a new place of a snapshot", make_command_checkout, true},
        {"packet", "The game's packets: list, show, decode, encode, dissector", make_command_packet},
        {"ping", "Why can I not connect? Each step to a server, with its time", make_command_ping},
        {"bot", "Join a server with headless players and report how it did", make_command_bot},
        {"download", "Carry the world of a server home as a world folder", make_command_download, true},
        {"keys", "Make and show certificates and their fingerprints", make_command_keys, true},
    };
    return all;
}

} // namespace orbis::app
