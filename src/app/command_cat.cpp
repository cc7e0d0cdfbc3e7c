#include "app/command_cat.hpp"

#include "app/describe_place.hpp"
#include "app/save_file.hpp"
#include "bytes/hex.hpp"
#include "care/snapshot/source.hpp"
#include "storage/store.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandCat final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file, RocksDB folder or backup zip")
            .chunk("CHUNK", pos_, "Chunk coordinates: block coordinates divided by 32, rounded down")
            .text("--world", world_, "Which world of a universe")
            .file("--output,-o", output_, "Write into this new file instead of stdout")
            .flag("--frame", frame_, "The compressed bytes as they are stored, not checked")
            .footer("The document is BSON. A chunk with x below zero works as it is: orbis cat PATH -3,12");
    }

    Result<Outcome> run(Console& console) override {
        if (output_.empty() && !common.json && Console::data_goes_to_terminal())
            return fail(error(Errc::usage, "the document is binary and stdout is a terminal")
                            .advise("name a file with -o, or send stdout into one"));
        TRY(const auto place, care::find_source(path_.string()));
        TRY(const auto* world, world::choose_world(place, world_));
        const bool noted = print_notes(console, *world);
        TRY(const auto store, world->open({}));
        storage::ReadContext context;
        TRY(const auto found, read(*store, context));
        if (!found) return fail(no_such_chunk(*store, pos_, place_argument(path_, world_)));
        if (!output_.empty()) {
            TRY_DO(save_new_file(output_, *found));
        } else if (!common.json) {
            console.bytes(*found);
        }
        if (common.json) print_json(console, *found);
        return noted ? Outcome::damage : Outcome::fine;
    }

    Result<std::optional<Bytes>> read(const storage::Store& store, storage::ReadContext& context) const {
        if (!frame_) return store.read(pos_, context);
        TRY(const auto frame, store.read_frame(pos_, context));
        if (!frame) return std::nullopt;
        return frame->bytes;
    }

    /// One object; the bytes as hexadecimal digits unless they went into a file.
    void print_json(Console& console, Bytes bytes) const {
        JsonWriter json;
        json.object().member("x", pos_.x).member("z", pos_.z).member("bytes", bytes.size());
        if (output_.empty())
            json.member(frame_ ? "frame_hex" : "document_hex", to_hex(bytes));
        else
            json.member("file", output_.string());
        json.end();
        console.line(json.text());
    }

    std::filesystem::path path_;
    ChunkPos pos_;
    std::string world_;
    std::filesystem::path output_;
    bool frame_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_cat() { return std::make_unique<CommandCat>(); }

} // namespace orbis::app
