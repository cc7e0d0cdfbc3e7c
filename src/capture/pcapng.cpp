#include "capture/pcapng.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace orbis::capture {

namespace {

constexpr std::uint8_t k_nanoseconds = 9; ///< 10^-9

constexpr std::size_t padding_of(std::size_t size) { return (4 - size % 4) % 4; }

/// A block whose length is filled in at its end.
class BlockMaker {
public:
    BlockMaker(Buffer& buffer, Block type) : out(buffer), buffer_(buffer), start_(buffer.size()) {
        out.le(std::to_underlying(type));
        out.le(std::uint32_t{0});
    }
    BlockMaker(const BlockMaker&) = delete;
    BlockMaker& operator=(const BlockMaker&) = delete;
    ~BlockMaker() {
        const auto size = static_cast<std::uint32_t>(buffer_.size() - start_ + sizeof(std::uint32_t));
        out.le(size);
        store_le(buffer_.data() + start_ + 4, size);
    }

    void padded(Bytes bytes) {
        out.bytes(bytes);
        out.zeros(padding_of(bytes.size()));
    }
    void option(Option code, Bytes value) {
        out.le(std::to_underlying(code));
        out.le(static_cast<std::uint16_t>(value.size()));
        padded(value);
    }
    void number_option(Option code, std::uint64_t value) {
        std::array<std::uint8_t, sizeof value> bytes{};
        store_le(bytes.data(), value);
        option(code, bytes);
    }
    void end_options() {
        out.le(std::to_underlying(Option::end));
        out.le(std::uint16_t{0});
    }
    void time(std::int64_t nanoseconds) {
        const auto time = static_cast<std::uint64_t>(nanoseconds);
        out.le(static_cast<std::uint32_t>(time >> 32));
        out.le(static_cast<std::uint32_t>(time));
    }

    Writer out;

private:
    Buffer& buffer_;
    std::size_t start_;
};

/// Wireshark finds the next tag by the length alone: it includes the filling.
void add_tag(Writer& out, Tag tag, Bytes value) {
    out.be(std::to_underlying(tag));
    out.be(static_cast<std::uint16_t>(value.size() + padding_of(value.size())));
    out.bytes(value);
    out.zeros(padding_of(value.size()));
}

void add_number_tag(Writer& out, Tag tag, std::uint32_t value) {
    std::array<std::uint8_t, sizeof value> bytes{};
    store_be(bytes.data(), value);
    add_tag(out, tag, bytes);
}

/// The endpoint of a side. If it is not known, one of the ranges that belong to nobody: a server's, or one
/// for each session.
Endpoint known_or_made_up(const Endpoint& known, bool is_server, std::uint64_t session) {
    constexpr std::uint16_t k_some_port = 49'152;
    if (known.size > 0) return known;
    Endpoint made{{192, 0, 2, 1}, 4, k_game_port};
    if (!is_server)
        made = {{10, static_cast<std::uint8_t>(session >> 16), static_cast<std::uint8_t>(session >> 8),
                 static_cast<std::uint8_t>(session)},
                4,
                k_some_port};
    if (known.port > 0) made.port = known.port;
    return made;
}

void add_address(Writer& out, const Endpoint& endpoint, bool is_source) {
    if (endpoint.size == 4)
        add_tag(out, is_source ? Tag::ipv4_source : Tag::ipv4_destination, endpoint.bytes());
    else
        add_tag(out, is_source ? Tag::ipv6_source : Tag::ipv6_destination, endpoint.bytes());
}

void add_tags(Writer& out, const Record& record) {
    add_tag(out, Tag::dissector, as_bytes(k_dissector));
    const auto source = known_or_made_up(record.source, record.to == Side::client, record.session);
    const auto destination = known_or_made_up(record.destination, record.to == Side::server, record.session);
    add_address(out, source, true);
    add_address(out, destination, false);
    add_number_tag(out, Tag::port_type, k_udp);
    add_number_tag(out, Tag::source_port, source.port);
    add_number_tag(out, Tag::destination_port, destination.port);
    add_tag(out, Tag::end, {});
}

} // namespace

void append_file_start(Buffer& out, std::string_view program) {
    {
        BlockMaker block(out, Block::section);
        block.out.le(k_byte_order);
        block.out.le(std::uint16_t{1}); // version 1.0
        block.out.le(std::uint16_t{0});
        block.out.le(std::int64_t{-1}); // the length of the section is not stated
        block.option(Option::section_program, as_bytes(program));
        block.end_options();
    }
    BlockMaker block(out, Block::interface);
    block.out.le(k_exported_pdu);
    block.out.le(std::uint16_t{0});
    block.out.le(std::uint32_t{0}); // nothing is cut
    block.option(Option::interface_name, as_bytes(k_dissector));
    block.option(Option::interface_resolution, Bytes(&k_nanoseconds, 1));
    block.end_options();
}

void append_record(Buffer& out, const Record& record) {
    BlockMaker block(out, Block::packet);
    block.out.le(std::uint32_t{0}); // the interface
    block.time(record.time);
    const auto sizes_at = out.size();
    block.out.zeros(8);
    const auto start = out.size();
    add_tags(block.out, record);
    block.out.bytes(record.frame);
    const auto size = out.size() - start;
    const auto cut = std::max(record.length, record.frame.size()) - record.frame.size();
    store_le(out.data() + sizes_at, static_cast<std::uint32_t>(size));
    store_le(out.data() + sizes_at + 4, static_cast<std::uint32_t>(std::min<std::size_t>(
                                            size + cut, std::numeric_limits<std::uint32_t>::max())));
    block.out.zeros(padding_of(size));
    thread_local std::string comment;
    comment.clear();
    append_comment(comment, record);
    block.option(Option::comment, as_bytes(comment));
    block.end_options();
}

void append_counts(Buffer& out, std::int64_t time, std::uint64_t received, std::uint64_t dropped) {
    BlockMaker block(out, Block::statistics);
    block.out.le(std::uint32_t{0}); // the interface
    block.time(time);
    block.number_option(Option::statistics_received, received);
    block.number_option(Option::statistics_dropped, dropped);
    block.end_options();
}

} // namespace orbis::capture
