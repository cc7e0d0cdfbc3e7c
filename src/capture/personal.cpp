#include "capture/personal.hpp"

#include "protocol/frame.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace orbis::capture {

namespace {

/// Fields with personal data. They have the same names in all builds that have them.
struct PersonalPacket {
    std::int32_t id; ///< also the same in all builds
    std::string_view name;
    std::array<std::string_view, 6> fields;
};

constexpr std::array k_personal = std::to_array<PersonalPacket>({
    {0, "Connect", {"identityToken", "referralData"}},
    {11, "AuthGrant", {"authorizationGrant", "serverIdentityToken"}},
    {12, "AuthToken", {"accessToken", "serverAuthorizationGrant"}},
    {13, "ServerAuthToken", {"serverAccessToken", "passwordChallenge"}},
    {14, "ConnectAccept", {"passwordChallenge"}},
    {15, "PasswordResponse", {"hash"}},
    {17, "PasswordRejected", {"newChallenge"}},
    {18, "ClientReferral", {"data"}},
    {251, "UpdateServerAccess", {"hosts"}},
    {252, "SetServerAccess", {"password"}},
    {254,
     "ConfigureIcePeer",
     {"sessionId", "localUfrag", "localPassword", "remoteUfrag", "remotePassword", "remoteCandidates"}},
});

/// Replaces all texts and bytes in a value; whether there were any.
bool blank(protocol::Value& value) {
    using protocol::Value;
    bool changed = false;
    if (auto* text = std::get_if<std::string>(&value.content)) {
        changed = !text->empty();
        std::ranges::fill(*text, 'x');
    } else if (auto* bytes = std::get_if<Buffer>(&value.content)) {
        changed = !bytes->empty();
        std::ranges::fill(*bytes, std::uint8_t{0});
    } else if (auto* list = std::get_if<Value::List>(&value.content)) {
        for (auto& each : *list) changed |= blank(each);
    } else if (auto* record = std::get_if<Value::Record>(&value.content)) {
        for (auto& each : record->fields) changed |= blank(each);
    } else if (auto* entries = std::get_if<Value::Entries>(&value.content)) {
        for (auto& each : *entries) changed |= blank(each.second);
    }
    return changed;
}

} // namespace

void PersonalData::leave_out(Record& record) {
    record.source = record.destination = {};
    const auto found = std::ranges::find(k_personal, record.id(), &PersonalPacket::id);
    const auto* packet = packet_of(record);
    const bool is_known = record.build != nullptr;
    const bool has_it = is_known ? packet != nullptr
                                       && std::ranges::find(k_personal, packet->name, &PersonalPacket::name)
                                              != k_personal.end()
                                 : found != k_personal.end();
    if (!has_it || (is_known && replace_fields(record))) return;
    record.left_out = LeftOut::payload;
    record.frame = record.frame.first(std::min(record.frame.size(), protocol::k_frame_header));
}

bool PersonalData::replace_fields(Record& record) {
    const auto* packet = packet_of(record);
    const auto personal = std::ranges::find(k_personal, packet->name, &PersonalPacket::name);
    const auto value = decoder_.strict_value(record);
    if (!value) return false;
    value_ = **value;
    auto* fields = std::get_if<protocol::Value::Record>(&value_.content);
    if (fields == nullptr) return false;
    bool changed = false;
    for (std::size_t at = 0; at < fields->fields.size(); ++at)
        if (std::ranges::find(personal->fields, fields->layout->fields[at].name) != personal->fields.end())
            changed |= blank(fields->fields[at]);
    if (!changed) return true;
    payload_.clear();
    if (!protocol::encode(*fields->layout, value_, payload_)) return false;
    const auto frame = framer_.frame(*packet, payload_);
    if (!frame) return false;
    record.frame = *frame;
    record.length = frame->size();
    record.left_out = LeftOut::fields;
    return true;
}

} // namespace orbis::capture
