// A server with an empty world in which players can chat: what one says is sent to all.
//
//     10_chat_server [ADDRESS:PORT [PASSWORD]]

#include <csignal>
#include <iostream>
#include <orbis/report.hpp>
#include <orbis/wire/server.hpp>

using namespace orbis::wire;

namespace {

volatile std::sig_atomic_t must_stop = 0;

/// A line of chat as the game shows it.
orbis::Result<Packet> line_of(const std::string& text) {
    auto packet = Protocol().make("ServerMessage");
    if (!packet) return packet;
    if (auto set = packet->set("message.rawText", text); !set) return std::unexpected(set.error());
    return packet;
}

} // namespace

int main(int count, char** arguments) {
    std::signal(SIGINT, [](int) { must_stop = 1; });
    std::signal(SIGTERM, [](int) { must_stop = 1; });
    ServerOptions options;
    if (count > 2) options.password = arguments[2];
    auto server = Server::start(count > 1 ? arguments[1] : "", options);
    if (!server) return orbis::report(server.error());
    for (const auto& address : server->addresses()) std::cout << "listening on " << address << '\n';
    std::cout << "certificate " << server->fingerprint() << std::endl;

    std::vector<Player> players;
    while (must_stop == 0) {
        const auto event = server->receive(std::chrono::milliseconds(100));
        if (!event) continue; // nothing happened in this time
        std::string text;
        if (event->kind == ServerEvent::Kind::joined) {
            players.push_back(event->player);
            text = event->player.name() + " joined";
        } else if (event->kind == ServerEvent::Kind::left) {
            std::erase(players, event->player);
            text = event->player.name() + " left";
        } else if (event->frame->name() == "ChatMessage") {
            const auto chat = event->frame->packet();
            if (!chat) continue; // not a packet that the game would write
            text = event->player.name() + ": " + (*chat)["message"].text();
        } else {
            continue;
        }
        const auto line = line_of(text);
        if (!line) return orbis::report(line.error());
        // As JSON, because what strangers write may not be meant well for a terminal.
        std::cout << (*line)["message"]["rawText"].json() << std::endl;
        for (const auto& player : players) (void)player.send(*line); // who is gone hears nothing
    }
    server->stop("The server stops.");
}
