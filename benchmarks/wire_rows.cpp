#include "harness.hpp"
#include "orbis/wire/protocol.hpp"
#include "protocol_data.hpp"

#include <benchmark/benchmark.h>

namespace orbis::bench {

namespace {

/// The public way to decode, which looks up the packet by name and gives a value to keep, against the codec
/// below it, which is given the layout.
void add_decode_row(const std::string& name, const std::shared_ptr<SampleSet>& set) {
    add_ratio(
        {"wire: decode by name, " + name, "× the inner codec", 1.05, Better::lower},
        [set] {
            const wire::Protocol protocol;
            set->each([&](std::string_view packet, Bytes payload) {
                const auto read = protocol.decode(packet, payload);
                benchmark::DoNotOptimize(read.has_value());
            });
        },
        [set] { set->decode_generic(); });
}

void add_wire_rows() {
    add_decode_row("all packets", all_packets().set);
    add_decode_row("movement", movement());
    add_decode_row("50 entity updates", entity_updates());
    add_decode_row("chunk column", chunk_column());
    // One of the smallest, where the memory that packet and values share counts most.
    const auto ping = std::make_shared<SampleSet>();
    for (int time = 0; time < 100; ++time)
        ping->add("Ping", wire::Protocol().make("Ping").value().payload().value());
    add_decode_row("ping", ping);
}

const Registration k_wire_rows(add_wire_rows);

} // namespace

} // namespace orbis::bench
