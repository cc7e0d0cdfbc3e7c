#include "orbis/wire/ping.hpp"

#include "net/ping.hpp"

#include <algorithm>

namespace orbis::wire {

Result<PingReport> ping(std::string_view address, const PingOptions& options) {
    net::PingRules rules;
    TRY(rules.place, net::parse_host_port(address));
    rules.password = options.password;
    rules.count = options.count;
    rules.timeout = options.timeout;
    TRY(const auto found, net::ping(rules));
    PingReport report;
    for (const auto& entry : found.entries)
        report.steps.push_back({std::string(net::name(entry.step)), entry.text, entry.failure});
    if (found.address) report.address = found.address->text();
    if (found.certificate) report.certificate = found.certificate->fingerprint.text();
    for (const auto time : found.round_trips)
        report.round_trips.push_back(std::chrono::duration_cast<std::chrono::microseconds>(time));
    using Password = net::PingReport::Password;
    report.asks_for_password = found.password == Password::asked || found.password == Password::accepted
                               || found.password == Password::refused;
    return report;
}

} // namespace orbis::wire
