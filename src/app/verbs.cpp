#include "app/command.hpp"

namespace orbis::app {

using MakeCommand = std::unique_ptr<Command>();

// A verb is one file, command_NAME.cpp, which defines make_command_NAME.
#define ORBIS_VERB(name)                                                                                     \
    #name, [] {                                                                                              \
        MakeCommand make_command_##name;                                                                     \
        return make_command_##name();                                                                        \
    }

const std::vector<Verb>& verbs() {
    constexpr auto k_start = "Start here";
    constexpr auto k_look = "Look into worlds";
    constexpr auto k_damage = "Find and repair damage";
    constexpr auto k_change = "Change worlds";
    constexpr auto k_snapshots = "Snapshots";
    constexpr auto k_network = "Servers and the network";
    constexpr auto k_help = "Help";
    static const std::vector<Verb> all{
        {k_start, ORBIS_VERB(up), "Show a live map of a universe in the browser, and let players in"},
        {k_start, ORBIS_VERB(serve), "Serve the worlds of a universe to players", true},
        {k_start, ORBIS_VERB(sample), "Create a sample universe to try things on", true},

        {k_look, ORBIS_VERB(info),
         "Show what is at a path: versions, counts, sizes, free space, configuration"},
        {k_look, ORBIS_VERB(ls), "List the chunks, one per line"},
        {k_look, ORBIS_VERB(show), "Show a chunk as JSON"},
        {k_look, ORBIS_VERB(cat), "Print the raw document of a chunk"},
        {k_look, ORBIS_VERB(digest),
         "Print a line for each chunk that says what is in it, to compare decoders"},
        {k_look, ORBIS_VERB(get), "Show everything about one block"},
        {k_look, ORBIS_VERB(blocks), "Count the blocks of a world"},
        {k_look, ORBIS_VERB(find), "Find blocks, items and entities by their names"},
        {k_look, ORBIS_VERB(containers), "List chests and other containers with everything in them"},
        {k_look, ORBIS_VERB(stats), "Show at which heights the ores are, as a table and a picture"},
        {k_look, ORBIS_VERB(sql), "Ask anything about worlds in SQL: blocks, items, entities, chunks"},
        {k_look, ORBIS_VERB(map), "Draw a map: surface, slices, caves, heights, light, environments"},
        {k_look, ORBIS_VERB(export), "Write a part of a world as a model for Blender and printers"},
        {k_look, ORBIS_VERB(diff),
         "Compare two worlds, backups or snapshots, chunk by chunk and block by block"},

        {k_damage, ORBIS_VERB(verify), "Check every chunk and file for damage"},
        {k_damage, ORBIS_VERB(repair), "Repair damage, from backups and older copies where needed", true},
        {k_damage, ORBIS_VERB(undelete),
         "Find older versions of chunks in unused parts of region files, and restore them", true},
        {k_damage, ORBIS_VERB(restore), "Restore single chunks from a backup", true},

        {k_change, ORBIS_VERB(edit), "Set, fill, replace, copy and move blocks; remove entities", true},
        {k_change, ORBIS_VERB(merge), "Copy part of another world into this one", true},
        {k_change, ORBIS_VERB(prefab), "Show, export, paste and convert prefabs", true},
        {k_change, ORBIS_VERB(prune), "Remove chunks, so that the game generates them again", true},
        {k_change, ORBIS_VERB(upgrade), "Upgrade old chunks to the current formats", true},
        {k_change, ORBIS_VERB(convert), "Copy a world into another kind of storage, and verify the copy",
         true},
        {k_change, ORBIS_VERB(compact), "Rewrite region files without unused space; can recompress", true},
        {k_change, ORBIS_VERB(undo), "Undo the last change", true},

        {k_snapshots, ORBIS_VERB(snapshot), "Take a snapshot of a world or universe", true},
        {k_snapshots, ORBIS_VERB(snapshots), "List, verify, thin out and remove snapshots", true},
        {k_snapshots, ORBIS_VERB(checkout), "Create a new copy from a snapshot", true},

        {k_network, ORBIS_VERB(ping),
         "Find out why a server cannot be reached: test each step of a connection"},
        {k_network, ORBIS_VERB(bot), "Join a server with headless players and report how it performs"},
        {k_network, ORBIS_VERB(download), "Download a server's world", true},
        {k_network, ORBIS_VERB(proxy), "Stand between players and a server, and forward what they say", true},
        {k_network, ORBIS_VERB(capture), "Show, filter, compare and replay captured frames of the game"},
        {k_network, ORBIS_VERB(packet), "List, show, decode and encode the game's packets"},
        {k_network, ORBIS_VERB(keys), "Create and show certificates and their fingerprints", true},

        {k_help, ORBIS_VERB(help), "Explain a verb; write the manual pages"},
        {k_help, ORBIS_VERB(completion),
         "Print the script that completes orbis commands in bash, zsh or fish"},
    };
    return all;
}

} // namespace orbis::app
