#include "app/command.hpp"
#include "app/save_file.hpp"
#include "app/world_argument.hpp"
#include "bytes/hex.hpp"
#include "storage/store.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandCat final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        options.chunk("CHUNK", pos_, "Chunk coordinates: block coordinates divided by 32, rounded down")
            .file("--output,-o", output_, "Write to this new file instead of stdout")
            .flag("--frame", frame_, "Print the compressed bytes as stored, without a check")
            .footer("The document is BSON. Example with a negative x: orbis cat PATH -3,12");
    }

    Result<Outcome> run(Console& console) override {
        if (output_.empty() && !common.json && Console::data_goes_to_terminal())
            return fail(error(Errc::usage, "the document is binary and stdout is a terminal")
                            .advise("write it to a file with -o FILE"));
        TRY(const auto opened, world_.open(console));
        storage::ReadContext context;
        TRY(const auto found, read(*opened.store, context));
        if (!found) return fail(world_.no_such_chunk(*opened.store, pos_));
        if (!output_.empty()) {
            TRY_DO(save_new_file(output_, *found));
        } else if (!common.json) {
            console.bytes(*found);
        }
        if (common.json) print_json(console, *found);
        return opened.is_unfinished ? Outcome::damage : Outcome::fine;
    }

    Result<std::optional<Bytes>> read(const storage::Store& store, storage::ReadContext& context) const {
        if (!frame_) return store.read(pos_, context);
        TRY(const auto frame, store.read_compressed(pos_, context));
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

    WorldArgument world_{WorldArgument::Use::read};
    ChunkPos pos_;
    std::filesystem::path output_;
    bool frame_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_cat() { return std::make_unique<CommandCat>(); }

} // namespace orbis::app
