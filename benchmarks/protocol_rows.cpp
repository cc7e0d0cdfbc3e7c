#include "harness.hpp"
#include "protocol/dialect.hpp"
#include "protocol_data.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

namespace {

thread_local std::size_t g_allocations = 0; // NOLINT: counted by the operators below

} // namespace

// Every allocation of the program is counted, so that a row can say that there are none.
void* operator new(std::size_t size) {
    ++g_allocations;
    if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace orbis::bench {

namespace {

double seconds_now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Nanoseconds of processor time that a pass takes for each of its items: the best of several rounds.
double nanoseconds(const Pass& pass, std::size_t items) {
    pass();
    double best = 1e9;
    for (int round = 0; round < amount(15, 1); ++round) {
        std::size_t passes = 0;
        const auto start = seconds_now();
        auto end = start;
        const auto batch = 1 + 10'000 / items; // the clock takes long to read
        while (end - start < amount(0.03, 1e-9)) {
            for (std::size_t some = 0; some < batch; ++some) pass();
            passes += batch;
            end = seconds_now();
        }
        best = std::min(best, (end - start) * 1e9 / static_cast<double>(passes * items));
    }
    return best;
}

/// Reading and writing the packets of a set, against the schema-driven codec.
void add_set(const std::string& name, const std::shared_ptr<SampleSet>& set) {
    add_ratio(
        {"protocol: decode, " + name, "× the schema-driven codec", 10, Better::higher},
        [set] { set->decode(); }, [set] { set->decode_generic(); });
    add_ratio(
        {"protocol: encode, " + name, "× the schema-driven codec", 10, Better::higher},
        [set] { set->encode(); }, [set] { set->encode_generic(); });
}

/// The time per packet, where that of the game's own serialiser is known or can be guessed.
void add_times(const std::string& name, const std::shared_ptr<SampleSet>& set,
               std::optional<double> decode_goal, std::optional<double> encode_goal) {
    add_value({"protocol: decode, " + name, "ns per packet", decode_goal, Better::lower},
              [=] { return nanoseconds([set] { set->decode(); }, set->size()); });
    add_value({"protocol: encode, " + name, "ns per packet", encode_goal, Better::lower},
              [=] { return nanoseconds([set] { set->encode(); }, set->size()); });
}

/// A movement as a program reads and writes it that knows what it has before it.
void add_movement_rows() {
    constexpr std::size_t k_times = 100;
    const auto step = walking();
    const auto payload = std::make_shared<Buffer>();
    if (!protocol::encode(step, *payload)) std::abort();
    add_value({"protocol: decode, movement", "ns per packet", 6.2, Better::lower}, [=] {
        protocol::Arena arena;
        packets::ClientMovement read;
        return nanoseconds(
            [&] {
                const Bytes received(*payload);
                for (std::size_t time = 0; time < k_times; ++time) {
                    benchmark::DoNotOptimize(received.data());
                    const auto done = protocol::decode(received, arena, read);
                    benchmark::DoNotOptimize(done.has_value());
                    benchmark::ClobberMemory();
                }
            },
            k_times);
    });
    add_value({"protocol: encode, movement", "ns per packet", 8.6, Better::lower}, [=] {
        protocol::PayloadWriter writer;
        auto sent = step;
        return nanoseconds(
            [&] {
                for (std::size_t time = 0; time < k_times; ++time) {
                    benchmark::DoNotOptimize(&sent);
                    benchmark::DoNotOptimize(writer.write(sent)->data());
                    benchmark::ClobberMemory();
                }
            },
            k_times);
    });
    add_set("movement", movement());
}

void add_bulk_rows() {
    const auto column = chunk_column();
    const auto from = std::make_shared<Buffer>(column->bytes() / 10, 1);
    const auto to = std::make_shared<Buffer>(from->size());
    const auto copy = [=] {
        for (int part = 0; part < 10; ++part) {
            std::memcpy(to->data(), from->data(), from->size());
            benchmark::DoNotOptimize(to->data());
            benchmark::ClobberMemory();
        }
    };
    add_ratio(
        {"protocol: decode, chunk column", "× memcpy", 0.5, Better::higher}, [=] { column->decode(); }, copy);
    add_ratio(
        {"protocol: encode, chunk column", "× memcpy", 0.5, Better::higher}, [=] { column->encode(); }, copy);
}

double allocations_of_fixed_packets() {
    packets::ClientMovement packet;
    protocol::PayloadWriter writer;
    (void)writer.write(packet); // its buffer is made once
    protocol::Arena arena;
    const auto before = g_allocations;
    for (int i = 0; i < 1000; ++i) {
        const auto payload = writer.write(packet);
        if (!payload || !protocol::decode(*payload, arena, packet)) std::abort();
    }
    return static_cast<double>(g_allocations - before);
}

void add_packet_rows() {
    const auto all = all_packets();
    const auto& set = all.set;
    // The game's own serialiser takes 1590 and 1526 ns over the vectors, 62 and 86 for a movement. What it
    // takes for made packets is not known.
    const auto known = [&](double goal) { return all.is_real ? std::optional(goal) : std::nullopt; };
    add_times(all.name, set, known(318), known(305));
    add_set(all.name, set);
    const auto megabytes = static_cast<double>(set->bytes()) / 1e6;
    add_rate({"protocol: decode, " + all.name, "MB/s", known(500), Better::higher}, megabytes, 1,
             [set] { set->decode(); });
    add_rate({"protocol: encode, " + all.name, "MB/s", known(500), Better::higher}, megabytes, 1,
             [set] { set->encode(); });
}

/// What a build costs that is not the usual one: a movement of its client, entities for it.
void add_dialect_rows(std::string_view build) {
    constexpr std::size_t k_times = 100;
    const auto* dialect = protocol::Dialect::of(*protocol::find_build(build));
    const auto translates = [=](protocol::Side side, std::int32_t id, Buffer payload, bool hears) {
        const auto* word = dialect->said_by(side, id);
        const auto said = std::make_shared<Buffer>(std::move(payload));
        if (hears) {
            Buffer there;
            if (!dialect->say(*word, *said, there)) std::abort();
            *said = std::move(there);
        }
        return [=] {
            Buffer out;
            return nanoseconds(
                [&] {
                    for (std::size_t time = 0; time < k_times; ++time) {
                        out.clear();
                        const auto done =
                            hears ? dialect->hear(*word, *said, out) : dialect->say(*word, *said, out);
                        if (!done) std::abort();
                        benchmark::DoNotOptimize(out.data());
                    }
                },
                k_times);
        };
    };
    Buffer step;
    if (!protocol::encode(walking(), step)) std::abort();
    add_value({fmt::format("protocol: movement of {} for the usual build", build), "ns per packet",
               std::nullopt, Better::lower},
              translates(protocol::Side::client, packets::ClientMovement::k_info.id, std::move(step), true));
    Buffer updates;
    entity_updates()->each(
        [&](std::string_view, Bytes payload) { updates.assign(payload.begin(), payload.end()); });
    add_value(
        {fmt::format("protocol: 50 entity updates for {}", build), "ns per packet", std::nullopt,
         Better::lower},
        translates(protocol::Side::server, packets::EntityUpdates::k_info.id, std::move(updates), false));
}

void add_rows() {
    add_packet_rows();
    for (const auto* build : {"0.6.0-pre.1", "b242"}) add_dialect_rows(build);
    add_movement_rows();
    const auto entities = entity_updates();
    // Each with three components in less time than the game takes for one movement.
    add_times("50 entity updates", entities, 50 * 62, 50 * 86);
    add_set("50 entity updates", entities);
    add_bulk_rows();
    add_value({"protocol: allocations, 1000 movements both ways", "", 0, Better::lower},
              allocations_of_fixed_packets);
}

const Registration k_registered(add_rows);

} // namespace

} // namespace orbis::bench
