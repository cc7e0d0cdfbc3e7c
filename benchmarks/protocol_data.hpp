#pragma once

#include "protocol/packets.hpp"
#include "protocol/value.hpp"

#include <memory>
#include <string>
#include <vector>

namespace orbis::bench {

/// One payload, with everything that reads and writes it.
struct Sample {
    const protocol::PacketCode* code;
    const protocol::Layout* layout;
    Buffer payload;
    const void* packet;    ///< read by generated code; in the arena of the set
    protocol::Value value; ///< read by the schema-driven codec
};

/// Payloads that are read and written in turn, one pass after another, with buffers that are kept.
class SampleSet {
public:
    void add(std::string_view packet, Buffer payload);
    [[nodiscard]] bool empty() const { return samples_.empty(); }
    [[nodiscard]] std::size_t size() const { return samples_.size(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    void decode();
    void encode();
    void decode_generic() const;
    void encode_generic();
    /// For other ways to read them: the name of each packet, and its payload.
    template <typename Use>
    void each(Use use) const {
        for (const auto& sample : samples_) use(std::string_view(sample.layout->name), Bytes(sample.payload));
    }

private:
    std::vector<Sample> samples_;
    std::size_t bytes_ = 0;
    protocol::Arena kept_; ///< of the packets that are encoded
    protocol::Arena arena_;
    Buffer out_;
};

/// Packets of all kinds of 2026.02.17.
struct AllPackets {
    std::string name; ///< for the names of rows
    std::shared_ptr<SampleSet> set;
    bool is_real; ///< the vectors beside the checkout, else packets with random values, always the same
};
AllPackets all_packets();
/// What a player sends while walking, and many of it.
packets::ClientMovement walking();
std::shared_ptr<SampleSet> movement();
/// A tick of 50 entities that move, each with transform, movement states and stats.
std::shared_ptr<SampleSet> entity_updates();
/// A chunk column: ten sections with light and blocks, height map, tints and environments.
std::shared_ptr<SampleSet> chunk_column();

} // namespace orbis::bench
