#include "net/interpreter.hpp"

#include "protocol/generic_codec.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

using protocol::Side;
using protocol::Value;

constexpr std::string_view k_connect_packet = "Connect";
constexpr std::string_view k_player_question = "RequestInsecurePlayerOptions";
constexpr std::string_view k_player_answer = "InsecurePlayerOptions";
constexpr std::string_view k_setup_end = "SetupFinalize";
constexpr std::string_view k_player_options = "PlayerOptions";
constexpr std::string_view k_join_world = "JoinWorld";

/// A value takes up to fifty times the memory of its bytes. Nothing that a client says differently from build
/// to build is long; servers announce their registries.
constexpr std::size_t most_translated(Side own) { return own == Side::server ? 256 << 10 : 32 << 20; }

constexpr Side peer_of(Side own) { return own == Side::client ? Side::server : Side::client; }

void copy_field(Value& to, const Value& from, std::string_view name) {
    auto& record = std::get<Value::Record>(to.content);
    const auto* value = from.find(name);
    const auto at = std::ranges::find(record.layout->fields, name, &protocol::Field::name);
    if (value == nullptr || at == record.layout->fields.end()) return;
    record.fields[static_cast<std::size_t>(at - record.layout->fields.begin())] = *value;
}

} // namespace

Interpreter::Interpreter(const protocol::Dialect& dialect, Side own, bool asks_for_player,
                         protocol::PayloadFramer& framer, Decompressor& decompressor, Send send)
    : dialect_(dialect),
      own_(own),
      asks_for_player_(asks_for_player && dialect.asks_for_player()),
      framer_(framer),
      decompressor_(decompressor),
      send_(std::move(send)) {
    if (!dialect.has_columns_apart()) return;
    if (own == Side::server)
        splitter_.emplace(dialect);
    else
        gatherer_.emplace(dialect);
}

/// A client has one stream to write to.
protocol::Channel Interpreter::channel_of(const protocol::PacketInfo& packet) const {
    return own_ == Side::client ? protocol::Channel::normal : packet.channel;
}

std::optional<protocol::Channel> Interpreter::as_it_is(std::int32_t packet) const {
    const auto* word = dialect_.said_by(own_, packet);
    if (word == nullptr || !word->is_said_alike || word->usual->id != word->other->id
        || word->usual->compressed != word->other->compressed || !dialect_.before(packet).empty())
        return std::nullopt;
    return channel_of(*word->other);
}

Result<void> Interpreter::send(const protocol::PacketInfo& packet, Bytes payload, const Send& take) {
    TRY(const auto frame, framer_.frame(packet, payload));
    take(channel_of(packet), frame);
    return {};
}

ColumnSplitter::Take Interpreter::sender(const Send& take) {
    return [&](const protocol::PacketInfo& packet, const ColumnSplitter::Payload& payload) -> Result<void> {
        if (!payload.unpacked) return send(packet, payload.bytes, take);
        TRY(const auto frame, framer_.frame_packed(packet, payload.bytes, *payload.unpacked));
        take(channel_of(packet), frame);
        return {};
    };
}

Result<void> Interpreter::say(const protocol::PacketInfo& packet, Bytes payload) {
    return say(packet, payload, send_);
}

Result<void> Interpreter::say(const protocol::PacketInfo& packet, Bytes payload, const Send& take) {
    for (const auto& extra : dialect_.before(packet.id)) TRY_DO(send(*extra.packet, extra.payload, take));
    if (splitter_ && splitter_->says(packet.id)) return splitter_->say(packet.id, payload, sender(take));
    const auto* word = dialect_.said_by(own_, packet.id);
    if (word == nullptr) return {}; // the build has no such thing to say
    if (own_ == Side::client && dialect_.asks_for_player() && word->usual->name == k_connect_packet) {
        auto connect = decode(*word->usual_layout, payload, {});
        if (!connect) return fail(connect.error().error());
        connect_ = *std::move(connect);
    }
    if (word->is_said_alike) return send(*word->other, payload, take);
    said_.clear();
    TRY_DO(dialect_.say(*word, payload, said_));
    return send(*word->other, said_, take);
}

Result<Bytes> Interpreter::payload_of(const OutgoingFrame& frame) {
    if (const auto kept = frame.payload()) return Bytes(*kept); // the frame holds it too
    const auto& packet = frame.info();
    const auto payload = frame.frame().bytes().subspan(protocol::k_frame_header);
    if (!packet.compressed || payload.empty()) return payload;
    auto content = protocol::decompress_payload(decompressor_, packet, payload, packet.largest);
    if (!content) return fail(std::move(content).error().error);
    return *content;
}

Result<Renderings::Frames> Interpreter::render_as_one(const OutgoingFrame& first,
                                                      const OutgoingFrame& second) {
    const auto& says = dialect_.first_to_say(first.packet());
    if (auto made = first.renderings().find(says, second.memory())) return *std::move(made);
    TRY(const auto before, payload_of(first));
    said_.assign(before.begin(), before.end()); // the next payload takes its place
    TRY(const auto after, payload_of(second));
    Renderings::Frames frames;
    const Send take = [&](protocol::Channel channel, Bytes bytes) {
        frames.emplace_back(channel, protocol::SharedFrame(bytes));
    };
    TRY_DO(splitter_->say_as_one(said_, after, sender(take)));
    first.renderings().add(says, second.memory(), frames);
    return frames;
}

