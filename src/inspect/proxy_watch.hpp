#pragma once

#include "inspect/inbox.hpp"
#include "proxy/frame_observer.hpp"

namespace orbis::inspect {

/// Leaves what a proxy sees in an inbox. What is no frame, or too large to be held as one, is not there.
class ProxyWatch final : public proxy::FrameObserver {
public:
    /// `inbox` must outlive this.
    explicit ProxyWatch(Inbox& inbox) : inbox_(inbox) {}
    void on_sighting(const proxy::Sighting& sighting) override;
    void on_round_trips(const proxy::RoundTrips& trips) override;

private:
    Inbox& inbox_;
};

} // namespace orbis::inspect
