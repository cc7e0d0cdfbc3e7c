#include "interop/game_frames.hpp"

#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/player.hpp"
#include "packets/world.hpp"
#include "packets/worldmap.hpp"
#include "protocol/frame_writer.hpp"

#include <random>

namespace orbis::test {
namespace {

using protocol::Channel;
using protocol::Side;

constexpr std::int32_t k_chunks = 40;
constexpr std::size_t k_section = 32 * 1024;

/// Half noise, half zeros: compresses to the size that sections of a busy world have.
Buffer section_bytes(std::mt19937& random) {
    Buffer bytes(k_section);
    for (std::size_t at = 0; at < bytes.size() / 2; ++at) bytes[at] = static_cast<std::uint8_t>(random());
    return bytes;
}

void append(Buffer& out, Bytes frame) { out.insert(out.end(), frame.begin(), frame.end()); }

Result<void> add_client_frames(GameFrames& frames) {
    protocol::FrameWriter<Side::client> writer;
    packets::Connect connect;
    connect.protocol_crc = -1'356'075'132;
    connect.protocol_build_number = 20;
    connect.client_version = "2026.02.17-255364b8e";
    connect.client_type = packets::ClientType::game;
    connect.uuid = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    connect.username = "bot1";
    connect.language = "en-US";
    TRY(const auto first, writer.frame(connect));
    append(frames.connect, first);
    TRY(const auto last, writer.frame(packets::ClientReady{true, true}));
    append(frames.ready, last);
    return {};
}

Result<void> add_chunks(Buffer& out) {
    protocol::FrameWriter<Side::server, Channel::chunks> writer;
    std::mt19937 random(1); // NOLINT: always the same bytes
    for (std::int32_t number = 0; number < k_chunks; ++number) {
        const auto section = section_bytes(random);
        packets::SetChunk packet;
        packet.x = number / 10;
        packet.y = number % 10;
        packet.z = -1;
        if (number % 10 != 9) packet.data = Bytes(section); // the top of the world is empty
        TRY(const auto frame, writer.frame(packet));
        append(out, frame);
    }
    return {};
}

Result<void> add_map(Buffer& out) {
    protocol::FrameWriter<Side::server, Channel::world_map> writer;
    std::vector<std::int32_t> pixels(32 * 32);
    for (std::size_t at = 0; at < pixels.size(); ++at) pixels[at] = static_cast<std::int32_t>(at * 2'654'435);
    packets::MapImage image;
    image.width = image.height = 32;
    image.data = protocol::List<std::int32_t>(pixels);
    packets::MapChunk chunk;
    chunk.chunk_x = -3;
    chunk.image = image;
    packets::UpdateWorldMap update;
    update.chunks = protocol::List<packets::MapChunk>(&chunk, 1);
    TRY(const auto first, writer.frame(update));
    append(out, first);
    TRY(const auto last, writer.frame(packets::ClearWorldMap{}));
    append(out, last);
    return {};
}

} // namespace

Result<GameFrames> make_game_frames() {
    GameFrames frames;
    TRY_DO(add_client_frames(frames));
    protocol::FrameWriter<Side::server, Channel::normal> writer;
    TRY(const auto accept, writer.frame(packets::ConnectAccept{}));
    append(frames.accept, accept);
    TRY_DO(add_chunks(frames.chunks));
    TRY_DO(add_map(frames.map));
    return frames;
}

} // namespace orbis::test
