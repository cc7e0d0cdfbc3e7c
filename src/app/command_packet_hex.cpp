#include "app/command_packet_hex.hpp"

#include "bytes/hex.hpp"
#include "bytes/near_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>

namespace orbis::app {

namespace {

constexpr std::size_t k_largest_hex = std::size_t{256} << 20; ///< in characters; no packet comes near

Result<std::string> read_stdin_hex() {
    std::string text;
    std::string part(1 << 16, '\0');
    while (std::cin.read(part.data(), static_cast<std::streamsize>(part.size())) || std::cin.gcount() > 0) {
        text.append(part, 0, static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > k_largest_hex)
            return fail(error(Errc::too_large, "there is more than {} of hex", human_bytes(k_largest_hex))
                            .in_file("stdin")
                            .advise("decode it in parts"));
    }
    return text;
}

/// A packet by its name or id.
Result<const protocol::PacketInfo*> find_packet(const protocol::Schema& schema, const std::string& name) {
    std::int32_t id = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), id);
    const bool is_id = problem == std::errc() && end == name.data() + name.size();
    const auto* const found = is_id ? schema.registry().find(id) : schema.registry().find(name);
    if (found != nullptr) return found;
    return fail(error(Errc::not_found, "build {} has no packet {}{}", schema.build(), name,
                      did_you_mean(name, packet_names(schema, false)))
                    .advise("orbis packet list; another --build may have it"));
}

} // namespace

std::vector<std::string_view> packet_names(const protocol::Schema& schema, bool with_types) {
    std::vector<std::string_view> names;
    for (const auto& packet : schema.registry().packets()) names.push_back(packet.name);
    if (!with_types) return names;
    for (const auto& [name, layout] : schema.layouts()) names.emplace_back(name);
    for (const auto& [name, choice] : schema.unions()) names.emplace_back(name);
    for (const auto& [name, enumeration] : schema.enumerations()) names.emplace_back(name);
    return names;
}

bool stdin_has_plain_hex() {
    std::cin >> std::ws;
    const auto next = std::cin.peek();
    return next != std::char_traits<char>::eof() && hex_digit(static_cast<char>(next)) >= 0;
}

Result<Outcome> decode_plain_hex(Console& console, const protocol::Schema& schema, const std::string& name,
                                 const std::vector<std::string>& hex, const protocol::LineOptions& options) {
    const protocol::PacketInfo* packet = nullptr;
    if (!options.frame) {
        TRY(packet, find_packet(schema, name));
    }
    std::string text = options.frame ? name : ""; // frames name their packets themselves
    for (const auto& part : hex) text += (text.empty() ? "" : " ") + part;
    const bool is_given = text.find_first_not_of(' ') != std::string::npos;
    if (!is_given) {
        TRY(text, read_stdin_hex());
    }
    auto bytes = from_loose_hex(text);
    if (!bytes) {
        auto problem = std::move(bytes).error();
        if (is_given) problem.code = Errc::usage;
        return fail(std::move(problem)
                        .in_file(is_given ? "HEX" : "stdin")
                        .advise("write bytes such as 2a000000, 2a:00:00:00 or 0x2a 0x00 0x00 0x00"));
    }

    std::size_t refused = 0;
    const auto print = [&](const protocol::LineResult& result) {
        console.line(result.json);
        if (result.refused) ++refused;
    };
    if (options.frame)
        protocol::decode_frames(schema, *bytes, options, print);
    else
        print(protocol::decode_packet(schema, *packet, *bytes, options));
    return refused == 0 ? Outcome::fine : Outcome::damage;
}

} // namespace orbis::app
