// Joins a world, stays for a moment and leaves: small_client HOST[:PORT] [SECONDS]

#include "net/client.hpp"
#include "net/identity.hpp"

#include <fmt/core.h>

using namespace orbis;
using namespace std::chrono_literals;

namespace {

class Tourist final : public net::ClientHandler {
public:
    explicit Tourist(bool& is_over) : is_over_(is_over) {}

    void on_phase(net::ClientSession& session) override {
        if (session.phase() == net::ClientSession::Phase::play) fmt::print("in the world\n");
    }
    void on_packet(net::ClientSession&, const protocol::Frame& frame) override {
        fmt::print("{} ({} bytes)\n", frame.packet->name, frame.length);
    }
    void on_closed(net::ClientSession&, const net::Close& close,
                   const std::optional<std::string>& reason) override {
        fmt::print("{}{}{}\n", close.text(), reason ? ": " : "", reason.value_or(""));
        is_over_ = true;
    }

private:
    bool& is_over_;
};

Result<void> visit(const char* where, net::Duration stay) {
    TRY(const auto place, net::parse_host_port(where));
    TRY(const auto addresses, net::resolve(place));
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    TRY(const auto identity, net::make_self_signed(net::KeyKind::ecdsa_p256, now));
    TRY(const auto tls, net::TlsContext::client(&identity));
    TRY(const auto loop, net::Loop::make());

    bool is_over = false;
    net::ClientContext context{*loop};
    net::UdpDriver driver(*loop, {});
    net::ClientRules rules;
    rules.name = "tourist";
    net::fill_random(rules.uuid);
    const net::ClientSettings settings{.server = addresses.front(), .server_name = place.host, .tls = tls};
    TRY(auto* session, net::join(driver, context, settings, rules, std::make_unique<Tourist>(is_over)));

    const auto keep_time = [&](auto again) -> void {
        context.tick();
        loop->after(50ms, [again] { again(again); });
    };
    keep_time(keep_time);
    loop->after(stay, [&] {
        if (!is_over) session->leave();
    });
    loop->run_until([&] { return is_over; }, stay + 30s);
    return {};
}

} // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        fmt::print(stderr, "small_client HOST[:PORT] [SECONDS]\n");
        return 2;
    }
    const auto visited = visit(arguments[1], std::chrono::seconds(count > 2 ? std::atoi(arguments[2]) : 3));
    if (!visited) fmt::print(stderr, "small_client: {}\n", visited.error().text());
    return visited ? 0 : 1;
}
