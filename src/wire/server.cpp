#include "orbis/wire/server.hpp"

#include "net/identity.hpp"
#include "wire/server_state.hpp"

#include <algorithm>

namespace orbis::wire {

namespace {

constexpr std::size_t k_most_events = 100'000; ///< that wait before nobody else is let in

Result<net::Identity> identity_of(const ServerOptions& options) {
    if (options.certificate.empty() != options.key.empty())
        return fail(Errc::usage, "a certificate needs its key, and a key its certificate");
    if (!options.certificate.empty()) return net::load_identity(options.certificate, options.key);
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return net::make_self_signed(net::KeyKind::rsa2048, now);
}

/// As for a client, but with the port 0 for one that the system chooses.
Result<net::HostPort> place_to_listen(std::string_view address) {
    constexpr std::string_view k_any_port = ":0";
    const auto host = address.substr(0, address.size() - std::min(address.size(), k_any_port.size()));
    const bool is_alone = host.find(':') == std::string_view::npos || host.ends_with(']'); // not part of IPv6
    if (address.ends_with(k_any_port) && is_alone) return net::parse_host_port(host, 0);
    return net::parse_host_port(address);
}

} // namespace

void ServerState::add(ServerEvent event) {
    const std::lock_guard lock(mutex);
    events.push_back(std::move(event));
    changed.notify_one();
}

bool ServerState::is_full() const {
    const std::lock_guard lock(mutex);
    return events.size() > k_most_events;
}

std::optional<ServerEvent> ServerState::receive(std::optional<std::chrono::milliseconds> longest) {
    std::unique_lock lock(mutex);
    const auto is_there = [this] { return is_stopped || !events.empty(); };
    if (!longest)
        changed.wait(lock, is_there);
    else
        changed.wait_for(lock, *longest, is_there);
    if (events.empty()) return {};
    std::optional<ServerEvent> event(std::move(events.front()));
    events.pop_front();
    lock.unlock();
    if (event->frame) PlayerState::of(event->player).received(event->frame->payload().size());
    return event;
}

void ServerState::stop(std::string_view reason) {
    server->stop(std::string(reason));
    const std::lock_guard lock(mutex);
    is_stopped = true;
    changed.notify_all();
}

Result<Server> Server::start(std::string_view address, const ServerOptions& options) {
    net::ServerSettings settings;
    settings.addresses = net::any_addresses(net::k_default_port);
    if (!address.empty()) {
        TRY(const auto place, place_to_listen(address));
        TRY(settings.addresses, net::resolve(place));
    }
    settings.rules.password = options.password;
    TRY(const auto identity, identity_of(options));
    auto state = std::make_shared<ServerState>();
    state->sets_up = options.sets_up;
    state->fingerprint = identity.fingerprint().text();
    TRY(state->server, net::Server::start(settings, identity, [&](net::Loop& loop, std::size_t) {
            return make_server_handler(*state, loop);
        }));
    return Server(std::move(state));
}

Server::Server(std::shared_ptr<ServerState> state) : state_(std::move(state)) {}
Server::Server(Server&& other) noexcept = default;

Server& Server::operator=(Server&& other) noexcept {
    if (this == &other) return *this;
    if (state_) stop();
    state_ = std::move(other.state_);
    return *this;
}

Server::~Server() {
    if (state_) stop();
}

std::vector<std::string> Server::addresses() const {
    std::vector<std::string> texts;
    for (const auto& address : state_->server->addresses()) texts.push_back(address.text());
    return texts;
}

std::string Server::fingerprint() const { return state_->fingerprint; }
std::optional<ServerEvent> Server::receive() { return state_->receive(std::nullopt); }
std::optional<ServerEvent> Server::receive(std::chrono::milliseconds longest) {
    return state_->receive(longest);
}
void Server::stop(std::string_view reason) { state_->stop(reason); }

} // namespace orbis::wire
