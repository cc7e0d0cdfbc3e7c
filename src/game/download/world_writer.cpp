#include "game/download/world_writer.hpp"

#include "bson/extended_json.hpp"
#include "bytes/atomic_file.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/shell_quote.hpp"
#include "protocol/uuid.hpp"
#include "world/location.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis::game {

namespace fs = std::filesystem;

namespace {

/// Says that a download has begun here.
constexpr std::string_view k_mark = "orbis-download.json";

} // namespace

Result<std::unique_ptr<WorldWriter>> WorldWriter::open(const fs::path& folder, bool goes_on) {
    std::error_code ignored;
    const bool is_there =
        fs::exists(folder, ignored) && !(fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored));
    if (is_there && !goes_on)
        return fail(error(Errc::exists, "this already exists")
                        .in_file(folder.string())
                        .advise("name a new folder, or go on with a download: --continue"));
    if (goes_on && !fs::is_directory(folder / "chunks", ignored))
        return fail(error(Errc::not_found, "there is no download to continue")
                        .in_file(folder.string())
                        .advise("leave out --continue to begin one"));
    // Chunks that come replace those that are there, which may have what does not travel: only what a
    // download has begun is a download's to change.
    if (goes_on && !fs::exists(folder / k_mark, ignored))
        return fail(error(Errc::exists, "expected a download, found a folder without {}", k_mark)
                        .in_file(folder.string())
                        .advise("name a new folder, and leave out --continue"));
    TRY_DO(create_folders(folder / "chunks"));
    if (!goes_on) TRY_DO(write_file_atomically(folder / k_mark, as_bytes(R"({"made_by":"orbis download"})")));
    std::unique_ptr<WorldWriter> out(new WorldWriter(folder));
    const storage::Folder chunks(storage::open_disk_tree(folder), "chunks");
    TRY(out->store_, storage::open_region_store(
                         chunks, {.write = true, .create = true, .sync = storage::SyncPolicy::batch}));
    const auto cursor = out->store_->chunks();
    while (true) {
        TRY(const auto pos, cursor->next());
        if (!pos) return out;
        out->stored_.insert(*pos);
    }
}

void WorldWriter::remove_empty(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder / "chunks", ignored) && !fs::remove(folder / "chunks", ignored)) return;
    if (fs::exists(folder / k_mark, ignored))
        for (const std::string_view name :
             {std::string_view("config.json"), world::k_unfinished_note, k_mark})
            fs::remove(folder / name, ignored);
    fs::remove(folder, ignored);
}

Result<void> WorldWriter::write_config(std::string_view name, const protocol::Uuid& uuid,
                                       const Point& spawn) {
    const auto path = folder_ / "config.json";
    if (std::error_code ignored; fs::exists(path, ignored)) {
        std::vector<Error> notes;
        const auto config =
            world::read_world_config(storage::Folder(storage::open_disk_tree(folder_), ""), notes);
        const auto known = protocol::parse_uuid(config.uuid);
        if (!known || *known == uuid) return {};
        return fail(error(Errc::exists, "the folder has the world {}, the server has {}", config.uuid,
                          protocol::uuid_text(uuid))
                        .in_file(path.string())
                        .advise("name another folder, and leave out --continue"));
    }
    const auto number = [](double value) { return fmt::format("{:.3f}", value); };
    JsonWriter json;
    json.object().member("Version", 4).key("UUID").object();
    json.member("$binary", bson::to_base64(uuid)).member("$type", "04").end();
    json.member("DisplayName", name);
    json.key("SpawnProvider").object().member("Id", "Global").key("SpawnPoint").object();
    json.key("X").raw(number(spawn.x)).key("Y").raw(number(spawn.y)).key("Z").raw(number(spawn.z));
    for (const auto* angle : {"Pitch", "Yaw", "Roll"}) json.key(angle).raw("0.0");
    json.end().end();
    json.key("WorldGen").object().member("Type", "Void").end();
    json.key("WorldMap").object().member("Type", "WorldGen").end();
    json.key("ChunkStorage").object().member("Type", "Hytale").end();
    json.member("GameMode", "Creative").end();
    const std::string text(json.text());
    return write_file_atomically(path, as_bytes(text));
}

void WorldWriter::set_area(const std::optional<ChunkArea>& area) { area_ = area; }

Result<void> WorldWriter::put(ChunkPos pos, const chunk::Chunk& chunk) {
    if (area_ && !area_->contains(pos)) return {};
    TRY(const auto document, chunk.encode(document_));
    if (stored_.contains(pos)) {
        // What comes again from another stop is the same: writing it would only leave holes behind.
        const auto before = store_->read(pos, context_);
        if (before && *before && std::ranges::equal(**before, document)) return {};
    }
    TRY_DO(store_->write(pos, document));
    stored_.insert(pos);
    written_.insert(pos);
    return {};
}

Result<std::optional<chunk::Chunk>> WorldWriter::take_back(ChunkPos pos) {
    TRY(const auto document, store_->read(pos, context_));
    if (!document) return std::nullopt;
    TRY(auto chunk, chunk::Chunk::decode(Buffer(document->begin(), document->end())));
    return chunk;
}

Result<void> WorldWriter::sync() { return store_->sync(); }

Result<void> WorldWriter::note_begin(std::string_view server, const std::string& command) {
    auto text = fmt::format("{}\nregion\n", server);
    std::error_code ignored;
    if (!command.empty() && command.find('\n') == command.npos)
        text += fmt::format("cd {} && {}\n", shell_quoted(fs::current_path(ignored).string()), command);
    return write_file_atomically(folder_ / world::k_unfinished_note, as_bytes(text));
}

Result<void> WorldWriter::note_end() {
    std::error_code ignored;
    fs::remove(folder_ / world::k_unfinished_note, ignored);
    return sync_folder(folder_);
}

std::string sections_left_out(std::uint64_t count) {
    return fmt::format(
        "{} of 32 blocks below y 0 or above y 319 {} left out: the server's world is taller than "
        "world files can be",
        count == 1 ? "1 section" : fmt::format("{} sections", count), count == 1 ? "was" : "were");
}

} // namespace orbis::game
