// Every packet of every build. The input names the build, the packet and the rules, then comes the payload.
// Both codecs read it where there are two: they must agree on the verdict and on the value. What was read
// must be written and read again to the same bytes.

#include "protocol/catalogue.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_lines.hpp"
#include "protocol/packets.hpp"
#include "protocol/spans.hpp"
#include "protocol/value_json.hpp"
#include "support/random_value.hpp"
#include "target.hpp"

#include <cstring>

using namespace orbis;
using namespace orbis::protocol;

namespace {

constexpr std::size_t k_head = 4; ///< build, packet as two bytes, rules

struct Choice {
    const Schema& schema;
    const PacketInfo& packet;
    ReadRules rules;
};

Choice choose(const std::uint8_t* data) {
    const auto& build = builds()[data[0] % builds().size()];
    const auto& schema = schema_of(build);
    const auto packets = schema.registry().packets();
    const auto index = (data[1] + 256U * data[2]) % packets.size();
    auto rules = schema.read_rules((data[3] & 2) != 0);
    rules.bounded = rules.bounded || (data[3] & 1) != 0;
    return {schema, packets[index], rules};
}

/// The payload read by generated code and written again; nothing when it was refused.
std::optional<Buffer> typed(const PacketInfo& packet, Bytes payload, ReadRules rules, Fault& fault) {
    const auto codes = packets::packet_codes();
    const auto code =
        std::ranges::find(codes, packet.id, [](const PacketCode& each) { return each.info.id; });
    static Arena arena;
    arena.reset();
    Decoder in(payload, arena, rules);
    const auto* read = code->read(in);
    fault = in.fault();
    if (read == nullptr) return std::nullopt;
    Encoder sums;
    const auto size = code->measure(sums, read);
    Buffer written(size + Encoder::k_slack);
    Encoder out(written);
    const auto* end = code->write(out, written.data(), read);
    if (out.full() || (out.ok() && end != written.data() + size)) std::abort();
    written.resize(out.ok() ? size : 0); // text that is not ASCII can be read but not written
    return written;
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    test::RandomValue random(1);
    for (std::size_t build = 0; build < builds().size(); ++build) {
        const auto packets = schema_of(builds()[build]).registry().packets();
        for (std::size_t index = 0; index < packets.size(); ++index) {
            Buffer seed{static_cast<std::uint8_t>(build), static_cast<std::uint8_t>(index),
                        static_cast<std::uint8_t>(index >> 8), 0};
            const auto& layout = *schema_of(builds()[build]).packet(packets[index].id);
            if (encode(layout, random.record(layout), seed)) made.push_back(std::move(seed));
        }
    }
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < k_head) return 0;
    const auto choice = choose(data);
    const Bytes payload(data + k_head, size - k_head);
    const auto& layout = *choice.schema.packet(choice.packet.id);
    const auto read = decode(layout, payload, choice.rules);

    Buffer written;
    if (read) {
        const auto done = encode(layout, *read, written);
        if (done) {
            if (choice.rules.strict) fuzz::require(std::ranges::equal(written, payload));
            auto rules = choice.rules;
            rules.strict = false;
            const auto again = decode(layout, written, rules);
            fuzz::require(again.has_value());
            Buffer twice;
            fuzz::require(encode(layout, *again, twice).has_value() && twice == written);
        }
        JsonWriter json;
        write_json(json, *read);
        fuzz::require(JsonTree::parse(json.text()).has_value());
    }
    SpanLog spans;
    const auto parsed = decode_what_parses(layout, payload, choice.rules, spans);
    JsonWriter with_spans;
    JsonWriter without;
    write_json(with_spans, parsed);
    write_json(without, decode_what_parses(layout, payload, choice.rules));
    fuzz::require(with_spans.text() == without.text()); // a NaN is not equal to itself
    const auto values = values_of(spans, parsed);
    for (std::size_t number = 0; number < values.size(); ++number) {
        const auto& span = spans.spans()[number];
        fuzz::require(span.at <= payload.size() && span.size <= payload.size() - span.at);
        const bool is_value =
            span.part == Part::value || span.part == Part::key || span.part == Part::unreadable;
        fuzz::require(is_value == (values[number] != nullptr));
    }

    if (choice.schema.build() != k_default_build || choice.rules.strict) return 0;
    Fault fault = Fault::none;
    const auto other = typed(choice.packet, payload, choice.rules, fault);
    if (fault == Fault::work || (!read && read.error().fault == Fault::work)) return 0;
    fuzz::require(read.has_value() == other.has_value());
    if (other) fuzz::require(*other == written);
    return 0;
}
