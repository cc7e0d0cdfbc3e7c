#include "bytes/bytes.hpp"
#include "orbis/wire/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::wire {
namespace {

Packet view_radius(std::int64_t value) {
    auto packet = Protocol().make("ViewRadius").value();
    EXPECT_TRUE(packet.set("value", value));
    return packet;
}

/// One that frames have compressed.
Packet many_assets() {
    std::string json = "[";
    for (int i = 0; i < 500; ++i) json += std::string(i > 0 ? "," : "") + R"({"hash":"h","name":"an asset"})";
    auto packet = Protocol().make("RequestAssets").value();
    EXPECT_TRUE(packet.set_json("assets", json + "]"));
    return packet;
}

TEST(Frame, AStreamIsCutWhereverItsPiecesEnd) {
    Buffer stream;
    for (const auto& packet : {view_radius(1), many_assets(), view_radius(2)}) {
        const auto frame = packet.frame().value();
        stream.insert(stream.end(), frame.begin(), frame.end());
    }
    EXPECT_LT(stream.size(), 2'000U) << "the assets are compressed";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, stream.size()}) {
        FrameReader reader(Protocol(), Receiver::server);
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            reader.feed(Bytes(stream).subspan(at, std::min(piece, stream.size() - at)));
            while (auto frame = reader.next().value()) frames.push_back(*std::move(frame));
        }
        ASSERT_EQ(frames.size(), 3U);
        EXPECT_EQ(reader.pending(), 0U);
        EXPECT_EQ(frames[0].name(), "ViewRadius");
        EXPECT_EQ(frames[0].packet().value(), view_radius(1));
        EXPECT_EQ(frames[1].packet().value(), many_assets());
        EXPECT_EQ(frames[1].bytes().value(), many_assets().frame().value());
        EXPECT_EQ(frames[2].packet().value(), view_radius(2));
    }
}

TEST(Frame, AFrameOfAPayloadIsThatOfItsPacket) {
    const auto packet = many_assets();
    const auto frame = Frame::make("RequestAssets", packet.payload().value()).value();
    EXPECT_EQ(frame.bytes().value(), packet.frame().value());
    EXPECT_EQ(Frame::make("RequestAsset", {}).error().code, Errc::not_found);
    const auto broken = Frame::make("ViewRadius", {1}).value();
    EXPECT_FALSE(broken.packet());
    EXPECT_TRUE(broken.packet(Reading::keep));
}

TEST(Frame, ASideRefusesWhatIsNotForItAndAWatcherTakesAll) {
    const auto bytes = view_radius(1).frame().value(); // for both sides
    const auto for_server = many_assets().frame().value();
    const Buffer unknown = {2, 0, 0, 0, 0xE7, 3, 0, 0, 1, 2};
    FrameReader client(Protocol(), Receiver::client);
    client.feed(for_server);
    EXPECT_EQ(client.next().error().part, "RequestAssets");
    client.feed(bytes);
    EXPECT_FALSE(client.next()) << "after an error the stream is of no use";

    FrameReader server(Protocol(), Receiver::server);
    server.feed(unknown);
    EXPECT_FALSE(server.next());

    FrameReader watcher;
    watcher.feed(for_server);
    watcher.feed(unknown);
    EXPECT_EQ(watcher.next().value()->name(), "RequestAssets");
    const auto strange = watcher.next().value().value();
    EXPECT_EQ(strange.name(), "");
    EXPECT_EQ(strange.id(), 999);
    EXPECT_EQ(strange.payload(), (Buffer{1, 2}));
    EXPECT_FALSE(strange.packet());
    EXPECT_FALSE(strange.bytes());
}

TEST(Frame, ALengthThatLiesIsAnError) {
    for (const Buffer& bytes :
         {Buffer{0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0}, Buffer{0xFF, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0}}) {
        FrameReader reader;
        reader.feed(bytes);
        EXPECT_FALSE(reader.next());
    }
    auto broken = many_assets().frame().value();
    broken.back() ^= 0x55;
    broken[10] ^= 0x55;
    FrameReader reader;
    reader.feed(broken);
    EXPECT_FALSE(reader.next());
}

} // namespace
} // namespace orbis::wire
