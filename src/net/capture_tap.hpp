#pragma once

#include "capture/recorder.hpp"
#include "net/address.hpp"
#include "net/frame_tap.hpp"

#include <memory>

namespace orbis::net {

/// An address as captures have it; one that is not set has no bytes.
capture::Endpoint captured_endpoint(const Address& address);

/// Records the frames of one connection.
class CaptureTap final : public FrameTap {
public:
    explicit CaptureTap(std::shared_ptr<capture::Recorder> recorder)
        : recorder_(std::move(recorder)), session_(recorder_->begin_session()) {}

    void on_frame(const Link& link, protocol::Side to, protocol::Channel channel, Bytes frame) override;

private:
    std::shared_ptr<capture::Recorder> recorder_;
    std::uint64_t session_;
    capture::ConnectBuild build_; ///< as the client's Connect says
};

} // namespace orbis::net