Result<Renderings::Frames> Interpreter::render(const OutgoingFrame& frame) {
    const auto& packet = frame.info();
    const auto& first = dialect_.first_to_say(packet.id);
    if (auto made = frame.renderings().find(first)) return *std::move(made);
    TRY(const auto payload, payload_of(frame));
    Renderings::Frames frames;
    TRY_DO(say(packet, payload, [&](protocol::Channel channel, Bytes bytes) {
        frames.emplace_back(channel, protocol::SharedFrame(bytes));
    }));
    frame.renderings().add(first, frames);
    return frames;
}

std::expected<bool, protocol::FrameFailure> Interpreter::hear(const protocol::Frame& frame,
                                                              std::uint32_t largest, const IsRead& is_read,
                                                              const Take& take) {
    if (gatherer_ && gatherer_->hears(frame.id)) return hear_column(frame, largest, is_read, take);
    if (gatherer_ && frame.packet->name == k_join_world) gatherer_->enter(frame.payload);
    const auto heard = hear_one(frame, largest, is_read);
    if (!heard) return std::unexpected(heard.error());
    if (*heard) take(**heard);
    return heard->has_value();
}

std::expected<bool, protocol::FrameFailure> Interpreter::hear_column(const protocol::Frame& frame,
                                                                     std::uint32_t largest,
                                                                     const IsRead& is_read,
                                                                     const Take& take) {
    auto payload = frame.payload;
    if (frame.is_compressed) {
        const auto content = protocol::decompress_payload(decompressor_, *frame.packet, payload, largest);
        if (!content) return std::unexpected(content.error());
        payload = *content;
    }
    auto heard = gatherer_->hear(frame.id, payload, is_read);
    if (!heard)
        return std::unexpected(
            protocol::FrameFailure{protocol::FrameFault::payload, std::move(heard).error()});
    auto length = frame.length;
    for (const auto& each : *heard)
        take({each.packet->id, each.packet, each.payload, std::exchange(length, 0), false});
    return !heard->empty();
}

std::expected<std::optional<protocol::Frame>, protocol::FrameFailure>
Interpreter::hear_one(const protocol::Frame& frame, std::uint32_t largest, const IsRead& is_read) {
    const auto name = frame.packet->name;
    if (own_ == Side::client && name == k_player_question && connect_) {
        send_named(k_player_answer, dialect_.there(*connect_, *dialect_.schema().packet(k_player_answer)));
        return std::nullopt;
    }
    if (asks_for_player_) {
        if (name == k_connect_packet) return on_connect(frame);
        if (name == k_player_answer) return on_player(frame);
        if (name == k_setup_end && player_) return on_finalize();
    }
    const auto* word = dialect_.heard_from(peer_of(own_), frame.id);
    if (word == nullptr) return std::nullopt;
    auto usual = frame;
    usual.id = word->usual->id;
    usual.packet = word->usual;
    if (word->is_heard_alike && word->usual->compressed == word->other->compressed) return usual;
    if (!is_read(*word->usual)) return usual;
    auto payload = frame.payload;
    if (frame.is_compressed) {
        const auto content = protocol::decompress_payload(decompressor_, *frame.packet, payload, largest);
        if (!content) return std::unexpected(content.error());
        payload = *content;
    }
    if (payload.size() > most_translated(own_))
        return std::unexpected(protocol::FrameFailure{
            protocol::FrameFault::payload,
            error(Errc::too_large, "expected at most {} bytes in a packet of another build, found {}",
                  most_translated(own_), payload.size())
                .about(name)});
    heard_.clear();
    if (auto heard = dialect_.hear(*word, payload, heard_); !heard)
        return std::unexpected(
            protocol::FrameFailure{protocol::FrameFault::payload, std::move(heard).error()});
    usual.payload = heard_;
    usual.is_compressed = false;
    return usual;
}

void Interpreter::send_named(std::string_view packet, const Value& value) {
    const auto* layout = dialect_.schema().packet(packet);
    const auto* info = dialect_.schema().registry().find(packet);
    said_.clear();
    // What was read from a packet can be written into one.
    if (layout != nullptr && encode(*layout, value, said_)) (void)send(*info, said_, send_);
}

std::optional<protocol::Frame> Interpreter::usual_frame(std::string_view packet, const Value& value) {
    const auto& usual = dialect_.usual_schema();
    heard_.clear();
    if (!encode(*usual.packet(packet), value, heard_)) return std::nullopt;
    const auto* info = usual.registry().find(packet);
    return protocol::Frame{info->id, info, heard_, protocol::k_frame_header + heard_.size(), false};
}

std::optional<protocol::Frame> Interpreter::on_connect(const protocol::Frame& frame) {
    const auto& schema = dialect_.schema();
    const auto connect = decode(*schema.packet(k_connect_packet), frame.payload, schema.read_rules());
    if (!connect) return frame; // the session finds the same
    connect_ = dialect_.here(*connect, *dialect_.usual_schema().packet(k_connect_packet));
    send_named(k_player_question,
               protocol::Value{protocol::Value::Record{schema.packet(k_player_question), {}}});
    return std::nullopt;
}

std::optional<protocol::Frame> Interpreter::on_player(const protocol::Frame& frame) {
    const auto& schema = dialect_.schema();
    auto player = decode(*schema.packet(k_player_answer), frame.payload, schema.read_rules());
    if (!connect_ || !player) return frame;
    auto connect = *std::exchange(connect_, std::nullopt);
    copy_field(connect, *player, "uuid");
    copy_field(connect, *player, "username");
    player_ = *std::move(player);
    return usual_frame(k_connect_packet, connect);
}

std::optional<protocol::Frame> Interpreter::on_finalize() {
    return usual_frame(k_player_options,
                       dialect_.here(*player_, *dialect_.usual_schema().packet(k_player_options)));
}

} // namespace orbis::net
