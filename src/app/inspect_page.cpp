#include "app/inspect_page.hpp"

#include <fmt/format.h>

namespace orbis::app {

Result<std::unique_ptr<InspectPage>>
InspectPage::start(const http::Address& address, const std::vector<std::string>& hosts, inspect::Desk& desk) {
    std::unique_ptr<InspectPage> made(new InspectPage(desk));
    http::ServerOptions options;
    options.hosts = hosts;
    TRY(made->server_,
        http::Server::start(
            address,
            [&inspector = made->inspector_](const http::Request& request, http::Responder responder) {
                inspector.answer(request, std::move(responder));
            },
            options));
    return made;
}

std::string InspectPage::url() const {
    auto shown = server_->address();
    if (shown.is_any()) shown.bytes = http::parse_address(shown.is_v6 ? "[::1]:0" : "127.0.0.1:0")->bytes;
    return fmt::format("http://{}/", shown.text());
}

} // namespace orbis::app
