#include "protocol_data.hpp"

#include "bytes/hex.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "support/random_value.hpp"
#include "support/vectors.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <stdexcept>

namespace orbis::bench {

using namespace protocol;

namespace {

template <Packet P>
void add_packet(SampleSet& set, const P& packet) {
    Buffer payload;
    const auto written = protocol::encode(packet, payload);
    if (!written) throw std::runtime_error(written.error().text());
    set.add(P::k_info.name, std::move(payload));
}

Buffer noise(std::size_t size) {
    std::mt19937 random(1);
    Buffer bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

} // namespace

void SampleSet::add(std::string_view packet, Buffer payload) {
    const auto codes = packets::packet_codes();
    const auto code = std::ranges::find(codes, packet, [](const PacketCode& each) { return each.info.name; });
    auto& sample = samples_.emplace_back(Sample{
        &*code, schema_of(*find_build(k_default_build)).packet(packet), std::move(payload), nullptr, {}});
    Decoder in(sample.payload, kept_);
    sample.packet = code->read(in);
    auto value = protocol::decode(*sample.layout, sample.payload, {});
    if (sample.packet == nullptr || !value) throw std::runtime_error("a sample cannot be read");
    sample.value = *std::move(value);
    bytes_ += sample.payload.size();
    out_.resize(std::max(out_.size(), sample.payload.size() + Encoder::k_slack));
}

void SampleSet::decode() {
    for (const auto& sample : samples_) {
        arena_.reset();
        Decoder in(sample.payload, arena_);
        benchmark::DoNotOptimize(sample.code->read(in));
    }
}

void SampleSet::encode() {
    for (const auto& sample : samples_) {
        Encoder out(out_);
        benchmark::DoNotOptimize(sample.code->write(out, out_.data(), sample.packet));
        if (!out.ok()) throw std::runtime_error("a sample grew");
        benchmark::ClobberMemory();
    }
}

void SampleSet::decode_generic() const {
    for (const auto& sample : samples_) {
        const auto value = protocol::decode(*sample.layout, sample.payload, {});
        benchmark::DoNotOptimize(value.has_value());
    }
}

void SampleSet::encode_generic() {
    Buffer out;
    for (const auto& sample : samples_) {
        out.clear();
        benchmark::DoNotOptimize(protocol::encode(*sample.layout, sample.value, out).has_value());
    }
}

AllPackets all_packets() {
    const auto set = std::make_shared<SampleSet>();
    for (const auto& line : test::vector_lines("vectors", "")) {
        const auto vector = JsonTree::parse(line).value();
        set->add(vector.text("packet"), from_hex(vector.text("payload_hex")).value());
    }
    if (!set->empty()) return {"all vectors", set, true};
    const auto& schema = schema_of(*find_build(k_default_build));
    test::RandomValue random(20260217);
    constexpr int k_times = 12; // with this there are about as many as there are vectors
    for (const auto& code : packets::packet_codes())
        for (int time = 0; time < k_times; ++time) {
            const auto& layout = *schema.packet(code.info.id);
            Buffer payload;
            if (!protocol::encode(layout, random.record(layout), payload))
                throw std::runtime_error("a packet cannot be made");
            set->add(code.info.name, std::move(payload));
        }
    return {"made packets", set, false};
}

packets::ClientMovement walking() {
    packets::ClientMovement step;
    step.movement_states = packets::MovementStates{};
    step.absolute_position = packets::Position{103.25, 64, -8.5};
    step.body_orientation = packets::Direction{0.5F, 0, 0};
    step.look_orientation = packets::Direction{0.5F, 0.1F, 0};
    step.wish_movement = packets::Position{0, 0, 1};
    step.velocity = packets::Vector3d{0, 0, 4.3};
    return step;
}

std::shared_ptr<SampleSet> movement() {
    auto set = std::make_shared<SampleSet>();
    for (int copies = 0; copies < 100; ++copies) add_packet(*set, walking());
    return set;
}

std::shared_ptr<SampleSet> entity_updates() {
    auto set = std::make_shared<SampleSet>();
    packets::TransformUpdate transform;
    transform.transform.position = packets::Position{1, 2, 3};
    transform.transform.body_orientation = packets::Direction{0.5F, 0, 0};
    transform.transform.look_orientation = packets::Direction{0.5F, 0, 0};
    const std::array<packets::EntityStatUpdate, 1> stat{};
    const std::array<Entry<std::int32_t, List<packets::EntityStatUpdate>>, 1> stats{{{3, stat}}};
    packets::EntityStatsUpdate health;
    health.entity_stat_updates = stats;
    const std::array<packets::ComponentUpdate, 3> components{transform, packets::MovementStatesUpdate{},
                                                             health};
    std::array<packets::EntityUpdate, 50> entities;
    for (std::int32_t id = 0; auto& entity : entities) {
        entity.network_id = id++;
        entity.updates = List<packets::ComponentUpdate>(components);
    }
    packets::EntityUpdates tick;
    tick.updates = List<packets::EntityUpdate>(entities);
    add_packet(*set, tick);
    return set;
}

std::shared_ptr<SampleSet> chunk_column() {
    auto set = std::make_shared<SampleSet>();
    const auto blocks = noise(40'000);
    const auto light = noise(16'000);
    const auto map = noise(4'096);
    for (std::int32_t y = 0; y < 10; ++y) {
        packets::SetChunk section;
        section.y = y;
        section.local_light = Bytes(light);
        section.global_light = Bytes(light);
        section.data = Bytes(blocks);
        add_packet(*set, section);
    }
    packets::SetChunkHeightmap heights;
    heights.heightmap = Bytes(map);
    add_packet(*set, heights);
    packets::SetChunkTintmap tints;
    tints.tintmap = Bytes(map);
    add_packet(*set, tints);
    packets::SetChunkEnvironments environments;
    environments.environments = Bytes(map);
    add_packet(*set, environments);
    return set;
}

} // namespace orbis::bench
