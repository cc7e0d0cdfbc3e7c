#include "wire/ending.hpp"
#include "wire/server_state.hpp"

namespace orbis::wire {

namespace {

constexpr std::size_t k_most_kept_of_player = 4 << 20; ///< bytes of frames that nobody has received

std::unexpected<Error> is_gone(const std::string& name) {
    return fail(Errc::io, "the player {} is not connected any more", name);
}

} // namespace

std::size_t PlayerState::held() const {
    if (session == nullptr) return 0;
    std::size_t sum = 0;
    for (const auto channel : {net::Channel::normal, net::Channel::chunks, net::Channel::world_map})
        sum += session->link().held(channel);
    return sum;
}

void PlayerState::keep(std::size_t bytes) {
    kept += bytes;
    if (kept <= k_most_kept_of_player || is_paused.exchange(true)) return;
    session->link().pause(net::Channel::normal);
    // Whoever has received the rest meanwhile did not see the pause.
    if (kept < k_most_kept_of_player / 2 && is_paused.exchange(false))
        session->link().resume(net::Channel::normal);
}

void PlayerState::received(std::size_t bytes) {
    kept -= bytes;
    if (kept >= k_most_kept_of_player / 2 || !is_paused.exchange(false)) return;
    post([](net::ServerSession& of) { of.link().resume(net::Channel::normal); });
}

bool PlayerState::post(std::move_only_function<void(net::ServerSession&)> task) {
    const auto keeps_loop = server.lock();
    if (!keeps_loop) return false;
    loop->post([self = shared_from_this(), task = std::move(task)]() mutable {
        if (self->session != nullptr) task(*self->session);
    });
    return true;
}

Result<void> PlayerState::send(const net::OutgoingFrame& frame) {
    if (!is_connected) return is_gone(name);
    if (frame.channel() != net::Channel::normal && !is_in_world)
        return fail(Errc::usage, "the channel {} is only open for players in the world",
                    protocol::name(frame.channel()));
    const auto size = frame.frame().bytes().size();
    TRY_DO(on_the_way.add(size));
    const bool is_posted = post([this, frame, size](net::ServerSession& of) {
        (void)of.send(frame);
        on_the_way.handed_over(size, held());
    });
    if (!is_posted) return is_gone(name);
    return {};
}

const std::string& Player::name() const { return state_->name; }
const std::string& Player::uuid() const { return state_->uuid; }
const std::string& Player::address() const { return state_->address; }
bool Player::is_connected() const { return state_->is_connected; }
bool Player::is_in_world() const { return state_->is_connected && state_->is_in_world; }

Result<void> Player::send(const Packet& packet) const {
    TRY(const auto frame, outgoing(packet, protocol::Side::client));
    return state_->send(frame);
}

Result<void> Player::send(const Frame& received) const {
    TRY(const auto frame, outgoing(received, protocol::Side::client));
    return state_->send(frame);
}

std::size_t Player::waiting() const { return state_->is_connected ? state_->on_the_way.bytes() : 0; }

Result<void> Player::begin_play() const {
    if (!state_->is_connected) return is_gone(state_->name);
    if (state_->is_in_world.exchange(true))
        return fail(Errc::usage, "the player {} is in the world already", state_->name);
    // A client that does not allow it is disconnected.
    if (!state_->post([](net::ServerSession& session) { (void)session.begin_play(); }))
        return is_gone(state_->name);
    return {};
}

void Player::disconnect(std::string_view reason, CloseCode code) const {
    state_->post([reason = std::string(reason), code](net::ServerSession& session) {
        session.disconnect(reason, inner_code(code));
    });
}

} // namespace orbis::wire
