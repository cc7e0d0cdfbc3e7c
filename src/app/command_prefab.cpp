#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/command_prefab_paste.hpp"
#include "app/print_prefab.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "jobs/prefab/export_prefab.hpp"
#include "jobs/prefab/prefab_file.hpp"
#include "map/prefab_picture.hpp"

#include <fmt/format.h>

#include <charconv>

namespace orbis::app {

namespace {

namespace prefab = jobs::prefab;

class CommandPrefab final : public Command {
    void declare(Options& options) override {
        options.choice("ACTION", action_, {"info", "show", "export", "paste", "convert"}, "What to do")
            .words("FILE", words_,
                   "info, show: FILE. export: PATH BOX FILE. paste: PATH FILE X Y Z. convert: IN OUT")
            .file("--image", image_, "show: the PNG file to draw")
            .flag("--all", all_, "info: all kinds of blocks, not only the most common");
        world_.declare_name(options, "export, paste: world of the universe; needed where it has several");
        options
            .text("--anchor X,Y,Z", anchor_,
                  "export: the block of the world that lands where the prefab is pasted (default: the corner "
                  "of BOX "
                  "with the smallest numbers)")
            .flag("--skip-empty", skip_empty_,
                  "export: do not list cells of air. paste: let cells of air leave what is there")
            .flag("--overwrite", overwrite_, "export, convert: replace a file that exists");
        paste_.declare(options);
        assets_.declare(options);
        options.footer("A prefab is a part of a world in a file of its own: .prefab.json as the game's "
                       "editor writes it, or "
                       ".lpf, the game's binary copy of one. PATH is a world or a universe with one; export "
                       "also takes backups "
                       "and STORE@SNAPSHOT. BOX is X1,Y1,Z1..X2,Y2,Z2, both corners included.\n"
                       "A cell that a prefab lists as Empty is cleared when it is pasted; a cell that it "
                       "does not list stays. "
                       "`orbis undo PATH` undoes a paste.\n"
                       "Examples:\n"
                       "  orbis prefab info house.prefab.json\n"
                       "  orbis prefab show house.prefab.json --image house.png\n"
                       "  orbis prefab export world 10,60,10..40,90,30 house.prefab.json --skip-empty\n"
                       "  orbis prefab paste world house.prefab.json 100 64 -20 --rotate 90 --dry-run\n"
                       "  orbis prefab convert house.prefab.json house.lpf");
    }

    Result<Outcome> run(Console& console) override {
        TRY_DO(check_options());
        if (action_ == "info") return info(console);
        if (action_ == "show") return show(console);
        if (action_ == "export") return export_box(console);
        if (action_ == "convert") return convert(console);
        TRY_DO(take_words({"PATH", "FILE", "X", "Y", "Z"}));
        world_.set_use(WorldArgument::Use::write);
        world_.set_path(words_[0]);
        PrefabPaste::Target target{.file = words_[1], .at = {}, .skip_empty = skip_empty_};
        TRY(target.at.x, whole_number("X", words_[2]));
        TRY(target.at.y, whole_number("Y", words_[3]));
        TRY(target.at.z, whole_number("Z", words_[4]));
        return paste_.run(console, world_, target, assets_, common);
    }

    /// No option that an action would ignore.
    [[nodiscard]] Result<void> check_options() const {
        struct Use {
            const char* option;
            bool is_given;
            std::vector<std::string_view> actions;
        };
        std::vector<Use> uses{{"--image", !image_.empty(), {"show"}},
                              {"--all", all_, {"info"}},
                              {"--world", !world_.name().empty(), {"export", "paste"}},
                              {"--anchor", !anchor_.empty(), {"export"}},
                              {"--skip-empty", skip_empty_, {"export", "paste"}},
                              {"--overwrite", overwrite_, {"export", "convert"}},
                              {"--assets", !assets_.path().empty(), {"info", "show", "export", "paste"}}};
        for (const auto* option : paste_.given()) uses.push_back({option, true, {"paste"}});
        for (const auto& use : uses)
            if (use.is_given && std::ranges::find(use.actions, action_) == use.actions.end())
                return fail(
                    error(Errc::usage, "{} cannot be used with `orbis prefab {}`", use.option, action_)
                        .advise("orbis prefab --help"));
        return {};
    }

    /// Checks how many arguments there are.
    [[nodiscard]] Result<void> take_words(std::initializer_list<std::string_view> names) const {
        if (words_.size() < names.size())
            return fail(error(Errc::usage, "{} is missing: orbis prefab {}{}", names.begin()[words_.size()],
                              action_, usage(names))
                            .advise("orbis prefab --help"));
        if (words_.size() > names.size())
            return fail(error(Errc::usage, "unexpected argument {}", words_[names.size()])
                            .advise(fmt::format("orbis prefab {}{}", action_, usage(names))));
        return {};
    }

    static std::string usage(std::initializer_list<std::string_view> names) {
        std::string out;
        for (const auto name : names) out += fmt::format(" {}", name);
        return out;
    }

    static Result<std::int32_t> whole_number(std::string_view name, std::string_view text) {
        std::int32_t value = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc{} || end != text.data() + text.size())
            return fail(Errc::usage, "{} must be a whole number, not {}", name, text);
        return value;
    }

    Result<Outcome> info(Console& console) {
        TRY_DO(take_words({"FILE"}));
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto read, prefab::read_prefab(words_[0]));
        print_prefab(console, words_[0], read, prefab::summarise(read, *assets), all_);
        return Outcome::fine;
    }

