#include "orbis/wire/client.hpp"

#include "protocol/uuid.hpp"
#include "wire/client_state.hpp"

namespace orbis::wire {

namespace {

Result<net::ClientRules> client_rules(const ClientOptions& options) {
    net::ClientRules rules;
    rules.name = options.name;
    rules.language = options.language;
    rules.password = options.password;
    rules.view_radius = options.view_radius;
    rules.joins = options.joins;
    if (options.uuid.empty()) {
        net::fill_random(rules.uuid);
        return rules;
    }
    const auto uuid = protocol::parse_uuid(options.uuid);
    if (!uuid) return fail(Errc::usage, "the id of the player is no UUID");
    rules.uuid = *uuid;
    return rules;
}

} // namespace

Result<Client> Client::connect(std::string_view address, const ClientOptions& options) {
    TRY(const auto place, net::parse_host_port(address));
    TRY(auto rules, client_rules(options));
    TRY(auto state, ClientState::start(place, std::move(rules), options.timeout));
    if (auto let_in = state->wait_until_let_in(options.timeout); !let_in) {
        state->close("The client has waited too long", CloseCode::none); // so that no player stays behind
        return fail(std::move(let_in).error().about(address));
    }
    return Client(std::move(state));
}

Client::Client(std::unique_ptr<ClientState> state) : state_(std::move(state)) {}
Client::Client(Client&& other) noexcept = default;

Client& Client::operator=(Client&& other) noexcept {
    if (this == &other) return *this;
    if (state_) close();
    state_ = std::move(other.state_);
    return *this;
}

Client::~Client() {
    if (state_) close();
}

Result<Frame> Client::receive() {
    TRY(auto frame, state_->receive(std::nullopt));
    return *std::move(frame);
}

Result<std::optional<Frame>> Client::receive(std::chrono::milliseconds longest) {
    return state_->receive(longest);
}

Result<void> Client::send(const Packet& packet) {
    TRY(const auto frame, outgoing(packet, protocol::Side::server));
    return state_->send(frame);
}

Result<void> Client::send(const Frame& received) {
    TRY(const auto frame, outgoing(received, protocol::Side::server));
    return state_->send(frame);
}

std::size_t Client::waiting() const { return state_->on_the_way.bytes(); }

bool Client::is_in_world() const {
    const std::lock_guard lock(state_->mutex);
    return state_->phase == ClientState::Phase::play;
}

std::chrono::microseconds Client::round_trip() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(state_->round_trip.load());
}

std::optional<Ending> Client::ending() const {
    const std::lock_guard lock(state_->mutex);
    return state_->ending;
}

void Client::close(std::string_view reason, CloseCode code) { state_->close(reason, code); }

} // namespace orbis::wire
