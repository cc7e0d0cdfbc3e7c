#pragma once

#include "proxy/frame_observer.hpp"

#include <vector>

namespace orbis::proxy {

/// Several observers as one; they must outlive it.
class ObserverList final : public FrameObserver {
public:
    void add(FrameObserver& observer) { all_.push_back(&observer); }
    [[nodiscard]] bool empty() const { return all_.empty(); }

    void on_sighting(const Sighting& sighting) override {
        for (auto* each : all_) each->on_sighting(sighting);
    }
    void on_round_trips(const RoundTrips& trips) override {
        for (auto* each : all_) each->on_round_trips(trips);
    }

private:
    std::vector<FrameObserver*> all_;
};

} // namespace orbis::proxy
