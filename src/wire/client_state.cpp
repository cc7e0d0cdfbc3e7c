#include "wire/client_state.hpp"

#include "net/identity.hpp"
#include "net/reach.hpp"
#include "wire/ending.hpp"
#include "wire/inside.hpp"

namespace orbis::wire {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t k_most_kept = 64 << 20; ///< bytes of frames that nobody has received
constexpr auto k_tick = 50ms;
constexpr std::size_t k_longest_reason = 500; ///< bytes that a close has room for
constexpr auto k_no_longer = 5s; ///< how long a close is waited for; it ends by itself long before

class ClientEar final : public net::ClientHandler {
public:
    explicit ClientEar(ClientState& state) : state_(state) {}

    void on_phase(net::ClientSession& session) override { state_.on_phase(session); }
    std::optional<std::string> on_password_refused(int) override {
        const std::lock_guard lock(state_.mutex);
        state_.note = "the server refused the password";
        return {};
    }
    void on_packet(net::ClientSession& session, const protocol::Frame& frame) override {
        state_.on_frame(session, frame);
    }
    void on_delivered(net::ClientSession& session, net::Channel) override {
        state_.on_the_way.set_held(session.link().held(net::Channel::normal));
    }
    void on_closed(net::ClientSession&, const net::Close& close,
                   const std::optional<std::string>& said) override {
        state_.on_closed(close, said);
    }

private:
    ClientState& state_;
};

/// The address that answers, where a name has several: `localhost` may have one at which nobody listens.
net::Address best_address(net::Loop& loop, const std::vector<net::Address>& addresses, net::Duration limit) {
    if (addresses.size() == 1) return addresses.front();
    const auto reached = net::reach_over_udp(loop, addresses, limit);
    for (const auto& each : reached)
        if (each.answer == net::Reached::Answer::versions) return each.address;
    for (const auto& each : reached)
        if (!each.is_hopeless()) return each.address;
    return addresses.front();
}

} // namespace

Result<std::unique_ptr<ClientState>> ClientState::start(const net::HostPort& place, net::ClientRules rules,
                                                        net::Duration timeout) {
    TRY(const auto addresses, net::resolve(place));
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    TRY(const auto identity, net::make_self_signed(net::KeyKind::ecdsa_p256, now));
    TRY(const auto tls, net::TlsContext::client(&identity));
    std::unique_ptr<ClientState> made(new ClientState);
    TRY(made->loop, net::Loop::make());
    net::ClientSettings settings;
    settings.server = best_address(*made->loop, addresses, timeout);
    settings.server_name = place.host;
    settings.tls = tls;
    made->context.emplace(*made->loop);
    made->driver.emplace(*made->loop, net::EndpointSettings{});
    TRY(made->session, net::join(*made->driver, *made->context, settings, std::move(rules),
                                 std::make_unique<ClientEar>(*made)));
    made->tick();
    made->thread = std::jthread([loop = made->loop.get()] { loop->run(); });
    return made;
}

ClientState::~ClientState() {
    if (!thread.joinable()) return;
    loop->stop();
    thread.join();
    // Nobody runs any more: what is left ends here, before what it refers to.
    driver.reset();
}

void ClientState::tick() {
    context->tick();
    if (session != nullptr) round_trip = session->link().round_trip();
    loop->after(k_tick, [this] { tick(); });
}

void ClientState::on_phase(net::ClientSession& of) {
    const std::lock_guard lock(mutex);
    phase = of.phase();
    if (phase == Phase::authenticating) note = "the server asks for a Hytale account";
    if (phase == Phase::password && of.rules().password.empty()) note = "the server asks for a password";
    changed.notify_all();
}

void ClientState::on_frame(net::ClientSession& of, const protocol::Frame& received) {
    const auto frame = of.link().open(received);
    if (!frame) return; // the session has heard of it
    static const auto& build = Inside::state(Protocol());
    auto copy =
        Inside::frame(build, frame->id, Buffer(frame->payload.begin(), frame->payload.end()), frame->length);
    const std::lock_guard lock(mutex);
    kept += copy.payload().size();
    frames.push_back(std::move(copy));
    if (kept > k_most_kept && !std::exchange(is_paused, true))
        for (const auto channel : {net::Channel::normal, net::Channel::chunks, net::Channel::world_map})
            of.link().pause(channel);
    changed.notify_all();
}

void ClientState::on_closed(const net::Close& close, const std::optional<std::string>& said) {
    session = nullptr;
    const std::lock_guard lock(mutex);
    phase = Phase::closed;
    ending = ending_of(close, said);
    if (!note.empty()) ending->text = note;
    changed.notify_all();
}

Result<void> ClientState::wait_until_let_in(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex);
    const auto is_decided = [this] {
        return ending || phase == Phase::setup || phase == Phase::joining || phase == Phase::play;
    };
    if (!changed.wait_for(lock, longest, is_decided))
        return fail(error(Errc::io, "the server did not let the client in within {} s",
                          std::chrono::duration<double>(longest).count())
                        .advise("orbis ping shows what is wrong"));
    if (!ending) return {};
    return fail(error(Errc::io, "{}", ending->text).advise("orbis ping shows what is wrong"));
}

Result<std::optional<Frame>> ClientState::receive(std::optional<std::chrono::milliseconds> longest) {
    std::unique_lock lock(mutex);
    const auto is_there = [this] { return ending || !frames.empty(); };
    if (!longest)
        changed.wait(lock, is_there);
    else if (!changed.wait_for(lock, *longest, is_there))
        return std::nullopt;
    if (frames.empty()) return fail(Errc::io, "{}", ending->text);
    auto frame = std::move(frames.front());
    frames.pop_front();
    kept -= frame.payload().size();
    if (is_paused && kept < k_most_kept / 2) resume_later();
    return frame;
}

void ClientState::resume_later() {
    is_paused = false;
    loop->post([this] {
        if (session == nullptr) return;
        for (const auto channel : {net::Channel::normal, net::Channel::chunks, net::Channel::world_map})
            session->link().resume(channel);
    });
}

Result<void> ClientState::send(const net::OutgoingFrame& frame) {
    {
        const std::lock_guard lock(mutex);
        if (ending) return fail(Errc::io, "{}", ending->text);
    }
    const auto size = frame.frame().bytes().size();
    TRY_DO(on_the_way.add(size));
    loop->post([this, frame, size] {
        if (session == nullptr) return on_the_way.handed_over(size, 0);
        // A client has one stream, whatever channel its packets are of. It may be over after this.
        session->link().forward(net::Channel::normal, frame.frame().bytes());
        on_the_way.handed_over(size, session != nullptr ? session->link().held(net::Channel::normal) : 0);
    });
    return {};
}

void ClientState::close(std::string_view reason, CloseCode code) {
    loop->post([this, reason = std::string(reason), code] {
        if (session == nullptr) return;
        if (code == CloseCode::none) return session->leave(reason);
        // A Disconnect packet would make the server close with a code of its own.
        session->link().close(net::Close::application(inner_code(code), reason.substr(0, k_longest_reason)));
    });
    std::unique_lock lock(mutex);
    changed.wait_for(lock, k_no_longer, [this] { return ending.has_value(); });
}

} // namespace orbis::wire
