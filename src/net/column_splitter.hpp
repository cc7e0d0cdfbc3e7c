#pragma once

#include "net/section_packer.hpp"
#include "protocol/arena.hpp"
#include "protocol/dialect.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace orbis::net {

/// Says what the usual build says of columns to clients of builds in which columns and sections travel apart
/// (docs/design/builds.md). It remembers nothing, so what it says can be sent to all of them.
class ColumnSplitter {
public:
    struct Payload {
        Bytes bytes; ///< valid during the call
        std::optional<std::size_t>
            unpacked; ///< where `bytes` is one Zstandard frame: the size of its content
    };
    /// Takes each packet and its payload.
    using Take = std::function<Result<void>(const protocol::PacketInfo& packet, const Payload& payload)>;

    explicit ColumnSplitter(const protocol::Dialect& dialect);

    /// Whether it says this packet of the usual build.
    [[nodiscard]] bool says(std::int32_t usual_id) const;
    Result<void> say(std::int32_t usual_id, Bytes payload, const Take& take);

    /// Whether two packets of the usual build that follow each other are one packet there.
    [[nodiscard]] bool says_as_one(std::int32_t first_id, std::int32_t second_id) const;
    Result<void> say_as_one(Bytes heights, Bytes tints, const Take& take);

private:
    Result<void> say_heights(Bytes payload, const Take& take);
    Result<void> say_environments(Bytes payload, const Take& take);

    const protocol::PacketInfo& column_;
    const protocol::PacketInfo& heights_;
    const protocol::PacketInfo& environments_;
    protocol::Arena arena_;
    std::unique_ptr<SectionPacker> packer_; ///< once it is needed: it is large
    Buffer out_;
};

} // namespace orbis::net
