#include "proxy/account_talk.hpp"

#include "bytes/reader.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/uuid.hpp"

namespace orbis::proxy {
namespace {

using protocol::Value;

/// A packet of the player's build; null if it has none of that name.
const protocol::PacketInfo* named(const PlayerFacts& player, std::string_view name) {
    return protocol::schema_of(*player.build).registry().find(name);
}

/// A record with all fields absent.
Value empty_record(const protocol::Layout& layout) {
    return Value{Value::Record{&layout, std::vector<Value>(layout.fields.size())}};
}

void put(Value& record, std::string_view name, Value value) {
    auto& fields = std::get<Value::Record>(record.content);
    const auto at = std::ranges::find(fields.layout->fields, name, &protocol::Field::name);
    if (at != fields.layout->fields.end())
        fields.fields[static_cast<std::size_t>(at - fields.layout->fields.begin())] = std::move(value);
}

std::string text_of(const Value& record, std::string_view name) {
    const auto* value = record.find(name);
    const auto* text = value != nullptr ? value->as<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
}

Result<Buffer> frame_of(const PlayerFacts& player, const protocol::PacketInfo& packet, const Value& value) {
    Buffer payload;
    TRY_DO(encode(*protocol::schema_of(*player.build).packet(packet.id), value, payload));
    protocol::PayloadFramer framer;
    TRY(const auto frame, framer.frame(packet, payload));
    return Buffer(frame.begin(), frame.end());
}

} // namespace

bool AccountTalk::is_about_accounts(const PlayerFacts& player, End from, std::int32_t id) {
    if (from == End::client) return id == 0;
    if (player.build == nullptr) return false;
    for (const auto* name : {"AuthGrant", "ServerAuthToken"})
        if (const auto* packet = named(player, name); packet != nullptr && packet->id == id) return true;
    return false;
}

void AccountTalk::take(const PlayerFacts& player, End from, Bytes frame, const net::Fingerprint& server) {
    if (player.build == nullptr)
        return user_.on_account_problem(
            "The proxy does not know your build of the game, so that it cannot use an "
            "account for it.");
    const auto& schema = protocol::schema_of(*player.build);
    const auto id = load_le<std::int32_t>(frame.data() + 4);
    auto said = decode(*schema.packet(id), frame.subspan(protocol::k_frame_header), schema.read_rules());
    const auto* packet = schema.registry().find(id);
    if (!said) return user_.on_account_problem(fmt::format("{} cannot be read.", packet->name));
    if (from == End::client) {
        put(*said, "identityToken", Value{login_.identity_token});
        put(*said, "uuid", Value{login_.uuid});
        put(*said, "username", Value{login_.username});
        const auto made = frame_of(player, *packet, *said);
        if (!made) return user_.on_account_problem("The account cannot be put into Connect.");
        return user_.to_server(*made);
    }
    if (packet->name == "AuthGrant") return answer(player, *said);
    check(player, *said, server);
}

void AccountTalk::answer(const PlayerFacts& player, const Value& grant) {
    net::GrantReceived received{text_of(grant, "authorizationGrant"), text_of(grant, "serverIdentityToken"),
                                own_, protocol::uuid_text(login_.uuid)};
    net::answer_grant(
        service_, std::move(received), [self = self_.ref(), &player](Result<net::GrantAnswer> answer) {
            if (!self) return;
            if (!answer)
                return self->user_.on_account_problem(
                    fmt::format("The session service gave no token: {}.", answer.error().problem));
            const auto* packet = named(player, "AuthToken");
            auto token = empty_record(*protocol::schema_of(*player.build).packet(packet->id));
            put(token, "accessToken", Value{answer->access_token});
            put(token, "serverAuthorizationGrant", Value{answer->server_authorization_grant});
            if (const auto made = frame_of(player, *packet, token)) self->user_.to_server(*made);
        });
}

void AccountTalk::check(const PlayerFacts& player, const Value& token, const net::Fingerprint& server) {
    is_holding_ = true;
    const net::Moment moment{clock_.now(), std::chrono::floor<std::chrono::seconds>(clock_.wall())};
    std::optional<Value> challenge;
    if (const auto* found = token.find("passwordChallenge"); found != nullptr && !found->is_absent())
        challenge = *found;
    net::check_access(service_, text_of(token, "serverAccessToken"),
                      {server, protocol::uuid_text(login_.uuid), {}, {}}, moment,
                      [self = self_.ref(), &player, challenge](const Result<net::TokenFacts>& facts) {
                          if (!self) return;
                          if (!facts)
                              return self->user_.on_account_problem(fmt::format(
                                  "The server did not prove who it is: {}.", facts.error().problem));
                          self->accept(player, challenge);
                      });
}

void AccountTalk::accept(const PlayerFacts& player, std::optional<Value> challenge) {
    is_holding_ = false;
    if (!std::exchange(is_accepted_, true)) {
        const auto* packet = named(player, "ConnectAccept");
        auto value = empty_record(*protocol::schema_of(*player.build).packet(packet->id));
        if (challenge) put(value, "passwordChallenge", *std::move(challenge));
        const auto made = frame_of(player, *packet, value);
        if (!made) return user_.on_account_problem("The client cannot be let in.");
        user_.to_client(*made);
    }
    const auto held = std::exchange(held_, {});
    if (!held.empty()) user_.to_client(held);
}

} // namespace orbis::proxy
