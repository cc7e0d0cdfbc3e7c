#include "app/command.hpp"

namespace orbis::app {

// A verb is one file, command_NAME.cpp, which defines its function here. This is the only list of them.
using MakeCommand = std::unique_ptr<Command>();
MakeCommand make_command_blocks, make_command_bot, make_command_cat, make_command_checkout,
    make_command_compact, make_command_convert, make_command_diff, make_command_digest, make_command_download,
    make_command_get, make_command_info, make_command_keys, make_command_ls, make_command_map,
    make_command_merge, make_command_packet, make_command_ping, make_command_prune, make_command_repair,
    make_command_restore, make_command_sample, make_command_serve, make_command_show, make_command_snapshot,
    make_command_snapshots, make_command_undelete, make_command_undo, make_command_up, make_command_upgrade,
    make_command_verify;

const std::vector<Verb>& verbs() {
    constexpr auto k_start = "Start here";
    constexpr auto k_look = "Look into worlds";
    constexpr auto k_damage = "Find and repair damage";
    constexpr auto k_change = "Change worlds";
    constexpr auto k_snapshots = "Snapshots";
    constexpr auto k_network = "Servers and the network";
    static const std::vector<Verb> all{
        {k_start, "up", "Show a live map of a universe in the browser, and let players in", make_command_up},
        {k_start, "serve", "Serve the worlds of a universe to players", make_command_serve, true},
        {k_start, "sample", "Create a sample universe to try things on", make_command_sample, true},

        {k_look, "info", "Show what is at a path: versions, counts, sizes, free space, configuration",
         make_command_info},
        {k_look, "ls", "List the chunks, one per line", make_command_ls},
        {k_look, "show", "Show a chunk as JSON", make_command_show},
        {k_look, "cat", "Print the raw document of a chunk", make_command_cat},
        {k_look, "digest", "Print a line for each chunk that says what is in it, to compare decoders",
         make_command_digest},
        {k_look, "get", "Show everything about one block", make_command_get},
        {k_look, "blocks", "Count the blocks of a world", make_command_blocks},
        {k_look, "map", "Draw a map: surface, slices, caves, heights, light, environments", make_command_map},
        {k_look, "diff", "Compare two worlds, backups or snapshots, chunk by chunk and block by block",
         make_command_diff},

        {k_damage, "verify", "Check every chunk and file for damage", make_command_verify},
        {k_damage, "repair", "Repair damage, from backups and older copies where needed", make_command_repair,
         true},
        {k_damage, "undelete",
         "Find older versions of chunks in unused parts of region files, and restore them",
         make_command_undelete, true},
        {k_damage, "restore", "Restore single chunks from a backup", make_command_restore, true},

        {k_change, "merge", "Copy part of another world into this one", make_command_merge, true},
        {k_change, "prune", "Remove chunks, so that the game generates them again", make_command_prune, true},
        {k_change, "upgrade", "Upgrade old chunks to the current formats", make_command_upgrade, true},
        {k_change, "convert", "Copy a world into another kind of storage, and verify the copy",
         make_command_convert, true},
        {k_change, "compact", "Rewrite region files without unused space; can recompress",
         make_command_compact, true},
        {k_change, "undo", "Undo the last change", make_command_undo, true},

        {k_snapshots, "snapshot", "Take a snapshot of a world or universe", make_command_snapshot, true},
        {k_snapshots, "snapshots", "List, verify, thin out and remove snapshots", make_command_snapshots,
         true},
        {k_snapshots, "checkout", "Create a new copy from a snapshot", make_command_checkout, true},

        {k_network, "ping", "Find out why a server cannot be reached: test each step of a connection",
         make_command_ping},
        {k_network, "bot", "Join a server with headless players and report how it performs",
         make_command_bot},
        {k_network, "download", "Download a server's world", make_command_download, true},
        {k_network, "packet", "List, show, decode and encode the game's packets", make_command_packet},
        {k_network, "keys", "Create and show certificates and their fingerprints", make_command_keys, true},
    };
    return all;
}

} // namespace orbis::app
