#include "proxy/relay_parts.hpp"

#include <fmt/format.h>

/// How a relay ends.
namespace orbis::proxy {

using namespace std::chrono_literals;
using net::Close;
using net::CloseCode;
using net::QuicConnection;
using net::StreamId;

namespace {

/// What the other side has been told may take so long to arrive before its connection ends.
constexpr net::Duration k_delivery = 1s;
/// How long a client that is told to go has for saying who it is: the words depend on its build.
constexpr net::Duration k_introduction = 3s;
constexpr std::size_t k_longest_goodbye = 500;

} // namespace

void Relay::note_leave(Leave::By by, std::string why) {
    if (leave_) return;
    leave_ = Leave{by, std::move(why), context_.loop.now() - began_, bytes_[0], bytes_[1]};
}

void Relay::on_closed(End end, const Close& close) {
    leg(end) = nullptr;
    if (end == End::server && !is_linked_ && !leave_ && !is_refusing_ && !close.by_peer)
        return on_unreachable(close);
    if (!leave_ && !is_refusing_) {
        // Who has said good-bye is the one who leaves, whoever closes then.
        const auto by = disconnect_[index_of(End::client)]   ? End::client
                        : disconnect_[index_of(End::server)] ? End::server
                                                             : end;
        auto why = disconnect_[index_of(by)].value_or("");
        if (why.empty()) why = close.text();
        note_leave(by == End::client ? Leave::By::client : Leave::By::server, std::move(why));
        if (!is_linked_ && end == End::server) context_.shared.events.on_refused(player_, leave_->why);
    }
    for (auto& each : ways_[index_of(end)]) { // what the gate still holds has been said
        Gate gate(*this, each);
        each.gate.finish(gate);
    }
    if (!last_word_ && leg(other(end)) != nullptr) pass_on(end, close);
    if (is_over()) finish();
}

void Relay::pass_on(End ended, const Close& close) {
    const bool has_code = close.kind == Close::Kind::application || close.kind == Close::Kind::transport;
    if (close.by_peer && has_code) {
        last_word_ = close;
        last_word_->by_peer = false;
        leave_by_ = context_.loop.now() + k_delivery;
        return leave_when_delivered();
    }
    if (ended == End::server) {
        const bool is_silent = close.kind == Close::Kind::idle;
        return say_goodbye(is_silent ? "The server does not answer any more."
                                     : fmt::format("The connection to the server failed: {}.", close.text()),
                           is_silent ? CloseCode::timeout : CloseCode::none);
    }
    last_word_ =
        Close::application(CloseCode::none, close.kind == Close::Kind::idle ? "the client does not answer"
                                                                            : "the client is gone");
    leave_by_ = context_.loop.now() + k_delivery;
    leave_when_delivered();
}

void Relay::send_away(const std::string& why) {
    if (leave_ || is_refusing_) return;
    note_leave(Leave::By::proxy, why);
    say_goodbye(why, CloseCode::none);
}

void Relay::say_goodbye(const std::string& text, CloseCode code) {
    is_refusing_ = true;
    last_word_ = Close::application(code, text.substr(0, k_longest_goodbye));
    goodbye_ = text.substr(0, k_longest_goodbye);
    leave_by_ = context_.loop.now() + k_introduction;
    if (auto* server = leg(End::server)) server->close(Close::application(CloseCode::none));
    if (leg(End::client) != nullptr && write_goodbye()) leave_when_delivered();
}

/// False while it is not known in which words to say it.
bool Relay::write_goodbye() {
    auto* client = leg(End::client);
    if (!goodbye_ || client == nullptr || !has_connect_) return false;
    const auto text = *std::exchange(goodbye_, {});
    leave_by_ = std::min(leave_by_, context_.loop.now() + k_delivery);
    const auto& ways = ways_[index_of(End::server)];
    const auto at = std::ranges::find(ways, 0, &StreamWay::stream);
    // In the middle of a frame there is no place for another.
    const bool is_between = at == ways.end() || at->watch.is_between_frames();
    if (const auto frame = disconnect_frame(player_, text); frame && is_between) client->write(0, *frame);
    return true;
}

void Relay::leave_when_delivered() {
    const bool is_late = context_.loop.now() >= leave_by_;
    for (const auto end : {End::client, End::server}) {
        auto* remaining = leg(end);
        if (remaining == nullptr) continue;
        std::size_t kept = 0;
        for (const auto& each : ways_[index_of(other(end))]) kept += remaining->held(each.stream);
        kept = std::max(kept, remaining->held(0));
        if (is_late || (kept == 0 && !goodbye_)) remaining->close(*last_word_);
    }
}

void Relay::finish() {
    if (std::exchange(is_admitted_, false)) context_.shared.dismiss(player_.client);
    if (!std::exchange(is_joined_, false)) return;
    if (!leave_) note_leave(Leave::By::proxy, "The proxy stops.");
    ++context_.shared.left[static_cast<std::size_t>(leave_->by)];
    context_.shared.events.on_leave(player_, *leave_);
}

} // namespace orbis::proxy
