// A server that lets everybody into a world without anything in it: small_server [ADDRESS:PORT [PASSWORD]]

#include "net/identity.hpp"
#include "net/server.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"

#include <fmt/core.h>

#include <csignal>

using namespace orbis;

namespace {

class Player final : public net::SessionHandler {
public:
    explicit Player(net::ServerSession& session) : session_(session) {
        packets::WorldSettings settings;
        settings.world_height = 320;
        (void)session_.send(settings);
        fmt::print("{} comes from {}\n", session_.player().name, session_.link().peer().address.text());
    }

    bool on_packet(const protocol::Frame& frame) override {
        switch (frame.id) {
        case packets::RequestAssets::k_info.id:
            return session_.send(packets::WorldLoadFinished{}).has_value();
        case packets::PlayerOptions::k_info.id:
            return session_.begin_play() && session_.send(packets::JoinWorld{});
        default: return true;
        }
    }

    void on_closed(const net::Close& close) override {
        fmt::print("{} is gone: {}\n", session_.player().name, close.text());
    }

private:
    net::ServerSession& session_;
};

class Game final : public net::ServerHandler {
public:
    std::unique_ptr<net::SessionHandler> welcome(net::ServerSession& session) override {
        return std::make_unique<Player>(session);
    }
};

Result<void> serve(int count, char** arguments) {
    net::ServerSettings settings;
    settings.addresses = net::any_addresses(net::k_default_port);
    if (count > 1) {
        TRY(const auto place, net::parse_host_port(arguments[1]));
        TRY(settings.addresses, net::resolve(place));
    }
    if (count > 2) settings.rules.password = arguments[2];
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    TRY(const auto identity, net::make_self_signed(net::KeyKind::rsa2048, now));

    // Threads inherit this: only the wait below gets the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    TRY(const auto server, net::Server::start(settings, identity, [](net::Loop&, std::size_t) {
            return std::make_unique<Game>();
        }));
    for (const auto& address : server->addresses()) fmt::print("listening on {}\n", address.text());
    fmt::print("certificate {}\n", identity.fingerprint().text());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
    server->stop("The server stops.");
    return {};
}

} // namespace

int main(int count, char** arguments) {
    const auto served = serve(count, arguments);
    if (!served) fmt::print(stderr, "small_server: {}\n", served.error().text());
    return served ? 0 : 1;
}
