#include "net/reach.hpp"

#include "net/udp_socket.hpp"
#include "net/version_question.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

/// Datagrams get lost; the question is asked again at these moments.
constexpr std::array k_asked_at = {Duration(0ms), Duration(250ms), Duration(750ms), Duration(1750ms)};
/// How long the others have when one has answered.
constexpr Duration k_for_others = 300ms;

/// One address that is being asked.
class Call {
public:
    Call(Loop& loop, ReceiveBuffers& buffers, const Address& address)
        : loop_(loop), buffers_(buffers), start_(loop.now()), reached_{.address = address} {
        auto socket = loop.connect_udp(address);
        if (!socket) {
            reached_.answer = Reached::Answer::unreachable;
            reached_.reason = socket.error().problem;
            return;
        }
        socket_.emplace(*std::move(socket));
        loop_.watch(socket_->descriptor(), true, false, [this](bool, bool) { read(); });
        for (std::size_t at = 0; at < k_asked_at.size(); ++at)
            timers_[at] = loop_.after(k_asked_at[at], [this] { ask(); });
    }
    ~Call() {
        if (!socket_) return;
        loop_.unwatch(socket_->descriptor());
        for (const auto& timer : timers_) loop_.cancel(timer);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    [[nodiscard]] const Reached& reached() const { return reached_; }
    [[nodiscard]] bool is_over() const {
        return reached_.answer == Reached::Answer::versions || reached_.is_hopeless();
    }

private:
    void ask() {
        if (is_over()) return;
        const auto packet = question_.packet();
        const Path path{socket_->address(), reached_.address};
        std::size_t done = 0;
        socket_->send({path, packet, packet.size(), 0}, done);
        note_failure_of_socket();
    }

    void read() {
        while (socket_->receive(buffers_, [this](const ReceivedBatch& batch) {
            take(batch.bytes.first(std::min(batch.segment, batch.bytes.size())));
        })) {
        }
        note_failure_of_socket();
    }

    void take(Bytes datagram) {
        if (is_over()) return;
        reached_.time = loop_.now() - start_;
        if (auto versions = question_.read_answer(datagram)) {
            reached_.answer = Reached::Answer::versions;
            reached_.versions = *std::move(versions);
        } else {
            reached_.answer = Reached::Answer::noise;
        }
    }

    void note_failure_of_socket() {
        const auto failure = socket_->take_failure();
        if (failure == 0 || is_over() || reached_.answer == Reached::Answer::noise) return;
        reached_.time = loop_.now() - start_;
        note_failure(reached_, failure);
    }

    Loop& loop_;
    ReceiveBuffers& buffers_;
    Time start_;
    Reached reached_;
    VersionQuestion question_;
    std::optional<UdpSocket> socket_;
    std::array<Loop::Timer, k_asked_at.size()> timers_;
};

} // namespace

std::string_view name(Reached::Answer answer) {
    switch (answer) {
    case Reached::Answer::silent: return "silent";
    case Reached::Answer::versions: return "versions";
    case Reached::Answer::noise: return "noise";
    case Reached::Answer::open: return "open";
    case Reached::Answer::refused: return "refused";
    case Reached::Answer::unreachable: return "unreachable";
    }
    return {};
}

std::string Reached::text() const {
    switch (answer) {
    case Answer::silent: return fmt::format("{} does not answer", address.text());
    case Answer::versions:
    case Answer::noise:
    case Answer::open: return fmt::format("{} answers", address.text());
    case Answer::refused: return fmt::format("{} refuses", address.text());
    case Answer::unreachable: return fmt::format("{} cannot be reached: {}", address.text(), reason);
    }
    return {};
}

void note_failure(Reached& reached, int failure) {
    reached.answer = failure == ECONNREFUSED ? Reached::Answer::refused : Reached::Answer::unreachable;
    reached.reason = std::strerror(failure);
}

std::vector<Reached> reach_over_udp(Loop& loop, const std::vector<Address>& addresses, Duration limit) {
    ReceiveBuffers buffers;
    std::vector<std::unique_ptr<Call>> calls;
    for (const auto& address : addresses) calls.push_back(std::make_unique<Call>(loop, buffers, address));
    const auto all_are_over = [&] {
        return std::ranges::all_of(calls, [](const auto& call) { return call->is_over(); });
    };
    const auto one_has_answered = [&] {
        return all_are_over() || std::ranges::any_of(calls, [](const auto& call) {
                   return call->reached().answer == Reached::Answer::versions;
               });
    };
    if (loop.run_until(one_has_answered, limit)) loop.run_until(all_are_over, std::min(limit, k_for_others));
    std::vector<Reached> found;
    for (const auto& call : calls) found.push_back(call->reached());
    return found;
}

} // namespace orbis::net
