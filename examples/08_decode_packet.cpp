// Decodes the bytes of a packet and prints its values as JSON.
//
//     08_decode_packet ViewRadius c0000000
//     08_decode_packet ViewRadius c0000000 0.5.1

#include <cctype>
#include <iostream>
#include <orbis/report.hpp>
#include <orbis/wire/protocol.hpp>

namespace {

/// Hex digits as bytes; nothing where they are something else.
std::optional<std::vector<std::uint8_t>> bytes_of(const std::string& hex) {
    if (hex.size() % 2 != 0) return {};
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at < hex.size(); at += 2) {
        const auto digits = hex.substr(at, 2);
        if (!std::isxdigit(static_cast<unsigned char>(digits[0]))
            || !std::isxdigit(static_cast<unsigned char>(digits[1])))
            return {};
        bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits, nullptr, 16)));
    }
    return bytes;
}

} // namespace

int main(int count, char** arguments) {
    const auto payload = bytes_of(count > 2 ? arguments[2] : "");
    if (count < 3 || !payload) {
        std::cerr << "08_decode_packet NAME HEX [BUILD]\n";
        return 2;
    }
    const auto protocol = orbis::wire::Protocol::of(count > 3 ? arguments[3] : "2026.02.17");
    if (!protocol) return orbis::report(protocol.error());
    const auto packet = protocol->decode(arguments[1], *payload);
    if (!packet) return orbis::report(packet.error());
    std::cout << packet->json() << '\n';
}
