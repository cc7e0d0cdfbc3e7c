#pragma once

#include "proxy/frame_observer.hpp"

#include <memory>

namespace orbis::capture {
class Recorder;
}

namespace orbis::proxy {

/// Records all frames that go through a proxy. What is no frame, or too large to be held as one, is not in a
/// capture.
class FrameRecorder final : public FrameObserver {
public:
    explicit FrameRecorder(std::shared_ptr<capture::Recorder> recorder) : recorder_(std::move(recorder)) {}
    void on_sighting(const Sighting& sighting) override;

private:
    std::shared_ptr<capture::Recorder> recorder_;
};

} // namespace orbis::proxy
