#include "game/download/captured_world.hpp"

#include "capture/capture_reader.hpp"
#include "capture/no_join.hpp"
#include "capture/record_decoder.hpp"
#include "game/download/usual_frames.hpp"
#include "game/download/world_writer.hpp"
#include "packets/player.hpp"

#include <algorithm>

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t k_most_capture_problems = 20;
/// Chunks to which nothing was added for so long are written.
constexpr net::Duration k_quiet_in_capture = 300ms;
constexpr std::size_t k_records_between_writes = 512;

/// The player whose world is meant: the first who joins one.
Result<std::uint64_t> find_player(const CapturedWorldRules& rules) {
    TRY(auto reader, capture::CaptureReader::open(rules.capture));
    reader.set_usual_build(rules.build);
    bool is_damaged = false;
    for (;;) {
        auto next = reader.next();
        if (!next && reader.facts().bytes == 0) return fail(std::move(next).error());
        is_damaged = !next;
        if (!next || !*next) break;
        const auto& record = **next;
        if (rules.player && record.session != *rules.player) continue;
        if (record.to != protocol::Side::client) continue;
        const auto* packet = capture::packet_of(record);
        if (packet != nullptr && packet->name == "JoinWorld") return record.session;
    }
    return fail(capture::no_join(rules.capture, rules.player, is_damaged));
}

/// What a player saw of its first world, from the frames that came to it.
class CapturedWorld {
public:
    CapturedWorld(const CapturedWorldRules& rules, WorldWriter& writer)
        : collector_(writer, rules.is_transparent, decompressor_, arena_, {}) {}

    /// A frame that came to the player. An error is one of the folder.
    Result<void> take(const capture::Record& record) {
        now_ = net::Time(net::Duration(record.time));
        Result<void> taken;
        const auto heard = frames_.hear(record, [&](const protocol::Frame& usual) {
            if (taken) taken = take_usual(usual);
        });
        if (!heard) note(heard.error());
        return taken;
    }

    Result<void> write_some() { return collector_.hand_out(now_ - k_quiet_in_capture); }
    Result<void> write_rest() { return collector_.hand_out_rest(now_ - k_quiet_in_capture); }

    /// What it came to, beside the chunks that were written.
    void tell(CapturedWorldReport& report) const {
        report.incomplete = collector_.incomplete();
        report.unnamed = collector_.held();
        report.problems = problems_;
        if (const auto count = frames_.sections_outside(); count > 0)
            report.problems.push_back(sections_left_out(count));
        report.has_more_worlds = is_elsewhere_;
    }
    [[nodiscard]] const std::optional<protocol::Uuid>& uuid() const { return uuid_; }
    [[nodiscard]] ChunkPos last_chunk() const { return collector_.last_chunk(); }

private:
    Result<void> take_usual(const protocol::Frame& frame) {
        if (frame.id == packets::JoinWorld::k_info.id && frame.payload.size() >= 18) {
            protocol::Uuid uuid{};
            std::copy_n(frame.payload.end() - 16, 16, uuid.begin());
            if (uuid_ && *uuid_ != uuid) is_elsewhere_ = true;
            uuid_ = uuid_.value_or(uuid);
        }
        if (is_elsewhere_) return {};
        arena_.reset();
        const auto taken = collector_.take(frame, now_);
        if (taken) return {};
        const auto code = taken.error().code;
        if (code == Errc::io || code == Errc::no_space || code == Errc::busy || code == Errc::read_only)
            return fail(Error(taken.error()));
        note(Error(taken.error()).about(frame.packet->name));
        return {};
    }

    void note(const Error& problem) {
        if (problems_.size() < k_most_capture_problems) problems_.push_back(problem.text());
    }

    Decompressor decompressor_;
    protocol::Arena arena_;
    UsualFrames frames_{decompressor_};
    ChunkCollector collector_;
    net::Time now_{};
    std::optional<protocol::Uuid> uuid_;
    bool is_elsewhere_ = false;
    std::vector<std::string> problems_;
};

/// Where the player says that it is.
std::optional<Point> place_of(const capture::Record& record, capture::RecordDecoder& decoder) {
    const auto* packet = capture::packet_of(record);
    if (packet == nullptr || packet->name != "ClientMovement") return {};
    const auto value = decoder.value(record);
    const auto* position = value ? (*value)->find("absolutePosition") : nullptr;
    if (position == nullptr) return {};
    const auto number = [&](std::string_view field) -> std::optional<double> {
        const auto* found = position->find(field);
        const auto* real = found != nullptr ? found->as<double>() : nullptr;
        if (real == nullptr || !(std::abs(*real) < 1e9)) return {};
        return *real;
    };
    const auto x = number("x");
    const auto y = number("y");
    const auto z = number("z");
    if (!x || !y || !z) return {};
    return Point{*x, *y, *z};
}

} // namespace

Result<CapturedWorldReport> world_of_capture(const CapturedWorldRules& rules) {
    CapturedWorldReport report;
    TRY(report.player, find_player(rules));
    TRY(const auto writer, WorldWriter::open(rules.out, false));
    TRY_DO(writer->note_begin(rules.capture.filename().string(), rules.command));
    TRY(auto reader, capture::CaptureReader::open(rules.capture));
    reader.set_usual_build(rules.build);
    CapturedWorld world(rules, *writer);
    capture::RecordDecoder decoder;
    std::optional<Point> spawn;
    for (std::size_t records = 1;; ++records) {
        auto next = reader.next();
        if (!next) {
            report.damage = std::move(next).error();
            break;
        }
        if (!*next) break;
        const auto& record = **next;
        if (record.session != report.player) continue;
        if (record.to == protocol::Side::server) {
            if (!spawn) spawn = place_of(record, decoder);
            continue;
        }
        TRY_DO(world.take(record));
        if (records % k_records_between_writes == 0) {
            TRY_DO(world.write_some());
        }
    }
    TRY_DO(world.write_rest());
    world.tell(report);
    report.chunks = writer->stored();
    const auto last = world.last_chunk();
    TRY_DO(writer->write_config(fmt::format("From {}", rules.capture.filename().string()),
                                world.uuid().value_or(protocol::Uuid{}),
                                spawn.value_or(Point{last.x * 32.0 + 16, 128, last.z * 32.0 + 16})));
    TRY_DO(writer->sync());
    TRY_DO(writer->note_end());
    return report;
}

} // namespace orbis::game
