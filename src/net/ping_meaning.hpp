#pragma once

#include "net/ping.hpp"

/// What the failures of a ping mean, and what to do next.
namespace orbis::net::meaning {

/// Words of a server as they can be shown: quoted, and not endless.
std::string quoted_text(std::string_view text);

Error not_reached(const PingRules& rules, const std::vector<Reached>& addresses);
Error not_quic(const PingRules& rules);
Error other_versions();
/// The handshake did not get anywhere.
Error no_handshake(const std::optional<Close>& close);
Error no_tls(const Close& close);
/// `found` is what the server would have spoken; empty when that is not known.
Error other_protocol(const PingRules& rules, std::string_view found);
Error certificate_not_accepted();
/// The server has not taken our `Connect`.
Error not_answered(const PingRules& rules, const std::optional<Close>& close);
Error other_build(const PingRules& rules, bool server_is_newer, const std::optional<std::string>& version);
Error refused(const PingRules& rules, std::string_view reason);
Error account_asked();
Error password_asked();
Error password_refused(int attempts_left);

} // namespace orbis::net::meaning