    Result<Outcome> show(Console& console) {
        TRY_DO(take_words({"FILE"}));
        if (image_.empty())
            return fail(error(Errc::usage, "--image is missing")
                            .advise("give the PNG file to draw: --image FILE.png"));
        TRY_DO(check_picture_place(image_));
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto read, prefab::read_prefab(words_[0]));
        TRY(const auto drawn, map::draw_prefab(read, map::Colours(*assets)));
        TRY_DO(write_png(image_, drawn.picture));
        const auto size = size_text(prefab::bounds_of(read));
        if (console.json()) {
            JsonWriter json;
            json.object().member("file", words_[0]).member("image", image_.string());
            json.member("width", drawn.picture.width()).member("height", drawn.picture.height());
            json.member("pixels_per_block", drawn.scale).end();
            console.line(json.text());
        } else {
            console.line(fmt::format("{}: drew {} to {}, {} × {} pixels, {} per block", words_[0], size,
                                     image_.string(), drawn.picture.width(), drawn.picture.height(),
                                     counted(static_cast<std::uint64_t>(drawn.scale), "pixel")));
            console.note(
                "At the top from above, north up; below it from the south, the east, the north and the west");
        }
        return Outcome::fine;
    }

    Result<Outcome> export_box(Console& console) {
        TRY_DO(take_words({"PATH", "BOX", "FILE"}));
        TRY(const auto box, jobs::BlockBox::parse(words_[1]));
        const std::filesystem::path file = words_[2];
        TRY_DO(prefab::check_target(file, overwrite_));
        prefab::ExportOptions options;
        options.skips_empty = skip_empty_;
        if (!anchor_.empty()) {
            TRY(const auto corner, jobs::BlockBox::parse(fmt::format("{0}..{0}", anchor_)));
            options.anchor = corner.least;
        }
        world_.set_path(words_[0]);
        TRY(const auto* assets, assets_.load(console));
        TRY(const auto opened, world_.open(console));
        TRY(const auto done, prefab::export_prefab(*opened.store, box, *assets, options));
        auto notes = done.prefab.notes;
        TRY(const auto bytes, prefab::save_prefab(done.prefab, file, overwrite_, notes));
        print_export(console, opened.world.name, file, bytes, done);
        for (const auto& note : notes) console.note(note);
        return done.missing.empty() && !opened.is_unfinished ? Outcome::fine : Outcome::damage;
    }

    static void print_export(Console& console, const std::string& world, const std::filesystem::path& file,
                             std::uint64_t bytes, const prefab::ExportedPrefab& done) {
        if (console.json()) {
            JsonWriter json;
            json.object().member("world", world).member("file", file.string()).member("bytes", bytes);
            json.member("blocks", done.prefab.blocks.size()).member("entities", done.prefab.entities.size());
            json.member("cut_blocks", done.cut.size()).member("chunks_missing", done.missing.size()).end();
            return console.line(json.text());
        }
        console.line(
            fmt::format("{}: exported {} and {} to {}, {}", world, counted(done.prefab.blocks.size(), "cell"),
                        entities_text(done.prefab.entities.size()), file.string(), human_bytes(bytes)));
        if (!done.missing.empty())
            print_fact(
                console,
                fmt::format("  missing    the world does not have {} of the box; their cells are not listed",
                            counted(done.missing.size(), "chunk")));
        if (done.whole)
            print_fact(console, fmt::format("  cut        {} out of the box; all are whole in {}",
                                            done.cut.size() == 1
                                                ? "1 larger block reaches"
                                                : fmt::format("{} larger blocks reach", done.cut.size()),
                                            *done.whole));
    }

    static std::string entities_text(std::uint64_t count) {
        return count == 1 ? "1 entity" : fmt::format("{} entities", human_count(count));
    }

    Result<Outcome> convert(Console& console) {
        TRY_DO(take_words({"IN", "OUT"}));
        const std::filesystem::path to = words_[1];
        TRY_DO(prefab::check_target(to, overwrite_));
        TRY(const auto read, prefab::read_prefab(words_[0]));
        TRY(const auto format, prefab::format_of_name(to));
        const bool is_same = format == prefab::Prefab::Format::json && !read.source.empty();
        auto notes = is_same ? std::vector<std::string>() : read.notes; // else nothing is left out
        const auto by_chance =
            std::ranges::count_if(read.blocks, [](const auto& block) { return block.chance.has_value(); });
        if (format == prefab::Prefab::Format::json && by_chance > 0)
            notes.push_back(fmt::format("chances of {}: JSON has no place for them",
                                        counted(static_cast<std::uint64_t>(by_chance), "block")));
        TRY(const auto bytes, prefab::save_prefab(read, to, overwrite_, notes));
        if (console.json()) {
            JsonWriter json;
            json.object().member("file", words_[0]).member("to", to.string()).member("bytes", bytes);
            json.key("left_out").array();
            for (const auto& note : notes) json.string(note);
            json.end().end();
            console.line(json.text());
        } else {
            console.line(fmt::format("{}: wrote {} and {} to {}, {}", words_[0],
                                     counted(read.blocks.size(), "cell"), entities_text(read.entities.size()),
                                     to.string(), human_bytes(bytes)));
            for (const auto& note : notes) print_fact(console, "  left out   " + note);
        }
        return Outcome::fine;
    }

    std::string action_;
    std::vector<std::string> words_;
    std::filesystem::path image_;
    std::string anchor_;
    bool all_ = false;
    bool skip_empty_ = false;
    bool overwrite_ = false;
    WorldArgument world_{WorldArgument::Use::read};
    PrefabPaste paste_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_prefab() { return std::make_unique<CommandPrefab>(); }

} // namespace orbis::app
