#pragma once

#include "net/capture_tap.hpp"
#include "net/client_session.hpp"
#include "net/udp_driver.hpp"

namespace orbis::net {

/// What a client is ready to hold: servers send registries in single packets of megabytes.
LinkLimits client_limits();

/// Where a client connects to, and how.
struct ClientSettings {
    Address server;
    std::string
        server_name{}; ///< what the user typed, for the server to know, which learns names only; may be empty
    std::shared_ptr<TlsContext> tls{};
    QuicSettings quic = QuicSettings::client();
    LinkLimits limits = client_limits();
    std::shared_ptr<capture::Recorder> capture{}; ///< where all frames are recorded; null: nowhere
};

/// Begins a session over QUIC. It belongs to its connection, which belongs to the driver: the pointer is good
/// until the handler got `on_closed`.
Result<ClientSession*> join(UdpDriver& driver, ClientContext& context, const ClientSettings& settings,
                            ClientRules rules, std::unique_ptr<ClientHandler> handler);

} // namespace orbis::net
