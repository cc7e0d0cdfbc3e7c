#pragma once

#include "capture/record.hpp"
#include "capture/record_decoder.hpp"
#include "protocol/frame_writer.hpp"

namespace orbis::capture {

/// Takes out of frames what must not get into other hands: tokens, grants, challenges and answers of
/// passwords, data of referrals, addresses of players. Keeps its memory: one per thread.
class PersonalData {
public:
    /// Changes the record where it has such data: texts and bytes of these fields become as many `x` or
    /// zeros, so that the frame can be decoded and has its size. Where that is not possible, as in a build
    /// that the program does not know, only the header stays. Addresses go in any case. The new frame is
    /// valid until the next call.
    void leave_out(Record& record);

private:
    bool replace_fields(Record& record);

    RecordDecoder decoder_;
    protocol::PayloadFramer framer_;
    protocol::Value value_;
    Buffer payload_;
};

} // namespace orbis::capture
