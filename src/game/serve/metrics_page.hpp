#pragma once

#include "http/address.hpp"

#include <functional>
#include <memory>
#include <string>

namespace orbis::http {
class Server;
}
namespace orbis::net {
class Loop;
}

namespace orbis::game {

/// Serves figures over HTTP: `/metrics` in the text format of Prometheus, and `/` to say so.
class MetricsPage {
public:
    /// Called in the thread of the loop, for each scrape.
    using Make = std::function<std::string()>;

    /// The loop must outlive the page.
    static Result<std::unique_ptr<MetricsPage>> start(const http::Address& address, net::Loop& loop,
                                                      Make make);
    ~MetricsPage();
    MetricsPage(const MetricsPage&) = delete;
    MetricsPage& operator=(const MetricsPage&) = delete;

    /// Where it answers, as a URL: `http://127.0.0.1:9100/metrics`.
    [[nodiscard]] std::string url() const;

private:
    explicit MetricsPage(std::unique_ptr<http::Server> server);

    std::unique_ptr<http::Server> server_;
};

} // namespace orbis::game
