#pragma once

#include <string>

namespace orbis::proxy {

class Proxy;

/// The figures of a proxy, in the text format of Prometheus. Any thread may ask.
std::string proxy_metrics(const Proxy& proxy, double uptime_seconds);

} // namespace orbis::proxy
