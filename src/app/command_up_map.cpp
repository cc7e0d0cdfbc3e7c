#include "app/command_up_map.hpp"

#include "app/command_up_signals.hpp"
#include "http/live/cache_folder.hpp"
#include "http/live/live_map.hpp"
#include "http/server.hpp"
#include "page/files.hpp"

namespace orbis::app {

Result<void> serve_map(Console& console, const world::Location& location, const world::Assets& assets,
                       const ServeOptions& options, EndingSignals& signals,
                       const std::function<void(const std::string& url)>& on_ready) {
    TRY(const auto cache, http::take_cache_folder(location.path, options.cache));
    http::LiveOptions live;
    live.cache = cache.path;
    live.threads = options.threads;
    live.program = "orbis " ORBIS_VERSION;
    http::ServerOptions server_options;
    server_options.hosts = options.hosts;
    std::vector<Error> problems;
    TRY(const auto map, http::LiveMap::open(location, assets, std::move(live), problems));
    for (const auto& problem : problems) console.problem(problem);
    TRY(auto server, http::Server::start(
                         options.address,
                         [&map](const http::Request& request, http::Responder responder) {
                             map->answer(request, std::move(responder));
                         },
                         server_options));
    if (page::files().empty()) console.note(std::string(page::k_how_to_get_it));
    if (!options.address.is_loopback())
        console.note("anyone who can reach this address can see these worlds");
    auto shown = server->address();
    if (shown.is_any()) shown.bytes = http::parse_address(shown.is_v6 ? "[::1]:0" : "127.0.0.1:0")->bytes;
    on_ready(fmt::format("http://{}/", shown.text()));
    TRY_DO(console.flush());
    const http::CacheThinner thinner(cache.path);
    signals.wait();
    console.note("Stopping");
    server.reset(); // before the map, whose answers it sends
    return {};
}

} // namespace orbis::app
