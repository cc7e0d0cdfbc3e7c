#include "proxy/proxy_shard.hpp"

#include "net/identity.hpp"

namespace orbis::proxy {
namespace {

using namespace std::chrono_literals;

constexpr net::Duration k_tick = 50ms;
/// Of both ends of players, and of those who are still on their way in.
constexpr std::size_t k_most_connections = 50'000;

} // namespace

net::QuicSettings client_settings(const ProxyRules& rules) {
    auto settings = net::QuicSettings::server();
    // As the game has them at first; they grow while data flows, but not beyond what may be held here.
    const std::uint64_t most = rules.stream_buffer;
    settings.largest_stream_window = settings.largest_window = most;
    settings.max_data = std::min(settings.max_data, most);
    settings.max_stream_data_bidi_remote = std::min(settings.max_stream_data_bidi_remote, most);
    settings.max_stream_data_bidi_local = std::min(settings.max_stream_data_bidi_local, most);
    settings.idle_timeout = rules.idle_timeout;
    // A bad network on purpose is none within one machine.
    if (rules.rough.is_any()) settings.congestion = net::QuicSettings::Congestion::bbr;
    return settings;
}

ProxyShard::ProxyShard(net::Loop& loop, ProxyShared& shared, const net::Identity& identity,
                       std::shared_ptr<net::TlsContext> tls, std::uint8_t number)
    : loop_(loop),
      driver_(loop, {.shard = number, .most_connections = k_most_connections}),
      context_(loop, driver_, shared, identity) {
    if (auto rough = shared.rules.rough; rough.is_any()) {
        rough.seed += number; // each thread has its own
        driver_.set_rough(rough);
    }
    driver_.endpoint().listen(std::move(tls), client_settings(shared.rules),
                              [this](net::QuicConnection& connection) {
                                  relays_.push_back(std::make_unique<Relay>(context_, connection));
                                  return relays_.back()->client_leg();
                              });
    timer_ = loop_.after(k_tick, [this] { tick(); });
}

ProxyShard::~ProxyShard() {
    loop_.cancel(timer_);
    // All are told of the end, as far as the network takes it at once.
    for (const auto& relay : relays_) relay->note_stop();
    driver_.endpoint().close_all(net::Close::application(net::CloseCode::none));
    driver_.turn();
}

Result<void> ProxyShard::listen(const net::Address& address, bool shares_port) {
    TRY(auto socket, loop_.bind_udp(address, shares_port));
    addresses_.push_back(socket.address());
    driver_.add(std::move(socket));
    return {};
}

void ProxyShard::tick() {
    for (const auto& relay : relays_) relay->tick();
    std::erase_if(relays_, [](const std::unique_ptr<Relay>& relay) { return relay->is_over(); });
    std::size_t held = 0;
    for (const auto& relay : relays_) held += relay->held();
    held_ = held;
    open_relays_ = relays_.size();
    timer_ = loop_.after(k_tick, [this] { tick(); });
}

void ProxyShard::send_all_away(const std::string& why) {
    for (const auto& relay : relays_) relay->send_away(why);
    open_relays_ = relays_.size();
}

} // namespace orbis::proxy
