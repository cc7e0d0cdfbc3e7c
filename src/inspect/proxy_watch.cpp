#include "inspect/proxy_watch.hpp"

#include "proxy/record_of.hpp"

namespace orbis::inspect {

void ProxyWatch::on_sighting(const proxy::Sighting& sighting) {
    if (sighting.kind == proxy::Sighting::Kind::frame) inbox_.add(proxy::record_of(sighting));
}

void ProxyWatch::on_round_trips(const proxy::RoundTrips& trips) {
    const auto time = trips.time.time_since_epoch().count();
    const auto add = [&](Latency::Kind kind, net::Duration trip) {
        if (trip > net::Duration::zero())
            inbox_.add(Inbox::Trip{trips.player.number, {time, kind, trip.count()}});
    };
    add(Latency::Kind::client, trips.client);
    add(Latency::Kind::server, trips.server);
}

} // namespace orbis::inspect
