#pragma once

#include "capture/pcapng.hpp"
#include "capture/record.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/value_json.hpp"

#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>

/// Frames and records of the game, for tests.
namespace orbis::capture::made {

/// The frame of a packet whose fields are given as JSON; what is missing is absent.
inline Buffer frame(std::string_view packet, std::string_view json,
                    std::string_view build = protocol::k_default_build) {
    const auto& schema = protocol::schema_of(*protocol::find_build(build));
    const auto* layout = schema.packet(packet);
    const auto tree = protocol::JsonTree::parse(json);
    if (layout == nullptr || !tree) throw std::logic_error("no such packet: " + std::string(packet));
    const auto value = protocol::read_json(*layout, *tree);
    if (!value) throw std::logic_error(value.error().text());
    Buffer payload;
    if (const auto done = protocol::encode(*layout, *value, payload); !done)
        throw std::logic_error(done.error().text());
    protocol::PayloadFramer framer;
    const auto made = framer.frame(*schema.registry().find(packet), payload).value();
    return {made.begin(), made.end()};
}

/// Records with the memory of their frames.
class Records {
public:
    static constexpr std::int64_t k_start = 1'770'000'000'123'456'789; ///< February 2026

    /// A packet of the usual build. Each comes a millisecond after the one before.
    Record& add(Side to, std::string_view packet, std::string_view json, std::uint64_t session = 1,
                std::string_view build = protocol::k_default_build) {
        frames_.push_back(frame(packet, json, build));
        auto& record = records_.emplace_back();
        record.set_build(build);
        const auto* info = protocol::schema_of(*record.build).registry().find(packet);
        record.time = k_start + static_cast<std::int64_t>(records_.size() - 1) * 1'000'000;
        record.to = to;
        record.channel = info->channel;
        record.stream = info->channel == Channel::normal ? 0 : static_cast<int>(info->channel) * 4 - 1;
        record.session = session;
        record.frame = frames_.back();
        record.length = record.frame.size();
        return record;
    }

    [[nodiscard]] const std::deque<Record>& all() const { return records_; }

    /// All of them as a file.
    [[nodiscard]] Buffer file() const {
        Buffer out;
        append_file_start(out, "orbis test");
        for (const auto& record : records_) append_record(out, record);
        return out;
    }

private:
    std::deque<Buffer> frames_;
    std::deque<Record> records_;
};

inline constexpr std::string_view k_connect_json =
    R"({"protocolCrc":-1356075132,"protocolBuildNumber":20,"clientVersion":"2026.02.17","clientType":"Game",)"
    R"("uuid":"00112233-4455-6677-8899-aabbccddeeff","username":"Ada","identityToken":"secret.token.of-ada",)"
    R"("language":"en-US","referralData":"c0ffee","referralSource":null})";

/// The beginning of a visit, in which two players talk.
inline Records visit() {
    Records made;
    made.add(Side::server, "Connect", k_connect_json);
    made.add(Side::client, "ConnectAccept", R"({"passwordChallenge":"0102030405060708"})");
    made.add(Side::server, "PasswordResponse", R"({"hash":"aabbccdd"})");
    made.add(Side::client, "SetClientId", R"({"clientId":42})");
    made.add(Side::server, "ChatMessage", R"({"message":"Hello world"})");
    made.add(Side::server, "ChatMessage", R"({"message":"bye"})", 2);
    made.add(Side::client, "SetChunk",
             R"({"x":1,"y":2,"z":-3,"localLight":null,"globalLight":null,"data":")" + std::string(4000, '0')
                 + R"("})");
    made.add(Side::server, "SendWindowAction", R"({"id":12,"action":{"$type":"SelectSlotAction","slot":3}})");
    return made;
}

/// A player who joins a world, says something, hears it and is sent away. The server asks for a password.
inline Records join() {
    Records made;
    made.add(Side::server, "Connect", k_connect_json);
    made.add(Side::client, "ConnectAccept", R"({"passwordChallenge":"0102030405060708"})");
    made.add(Side::server, "PasswordResponse", R"({"hash":"aabbccdd"})");
    made.add(Side::client, "PasswordAccepted", "{}");
    made.add(Side::client, "WorldSettings", R"({"worldHeight":320})");
    made.add(Side::server, "RequestAssets", R"({"assets":[]})");
    made.add(Side::client, "WorldLoadFinished", "{}");
    made.add(Side::server, "ViewRadius", R"({"value":192})");
    made.add(Side::server, "PlayerOptions", "{}");
    made.add(Side::client, "JoinWorld",
             R"({"clearWorld":true,"fadeInOut":false,"worldUuid":"00112233-4455-6677-8899-aabbccddeeff"})");
    made.add(Side::server, "ClientReady", R"({"readyForChunks":true,"readyForGameplay":false})");
    made.add(Side::client, "SetClientId", R"({"clientId":42})");
    made.add(Side::client, "SetChunk",
             R"({"x":1,"y":2,"z":-3,"localLight":null,"globalLight":null,"data":""})");
    made.add(Side::server, "ChatMessage", R"({"message":"Hello world"})");
    made.add(Side::client, "ServerMessage", R"({"type":"Chat","message":null})");
    made.add(Side::client, "Disconnect", R"({"reason":"good night","type":"Disconnect"})");
    return made;
}

} // namespace orbis::capture::made
