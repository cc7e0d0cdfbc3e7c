#pragma once

#include "net/client_session.hpp"
#include "net/udp_driver.hpp"

namespace orbis::net {

/// Where a client connects to, and how.
struct ClientSettings {
    Address server;
    std::string server_name{}; ///< what the user typed, for the server to know; may be empty
    std::shared_ptr<TlsContext> tls{};
    QuicSettings quic = QuicSettings::client();
    LinkLimits limits{};
};

/// Begins a session over QUIC. It belongs to its connection, which belongs to the driver: the pointer is good
/// until the visitor has heard `on_closed`.
Result<ClientSession*> join(UdpDriver& driver, ClientContext& context, const ClientSettings& settings,
                            ClientRules rules, std::unique_ptr<Visitor> visitor);

} // namespace orbis::net
