#include "app/command_serve_owner.hpp"

#include "app/command_serve_input.hpp"
#include "app/server_options.hpp"
#include "bytes/joined.hpp"

#include <fmt/format.h>

#include <cstring>
#include <unistd.h>

namespace orbis::app {

namespace {

constexpr int k_usual_notice = 3;

} // namespace

game::ServerFacts facts_of(const game::ServeSettings& settings) {
    game::ServerFacts facts;
    facts.name = settings.name.value_or(facts.name);
    facts.motd = settings.motd.value_or(facts.motd);
    facts.welcome = settings.welcome.value_or(facts.welcome);
    facts.max_players = settings.max_players.value_or(facts.max_players);
    facts.view_radius = settings.view_radius.value_or(facts.view_radius);
    return facts;
}

Result<std::string> password_of(const game::ServeSettings& settings) {
    if (!settings.password_file) return std::string();
    return read_password_file(*settings.password_file);
}

void ServeOwner::listen(net::Loop& loop) {
    signals_.begin(loop, [this](int number) { on_signal(number); });
}

void ServeOwner::run(GameServer& server) {
    server.loop().post([this, &server] {
        server_ = &server;
        game::GameConsole::Owner owner;
        owner.reload = [this] { return reload(); };
        owner.stop = [this](std::optional<std::chrono::seconds> notice, const std::string& reason) {
            return stop(notice, reason, "asked on the console");
        };
        owner.wire = [&server] { return server.figures(); };
        console_ = std::make_unique<game::GameConsole>(server.game(), std::move(owner));
        // What came before is handled now.
        if (early_signal_ != 0) on_signal(early_signal_);
    });
    const LineInput input(STDIN_FILENO, [&](Result<std::string> line, LineInput::Ticket ticket) {
        server.loop().post([this, line = std::move(line), ticket = std::move(ticket)] { on_line(line); });
    });
    server.wait_for_end();
}

void ServeOwner::on_signal(int number) {
    if (!console_) {
        early_signal_ = number;
        return;
    }
    if (number == SIGHUP && !start_.file.empty()) return events_.on_answer("reload", reload());
    if (std::exchange(is_ending_, true)) return server_->begin_stop(std::chrono::seconds(0), {});
    signals_.release(); // one more ends the program at once
    const auto why = fmt::format("signal {}", sigabbrev_np(number));
    if (const auto answer = stop({}, {}, why); !answer.is_done) events_.on_answer(why, answer);
}

void ServeOwner::on_line(const Result<std::string>& line) {
    if (!line) return events_.on_answer({}, {false, {line.error().text()}});
    const auto answer = console_->run(*line);
    if (!answer.lines.empty()) events_.on_answer(*line, answer);
}

game::ConsoleAnswer ServeOwner::stop(std::optional<std::chrono::seconds> asked, const std::string& reason,
                                     std::string_view why) {
    const auto notice = asked.value_or(std::chrono::seconds(now_.stop_notice.value_or(k_usual_notice)));
    if (const auto left = server_->game().stops_in(); left && *left <= notice)
        return {false,
                {fmt::format("The server already stops in {}; you can only stop it sooner",
                             game::long_time(*left))}};
    events_.on_stopping({std::string(why), reason, server_->game().players().size(), notice});
    server_->begin_stop(notice, reason);
    return {};
}

game::ConsoleAnswer ServeOwner::reload() {
    if (start_.file.empty())
        return {false, {"There is no settings file to reload: start the server with --settings FILE"}};
    const auto refuse = [](const Error& problem) {
        return game::ConsoleAnswer{false, {problem.text(), "Nothing was changed"}};
    };
    const auto loaded = game::ServeSettings::load(start_.file.string());
    if (!loaded) return refuse(loaded.error());
    const auto next = start_.given.over(*loaded);
    const auto password = password_of(next);
    if (!password) return refuse(password.error());

    auto changed = next.changes_from(now_);
    const auto waiting = next.needing_restart_from(start_.all);
    std::erase_if(changed, [&](const std::string& name) { return name == "password_file"; });
    for (const auto& name : next.needing_restart_from(now_)) std::erase(changed, name);
    if (*password != password_) changed.emplace_back("password");
    server_->game().change(facts_of(next), next.unlimited.value_or(false));
    server_->net().set_password(*password);
    now_ = next;
    password_ = *password;

    game::ConsoleAnswer answer;
    answer.lines.push_back(changed.empty() ? "Nothing has changed"
                                           : fmt::format("Changed: {}", joined(changed, ", ")));
    if (!waiting.empty())
        answer.lines.push_back(fmt::format("Restart the server to change {}", joined(waiting, ", ")));
    return answer;
}

} // namespace orbis::app
