#include "game/serve/metrics_page.hpp"

#include "http/server.hpp"
#include "net/loop.hpp"

#include <fmt/format.h>

namespace orbis::game {
namespace {

constexpr const char* k_metrics_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* k_text_type = "text/plain; charset=utf-8";
constexpr const char* k_about = "A server of orbis. Its figures, in the text format of Prometheus:\n\n"
                                "    /metrics\n";

} // namespace

MetricsPage::MetricsPage(std::unique_ptr<http::Server> server) : server_(std::move(server)) {}
MetricsPage::~MetricsPage() = default;

Result<std::unique_ptr<MetricsPage>> MetricsPage::start(const http::Address& address, net::Loop& loop,
                                                        Make make) {
    // Shared with tasks that may still wait in the loop when the page is gone.
    auto shared = std::make_shared<Make>(std::move(make));
    const auto handle = [&loop, shared](const http::Request& request, http::Responder responder) {
        const auto& path = request.target.path;
        if (path.empty()) return responder.answer(http::Response::text(200, k_text_type, k_about));
        if (path.size() != 1 || path.front() != "metrics")
            return responder.answer(
                http::Response::text(404, k_text_type, "Not found. The figures are at /metrics\n"));
        loop.post([shared, responder = std::move(responder)]() mutable {
            if (!responder.is_abandoned())
                responder.answer(http::Response::text(200, k_metrics_type, (*shared)()));
        });
    };
    TRY(auto server, http::Server::start(address, handle));
    return std::unique_ptr<MetricsPage>(new MetricsPage(std::move(server)));
}

std::string MetricsPage::url() const { return fmt::format("http://{}/metrics", server_->address().text()); }

} // namespace orbis::game
