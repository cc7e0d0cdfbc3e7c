#include "app/command_serve.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "app/ending_signals.hpp"
#include "app/key_files.hpp"
#include "app/serve_events.hpp"
#include "app/server_options.hpp"
#include "bytes/shell_quote.hpp"
#include "care/source.hpp"
#include "game/serve/content_pack.hpp"
#include "net/identity.hpp"
#include "net/server.hpp"

#include <algorithm>
#include <future>

namespace orbis::app {

namespace {

/// Where players begin when nothing else is said, as in the game.
constexpr std::string_view k_first_world = "default";
/// The longest name and message of a server: a client shows them on a line.
constexpr std::size_t k_longest_text = 512;

class CommandServe final : public Command {
    void declare(Options& options) override {
        options
            .path("PATH", path_,
                  "Universe, world folder, region file, RocksDB folder, backup zip or snapshot")
            .text("--world", world_, "Serve only this world (default: all, and players begin in `default`)")
            .text(
                "--bind", bind_,
                "Where players connect: ADDRESS:PORT (default: 127.0.0.1:5520; port 0 for any that is free)")
            .file("--password-file", password_file_, "A file whose first line is the password to get in")
            .file("--identity", identity_,
                  "Certificate and key as `orbis keys make` writes them (default: new ones at each start)")
            .text("--name", name_, "The name of the server (default: Orbis)")
            .text("--motd", motd_, "A line that players see when they come")
            .number("--max-players", most_players_, 1, 10'000, "Players at a time (default: 100)")
            .number("--view-radius", view_radius_, 2, 64, "Chunks that a player sees at most (default: 32)")
            .number("--workers", workers_, 1, 64, "Threads that prepare chunks (default: 1)")
            .number("--cache", cache_, 1, 1 << 20,
                    "Megabytes of prepared chunks that are kept though nobody sees them (default: 256)")
            .number("--stop-notice", notice_, 0, 3600,
                    "Seconds that players have to leave when the server is asked to stop (default: 3)")
            .flag("--no-map", no_map_, "Draw no map of the worlds for players")
            .flag("--edit", edit_, "Let players in creative mode change blocks, and save what they change")
            .flag("--read-only", read_only_, "Change nothing on the disk and lock nothing (the default)")
            .number("--save-every", save_every_, 1, 3600, "With --edit: seconds between saves (default: 2)")
            .flag("--unlimited", unlimited_,
                  "Send chunks as fast as the network takes them, not at the pace of the game");
        assets_.declare(options);
        options.footer(
            "Lets players into the worlds of a universe until it is ended with Ctrl+C. Without --edit "
            "nothing "
            "on the disk is changed or locked: the game may have the worlds open. What others change on "
            "the disk is shown to players.\n"
            "With --edit the worlds are locked, so no other orbis writes to them, and the game must not "
            "have them open. Edits count as saved when they are safe on the disk.\n"
            "No account is asked for, so everyone who can reach the address can join under any name; "
            "--password-file asks for a password.\n"
            "With --json each event is an object on a line of its own: ready, join, leave, chat, world, "
            "saved, unsaved, lost, unreadable, stopping, stopped.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(auto place, care::find_source(path_.string()));
        TRY(place, world::narrow_to_world(std::move(place), world_));
        auto& worlds = place.worlds;
        if (worlds.empty())
            return fail(error(Errc::not_found, "expected a world to serve, found none").in_file(place.path));
        // Nobody should begin where nothing is.
        std::ranges::stable_partition(
            worlds, [](const auto& world) { return world.provider.type != storage::Provider::Type::empty; });
        std::ranges::stable_partition(worlds, [](const auto& world) { return world.name == k_first_world; });
        for (const auto& world : worlds) print_notes(console, world);

        if (edit_ && read_only_)
            return fail(error(Errc::usage, "expected one of --edit and --read-only, found both"));
        if (save_every_ && !edit_)
            return fail(error(Errc::usage, "expected --edit with --save-every, found none"));
        for (const auto& world : worlds)
            if (edit_ && world.config.game_mode == "Adventure")
                console.note(
                    fmt::format("players of {} cannot edit: its config.json has the GameMode Adventure",
                                one_line(world.name)));
        net::ServerSettings settings;
        TRY(settings.addresses, addresses());
        if (!password_file_.empty()) {
            TRY(settings.rules.password, read_password_file(password_file_));
        }
        TRY(const auto identity, load_identity());
        TRY(const auto rules, game_rules(console));
        return serve(console, worlds, std::move(settings), identity, rules);
    }

    [[nodiscard]] Result<std::vector<net::Address>> addresses() const {
        // Port 0, any that is free, is nothing that a client could be given.
        std::string_view text = bind_;
        const bool is_any =
            text.ends_with(":0") && (text.front() == '[' || text.find(':') == text.size() - 2);
        if (is_any) text.remove_suffix(2);
        TRY(auto where, net::parse_host_port(text));
        if (is_any) where.port = 0;
        return net::resolve(where);
    }

    [[nodiscard]] Result<net::Identity> load_identity() const {
        if (identity_.empty())
            return net::make_self_signed(net::KeyKind::rsa2048, std::chrono::floor<std::chrono::seconds>(
                                                                    std::chrono::system_clock::now()));
        const auto files = KeyFiles::named(identity_);
        if (files.key.empty())
            return fail(error(Errc::not_found, "expected a certificate and a key beside it, found none")
                            .in_file(identity_.string())
                            .advise("orbis keys make " + shell_quoted(identity_.string())));
        return net::load_identity(files.certificate, files.key);
    }

    Result<game::GameRules> game_rules(Console& console) {
        game::GameRules rules;
        for (const auto& [text, option] : {std::pair(&name_, "--name"), std::pair(&motd_, "--motd")})
            if (text->size() > k_longest_text)
                return fail(error(Errc::usage, "expected at most {} bytes in {}, found {}", k_longest_text,
                                  option, text->size()));
        rules.facts.name = name_;
        rules.facts.motd = motd_;
        rules.facts.max_players = most_players_.value_or(rules.facts.max_players);
        rules.facts.view_radius = view_radius_.value_or(rules.facts.view_radius);
        rules.is_unlimited = unlimited_;
        rules.workers = static_cast<std::size_t>(workers_.value_or(1));
        if (cache_) rules.cache.most_unused_bytes = static_cast<std::size_t>(*cache_) << 20;
        rules.has_map = !no_map_;
        rules.editing.can_edit = edit_;
        rules.editing.saving.every = std::chrono::seconds(save_every_.value_or(2));
        TRY(rules.assets, assets_.load(console));
        if (!assets_.path().empty()) {
            TRY_DO(offer_assets(console));
            if (pack_) rules.pack = &*pack_;
        }
        return rules;
    }

    /// What the user's assets have for clients is offered to them. Those that only name blocks have nothing.
    Result<void> offer_assets(Console& console) {
        std::vector<Error> problems;
        auto pack = game::ContentPack::open(assets_.path(), console, problems, common.threads);
        for (const auto& problem : problems) console.problem(problem);
        if (!pack && pack.error().code == Errc::not_found) return {};
        if (!pack) return fail(std::move(pack).error());
        pack_.emplace(*std::move(pack));
        console.note(fmt::format("Offered for download: {}, {}", counted(pack_->assets().size(), "file"),
                                 human_bytes(pack_->bytes())));
        return {};
    }

    Result<Outcome> serve(Console& console, const std::vector<world::World>& worlds,
                          net::ServerSettings settings, const net::Identity& identity,
                          const game::GameRules& rules) {
        EndingSignals signals; // before the threads, which inherit it
        ServeEvents events(console);
        game::GameHost* game = nullptr;
        net::Loop* loop = nullptr;
        Result<void> opened;
        const bool has_password = !settings.rules.password.empty();
        TRY(const auto server,
            net::Server::start(std::move(settings), identity, [&](net::Loop& in, std::size_t) {
                auto host = std::make_unique<game::GameHost>(in, rules, events);
                opened = host->open(worlds);
                loop = &in;
                game = host.get();
                return host;
            }));
        TRY_DO(opened);

        ServeEvents::Ready ready;
        bool is_public = false;
        for (const auto& address : server->addresses()) {
            ready.addresses.push_back(address.text());
            is_public |= !address.is_loopback();
        }
        for (const auto& world : worlds) ready.worlds.push_back(world.name);
        ready.certificate = identity.fingerprint().text();
        ready.has_password = has_password;
        ready.can_edit = edit_;
        if (is_public && !has_password) console.note("everyone who can reach this address can join");
        events.on_ready(ready);

        signals.wait();
        std::promise<void> noticed;
        loop->post([&] {
            events.on_stopping(game->players().empty() ? "Stopping" : "Stopping, players are told");
            game->begin_stop(std::chrono::seconds(notice_.value_or(3)), "", [&] { noticed.set_value(); });
        });
        noticed.get_future().wait();
        server->stop("The server stops.");
        events.on_stopped();
        return Outcome::fine;
    }

    std::filesystem::path path_;
    std::string world_;
    std::string bind_ = "127.0.0.1:5520";
    std::filesystem::path password_file_;
    std::filesystem::path identity_;
    std::string name_ = "Orbis";
    std::string motd_;
    std::optional<int> most_players_;
    std::optional<int> view_radius_;
    std::optional<int> workers_;
    std::optional<int> cache_;
    std::optional<int> notice_;
    std::optional<int> save_every_;
    bool unlimited_ = false;
    bool no_map_ = false;
    bool edit_ = false;
    bool read_only_ = false;
    AssetsOption assets_;
    std::optional<game::ContentPack> pack_;
};

} // namespace

std::unique_ptr<Command> make_command_serve() { return std::make_unique<CommandServe>(); }

} // namespace orbis::app
