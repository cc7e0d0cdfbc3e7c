#include "capture/capture_reader.hpp"

#include "bytes/reader.hpp"
#include "bytes/shell_quote.hpp"
#include "protocol/frame.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>

namespace orbis::capture {

namespace {

constexpr std::string_view k_how_to_capture =
    "captures are made with --capture FILE by orbis serve, orbis bot and orbis proxy";
constexpr std::size_t k_first_buffer = 256 * 1024;
constexpr std::size_t k_block_head = 8;
constexpr std::size_t k_block_frame = 12;          ///< head and end
constexpr std::uint32_t k_largest_facts = 1 << 20; ///< of blocks that hold no records
constexpr std::size_t k_most_interfaces = 4096;
constexpr std::size_t k_most_conversations = 65'536;
constexpr std::size_t k_conversation_bytes = 160; ///< that one takes, about
constexpr std::uint32_t k_pcap = 0xA1B2C3D4;
constexpr std::uint32_t k_pcap_nanoseconds = 0xA1B23C4D;

constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

constexpr std::array<std::uint64_t, 20> k_powers = [] {
    std::array<std::uint64_t, 20> made{1};
    for (std::size_t at = 1; at < made.size(); ++at) made[at] = made[at - 1] * 10;
    return made;
}();

} // namespace

Result<CaptureReader> CaptureReader::open(const std::filesystem::path& path) {
    TRY(auto source, open_source(path));
    return CaptureReader(std::move(source), path.string());
}

CaptureReader::CaptureReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(k_first_buffer) {}

CaptureReader::Place CaptureReader::place() {
    if (!known_) {
        auto known = std::make_shared<Known>(Known{order_, interfaces_, conversations_});
        known->bytes = sizeof(Known) + interfaces_.size() * sizeof(Interface)
                       + conversations_.size() * k_conversation_bytes;
        known_ = std::move(known);
    }
    return {facts_.bytes, last_time_, known_};
}

Result<CaptureReader> CaptureReader::open_at(const std::filesystem::path& path, const Place& place) {
    TRY(auto source, open_source(path, place.offset));
    CaptureReader made(std::move(source), path.string());
    made.order_ = place.known->order;
    made.has_section_ = true;
    made.interfaces_ = place.known->interfaces;
    made.dropped_.resize(made.interfaces_.size());
    made.conversations_ = place.known->conversations;
    made.last_time_ = place.time;
    made.facts_.bytes = place.offset;
    return made;
}

template <typename T>
T CaptureReader::number(const std::uint8_t* at) const {
    return order_ == std::endian::little ? load_le<T>(at) : load_be<T>(at);
}

Error CaptureReader::damage(Error&& error) const {
    return std::move(error)
        .in_file(name_)
        .at(facts_.bytes)
        .advise(facts_.records == 0 ? "it has no frame before this: use another capture"
                                    : "the frames before this are sound; to keep them: orbis capture filter "
                                          + shell_quoted(name_) + " NEW");
}

/// The buffer grows by what has really come, never by what a length claims.
Result<bool> CaptureReader::fill(std::size_t size) {
    while (waiting() < size) {
        if (start_ > 0) {
            std::memmove(buffer_.data(), buffer_.data() + start_, waiting());
            end_ -= start_;
            start_ = 0;
        }
        if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
        TRY(const auto got, source_->read(MutableBytes(buffer_).subspan(end_)));
        if (got == 0) return false;
        end_ += got;
    }
    return true;
}

Result<std::optional<Record>> CaptureReader::next() {
    if (is_over_) return std::nullopt;
    is_over_ = true; // unless this comes to a record
    for (;;) {
        TRY(const auto head, read_head());
        if (!head) return std::nullopt;
        switch (head->type) {
        case Block::section: {
            TRY(const auto body, read_body(*head));
            TRY_DO(read_section(body));
            break;
        }
        case Block::interface: {
            TRY(const auto body, read_body(*head));
            TRY_DO(read_interface(body));
            break;
        }
        case Block::statistics: {
            TRY(const auto body, read_body(*head));
            read_statistics(body);
            break;
        }
        case Block::packet:
        case Block::simple_packet: {
            TRY(const auto body, read_body(*head));
            TRY(auto record, read_packet(body, head->type == Block::simple_packet));
            if (!record) {
                ++facts_.others;
                break;
            }
            ++facts_.records;
            start_ += head->size;
            facts_.bytes += head->size;
            is_over_ = false;
            return record;
        }
        default: {
            TRY_DO(skip(*head));
            ++facts_.skipped;
            continue;
        }
        }
        start_ += head->size;
        facts_.bytes += head->size;
    }
}

Result<std::optional<CaptureReader::Head>> CaptureReader::read_head() {
    TRY(const bool is_there, fill(k_block_frame));
    if (!is_there) {
        if (waiting() == 0 && has_section_) return std::nullopt;
        if (waiting() == 0)
            return fail(damage(error(Errc::truncated, "the file is empty").advise(k_how_to_capture)));
        return fail(damage(error(
            Errc::truncated, "the file ends inside the head of a block, after {} bytes of it", waiting())));
    }
    const auto* at = buffer_.data() + start_;
    const auto plain = load_le<std::uint32_t>(at);
    if (plain == static_cast<std::uint32_t>(Block::section)) {
        const auto order = load_le<std::uint32_t>(at + k_block_head);
        if (order != k_byte_order && order != std::byteswap(k_byte_order))
            return fail(
                damage(error(Errc::bad_value, "expected the byte order 0x{:08x} of a section, found 0x{:08x}",
                             k_byte_order, order)));
        order_ = order == k_byte_order ? std::endian::little : std::endian::big;
    } else if (!has_section_) {
        const auto other = std::byteswap(plain);
        if (plain == k_pcap || other == k_pcap || plain == k_pcap_nanoseconds || other == k_pcap_nanoseconds)
            return fail(damage(error(Errc::unsupported, "this is a pcap file; only pcapng files can be read")
                                   .advise("convert it: editcap -F pcapng OLD NEW")));
        return fail(damage(error(Errc::bad_magic, "this is not a capture: expected a pcapng file")
                               .advise(k_how_to_capture)));
    }
    const Head head{static_cast<Block>(number<std::uint32_t>(at)), number<std::uint32_t>(at + 4)};
    if (head.size < k_block_frame || head.size % 4 != 0)
        return fail(damage(error(Errc::bad_value, "expected the length of a block, found {}", head.size)));
    return head;
}

Result<Bytes> CaptureReader::read_body(const Head& head) {
    const bool is_packet = head.type == Block::packet || head.type == Block::simple_packet;
    const auto largest = is_packet ? k_largest_block : k_largest_facts;
    if (head.size > largest)
        return fail(damage(error(Errc::too_large, "expected a block of up to {} bytes, found one of {}",
                                 largest, head.size)));
    TRY(const bool is_there, fill(head.size));
    if (!is_there)
        return fail(
            damage(error(Errc::truncated, "the file ends inside a block of {} bytes, after {} of them",
                         head.size, waiting())));
    const auto* at = buffer_.data() + start_;
    const auto again = number<std::uint32_t>(at + head.size - 4);
    if (again != head.size)
        return fail(damage(error(Errc::bad_value, "expected the length {} at the end of a block, found {}",
                                 head.size, again)));
    return Bytes(at + k_block_head, head.size - k_block_frame);
}

Result<void> CaptureReader::skip(const Head& head) {
    std::size_t left = head.size;
    while (left > waiting()) {
        left -= waiting();
        start_ = end_ = 0;
        TRY(const auto got, source_->read(buffer_));
        if (got == 0)
            return fail(
                damage(error(Errc::truncated, "the file ends inside a block of {} bytes, after {} of them",
                             head.size, head.size - left)));
        end_ = got;
    }
    start_ += left;
    facts_.bytes += head.size;
    return {};
}

template <typename Take>
void CaptureReader::each_option(Bytes options, Take take) const {
    Reader in(options);
    while (in.remaining() >= 4) {
        const auto* at = in.take(4).data();
        const auto code = static_cast<Option>(number<std::uint16_t>(at));
        const auto size = number<std::uint16_t>(at + 2);
        if (code == Option::end || size > in.remaining()) return;
        take(code, in.take(size));
        in.skip(std::min(in.remaining(), padded(size) - size));
    }
}

Result<void> CaptureReader::read_section(Bytes body) {
    constexpr std::size_t k_fixed = 16;
    if (body.size() < k_fixed)
        return fail(damage(error(Errc::truncated, "expected a section of {} bytes or more, found {}",
                                 k_fixed + k_block_frame, body.size() + k_block_frame)));
    if (const auto major = number<std::uint16_t>(body.data() + 4); major != 1)
        return fail(damage(error(Errc::unsupported, "expected version 1 of pcapng, found {}", major)));
    has_section_ = true;
    known_.reset();
    interfaces_.clear();
    dropped_.clear();
    each_option(body.subspan(k_fixed), [&](Option code, Bytes value) {
        if (code == Option::section_program) facts_.program = as_text(value);
    });
    return {};
}

Result<void> CaptureReader::read_interface(Bytes body) {
    if (body.size() < k_block_head)
        return fail(damage(error(Errc::truncated, "expected an interface of 20 bytes or more, found {}",
                                 body.size() + k_block_frame)));
    if (interfaces_.size() >= k_most_interfaces)
        return fail(
            damage(error(Errc::too_large, "expected up to {} interfaces, found more", k_most_interfaces)));
    Interface interface;
    interface.link = number<std::uint16_t>(body.data());
    each_option(body.subspan(k_block_head), [&](Option code, Bytes value) {
        if (code == Option::interface_resolution && !value.empty()) interface.resolution = value[0];
        if (code == Option::interface_offset && value.size() == sizeof(std::int64_t))
            interface.offset = number<std::int64_t>(value.data());
    });
    known_.reset();
    interfaces_.push_back(interface);
    dropped_.push_back(0);
    return {};
}

/// The last ones of an interface count for all of its section.
void CaptureReader::read_statistics(Bytes body) {
    constexpr std::size_t k_fixed = 12;
    if (body.size() < k_fixed) return;
    const auto interface = number<std::uint32_t>(body.data());
    if (interface >= dropped_.size()) return;
    each_option(body.subspan(k_fixed), [&](Option code, Bytes value) {
        if (code != Option::statistics_dropped || value.size() != sizeof(std::uint64_t)) return;
        const auto now = number<std::uint64_t>(value.data());
        facts_.dropped += now - dropped_[interface];
        dropped_[interface] = now;
    });
}

/// All in unsigned numbers: what a damaged file says is no time, but no harm either.
std::int64_t CaptureReader::nanoseconds(const Interface& interface, std::uint64_t time) const {
    constexpr std::uint64_t k_second = 1'000'000'000;
    constexpr unsigned k_binary = 0x80;
    const unsigned places = interface.resolution & (k_binary - 1);
    const auto offset = static_cast<std::uint64_t>(interface.offset) * k_second;
    if ((interface.resolution & k_binary) != 0) {
        if (places > 63) return static_cast<std::int64_t>(offset);
        const auto seconds = time >> places;
        auto part = time & ((std::uint64_t{1} << places) - 1);
        auto shift = places;
        for (; shift > 32; --shift) part >>= 1; // so that the product fits
        return static_cast<std::int64_t>(offset + seconds * k_second + (part * k_second >> shift));
    }
    if (places <= 9) return static_cast<std::int64_t>(offset + time * k_powers[9 - places]);
    if (places - 9 >= k_powers.size()) return static_cast<std::int64_t>(offset);
    return static_cast<std::int64_t>(offset + time / k_powers[places - 9]);
}

Result<std::optional<Record>> CaptureReader::read_packet(Bytes body, bool is_simple) {
    const std::size_t fixed = is_simple ? 4 : 20;
    if (body.size() < fixed)
        return fail(damage(error(Errc::truncated, "expected a record of {} bytes or more, found {}",
                                 fixed + k_block_frame, body.size() + k_block_frame)));
    const auto index = is_simple ? 0 : number<std::uint32_t>(body.data());
    if (index >= interfaces_.size())
        return fail(damage(error(Errc::bad_value, "expected one of {} interfaces, found number {}",
                                 interfaces_.size(), index)));
    const auto& interface = interfaces_[index];
    std::size_t here = 0;
    std::size_t original = 0;
    Record record;
    if (is_simple) {
        original = number<std::uint32_t>(body.data());
        here = std::min(original, body.size() - fixed);
        record.time = last_time_;
    } else {
        const auto high = number<std::uint32_t>(body.data() + 4);
        const auto low = number<std::uint32_t>(body.data() + 8);
        record.time = nanoseconds(interface, static_cast<std::uint64_t>(high) << 32 | low);
        here = number<std::uint32_t>(body.data() + 12);
        original = number<std::uint32_t>(body.data() + 16);
        last_time_ = record.time;
    }
    if (here > body.size() - fixed)
        return fail(damage(error(Errc::bad_value, "expected a record of up to {} bytes, found one of {}",
                                 body.size() - fixed, here)));
    if (interface.link != k_exported_pdu) return std::nullopt;
    TRY(const bool is_ours, read_content(body.subspan(fixed, here), record));
    if (!is_ours) return std::nullopt;
    record.length = record.frame.size() + (original > here ? original - here : 0);
    bool has_comment = false;
    if (!is_simple)
        read_comments(body.subspan(fixed + std::min(padded(here), body.size() - fixed)), record, has_comment);
    if (!has_comment || record.build_name.empty() || record.session == 0) guess(record);
    look_up_build(record);
    return record;
}

Result<bool> CaptureReader::read_content(Bytes content, Record& out) {
    Reader in(content);
    std::string_view dissector;
    for (;;) {
        const auto tag = static_cast<Tag>(in.be<std::uint16_t>());
        const auto size = in.be<std::uint16_t>();
        const auto value = in.take(size);
        if (!in.ok())
            return fail(damage(error(Errc::truncated, "the tags of a record do not end within its {} bytes",
                                     content.size())));
        if (tag == Tag::end) break;
        in.skip(std::min(in.remaining(), padded(size) - size));
        const auto address = [&](Endpoint& endpoint, std::size_t wanted) {
            if (value.size() != wanted) return;
            std::ranges::copy(value, endpoint.address.begin());
            endpoint.size = static_cast<std::uint8_t>(wanted);
        };
        const auto port = [&](Endpoint& endpoint) {
            if (value.size() == 4)
                endpoint.port = static_cast<std::uint16_t>(load_be<std::uint32_t>(value.data()));
        };
        switch (tag) {
        case Tag::dissector: {
            dissector = as_text(value); // some fill it up with zeros inside of its length
            dissector = dissector.substr(0, dissector.find('\0'));
            break;
        }
        case Tag::ipv4_source: address(out.source, 4); break;
        case Tag::ipv4_destination: address(out.destination, 4); break;
        case Tag::ipv6_source: address(out.source, 16); break;
        case Tag::ipv6_destination: address(out.destination, 16); break;
        case Tag::source_port: port(out.source); break;
        case Tag::destination_port: port(out.destination); break;
        default: break;
        }
    }
    out.frame = in.rest();
    if (!dissector.empty()) return dissector == k_dissector;
    return out.source.port == k_game_port || out.destination.port == k_game_port;
}

void CaptureReader::read_comments(Bytes options, Record& out, bool& has_comment) {
    each_option(options, [&](Option code, Bytes value) {
        if (code == Option::comment && read_comment(as_text(value), out)) has_comment = true;
    });
}

/// What a record does not say itself: its direction by the ports, its session by the addresses, its build by
/// the Connect of that session.
void CaptureReader::guess(Record& out) {
    if (!out.to && out.destination.port != out.source.port) {
        if (out.destination.port == k_game_port) out.to = Side::server;
        if (out.source.port == k_game_port) out.to = Side::client;
    }
    std::string key;
    if (out.session > 0) {
        key = std::to_string(out.session);
    } else {
        if (!out.to) return;
        const auto& client = *out.to == Side::server ? out.source : out.destination;
        if (client.size == 0) return;
        key.assign(1, '/');
        key.append(as_text(client.bytes()));
        key.push_back(static_cast<char>(client.port >> 8));
        key.push_back(static_cast<char>(client.port));
    }
    auto found = conversations_.find(key);
    if (found == conversations_.end()) {
        if (conversations_.size() >= k_most_conversations) return;
        known_.reset();
        found = conversations_.try_emplace(std::move(key), Conversation{conversations_.size() + 1}).first;
    }
    auto& conversation = found->second;
    if (out.session == 0) out.session = conversation.number;
    if (!out.build_name.empty()) return;
    if (out.id() == k_connect && out.to == Side::server && out.is_whole()) {
        auto said = build_of_connect(out.frame.subspan(protocol::k_frame_header));
        known_.reset();
        conversation.build = said.build;
        conversation.build_name = std::move(said.name);
    }
    out.build_name = conversation.build_name;
    out.build = conversation.build;
}

void CaptureReader::look_up_build(Record& out) {
    if (out.build != nullptr) return;
    if (out.build_name.empty()) {
        if (usual_build_ != nullptr) out.set_build(*usual_build_);
        return;
    }
    if (known_name_ != out.build_name) {
        known_name_ = out.build_name;
        known_build_ = protocol::find_build(known_name_);
    }
    out.build = known_build_;
}

} // namespace orbis::capture
