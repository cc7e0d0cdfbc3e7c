#include "net/client.hpp"

#include "net/quic_link.hpp"

namespace orbis::net {

LinkLimits client_limits() {
    LinkLimits limits;
    limits.largest_payload = 128 << 20;
    return limits;
}

Result<ClientSession*> join(UdpDriver& driver, ClientContext& context, const ClientSettings& settings,
                            ClientRules rules, std::unique_ptr<ClientHandler> handler) {
    TRY(auto* connection,
        driver.connect(settings.server, settings.tls, settings.quic, settings.server_name, nullptr));
    auto link = std::make_unique<QuicLink>(Side::client, *connection, context.clock, settings.limits,
                                           context.tools.decompressor);
    if (settings.capture) link->set_tap(std::make_unique<CaptureTap>(settings.capture));
    auto made = std::make_unique<ClientSession>(context, std::move(rules), *link, std::move(handler));
    auto* session = made.get();
    link->set_user(std::move(made));
    connection->set_handler(std::move(link));
    return session;
}

} // namespace orbis::net
