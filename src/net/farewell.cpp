#include "net/farewell.hpp"

#include "packets/connection.hpp"
#include "protocol/dialect.hpp"
#include "protocol/frame_writer.hpp"

namespace orbis::net {

using protocol::Side;

Result<Buffer> disconnect_frame(const protocol::BuildInfo& build, std::string_view reason) {
    packets::Disconnect packet;
    packet.reason = reason;
    protocol::FrameWriter<Side::server> writer;
    const auto* dialect = build.is_spoken ? protocol::Dialect::of(build) : nullptr;
    if (dialect == nullptr) {
        TRY(const auto frame, writer.frame(packet));
        return Buffer(frame.begin(), frame.end());
    }
    const auto* word = dialect->said_by(Side::server, packets::Disconnect::k_info.id);
    if (word == nullptr) return fail(Errc::unsupported, "this build has no packet to say good-bye");
    TRY(const auto payload, writer.payload(packet));
    Buffer said;
    TRY_DO(dialect->say(*word, payload, said));
    protocol::PayloadFramer framer;
    TRY(const auto frame, framer.frame(*word->other, said));
    return Buffer(frame.begin(), frame.end());
}

} // namespace orbis::net
