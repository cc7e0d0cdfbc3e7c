#include "net/version_question.hpp"

#include "bytes/reader.hpp"
#include "net/quic_packet.hpp"

#include <fmt/format.h>

namespace orbis::net {
namespace {

/// Versions of this form are kept free, so that endpoints meet versions that they do not know.
constexpr bool is_reserved(std::uint32_t version) { return (version & 0x0F0F0F0F) == 0x0A0A0A0A; }

constexpr std::array<std::uint8_t, 4> k_nobodys_version = {0x1A, 0x2A, 0x3A, 0x4A};

} // namespace

VersionQuestion::VersionQuestion() {
    fill_random(destination_);
    fill_random(source_);
}

Buffer VersionQuestion::packet() const {
    Buffer made;
    made.reserve(k_smallest_first_datagram);
    made.push_back(0xC0);
    made.insert(made.end(), k_nobodys_version.begin(), k_nobodys_version.end());
    for (const auto* id : {&destination_, &source_}) {
        made.push_back(static_cast<std::uint8_t>(id->size()));
        made.insert(made.end(), id->begin(), id->end());
    }
    made.resize(k_smallest_first_datagram);
    return made;
}

std::optional<std::vector<std::uint32_t>> VersionQuestion::read_answer(Bytes datagram) const {
    Reader in(datagram);
    const auto first = in.u8();
    const auto version = in.be<std::uint32_t>();
    // Our source is the destination of the answer, and the other way round: only the server knows them.
    const auto to = in.take(in.u8());
    const auto from = in.take(in.u8());
    if (!in.ok() || (first & 0x80) == 0 || version != 0 || !std::ranges::equal(to, source_)
        || !std::ranges::equal(from, destination_) || in.remaining() % 4 != 0)
        return {};
    std::vector<std::uint32_t> versions;
    while (in.remaining() > 0)
        if (const auto offered = in.be<std::uint32_t>(); !is_reserved(offered)) versions.push_back(offered);
    return versions;
}

std::string quic_version_text(std::uint32_t version) {
    constexpr std::uint32_t k_version_2 = 0x6B3343CF;
    constexpr std::uint32_t k_draft = 0xFF000000;
    if (version == k_quic_version_1) return "1";
    if (version == k_version_2) return "2";
    if (version > k_draft && version <= k_draft + 0xFF) return fmt::format("draft-{}", version - k_draft);
    return fmt::format("0x{:08x}", version);
}

} // namespace orbis::net
