#include "bytes/hex.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "capture/capture_reader.hpp"
#include "capture/made_records_test.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace orbis::capture {
namespace {

/// What comes out of a file: its records with their frames, and how it ended.
struct Read {
    std::vector<Record> records;
    std::vector<Buffer> frames;
    std::vector<std::string> builds;
    std::optional<Error> damage;
    CaptureFacts facts;
};

Read read_all(Bytes file) {
    CaptureReader reader(source_of(file), "file");
    Read out;
    for (;;) {
        auto next = reader.next();
        if (!next) {
            out.damage = next.error();
            break;
        }
        if (!*next) break;
        out.records.push_back(**next);
        out.frames.emplace_back((*next)->frame.begin(), (*next)->frame.end());
        out.builds.emplace_back((*next)->build_name);
    }
    out.facts = reader.facts();
    EXPECT_FALSE(reader.next().value_or(std::nullopt)) << "nothing comes after the end";
    return out;
}

/// A block of the kind that other programs write.
void add_block(Buffer& out, std::uint32_t type, Bytes body) {
    Writer to(out);
    const auto size = static_cast<std::uint32_t>(body.size() + 12);
    to.le(type);
    to.le(size);
    to.bytes(body);
    to.le(size);
}

Buffer start_of_file() {
    Buffer out;
    append_file_start(out, "test");
    return out;
}

/// A record without a comment.
Buffer foreign_record(std::uint16_t from, std::uint16_t to, Bytes frame,
                      std::string_view dissector = "hytale") {
    Buffer content;
    Writer tags(content);
    const auto tag = [&](Tag number, Bytes value) {
        tags.be(static_cast<std::uint16_t>(number));
        tags.be(static_cast<std::uint16_t>(value.size()));
        tags.bytes(value);
        while (content.size() % 4 != 0) tags.u8(0);
    };
    if (!dissector.empty()) tag(Tag::dissector, as_bytes(dissector));
    const std::array<std::uint8_t, 4> client{198, 51, 100, 7};
    const std::array<std::uint8_t, 4> server{198, 51, 100, 8};
    tag(Tag::ipv4_source, from == k_game_port ? server : client);
    tag(Tag::ipv4_destination, to == k_game_port ? server : client);
    const auto port = [&](Tag number, std::uint32_t value) {
        std::array<std::uint8_t, 4> bytes{};
        store_be(bytes.data(), value);
        tag(number, bytes);
    };
    port(Tag::source_port, from);
    port(Tag::destination_port, to);
    tag(Tag::end, {});
    tags.bytes(frame);
    Buffer body;
    Writer out(body);
    out.le(std::uint32_t{0});
    out.le(std::uint32_t{0});
    out.le(std::uint32_t{7}); // 7 ns
    out.le(static_cast<std::uint32_t>(content.size()));
    out.le(static_cast<std::uint32_t>(content.size()));
    out.bytes(content);
    while (body.size() % 4 != 0) out.u8(0);
    return body;
}

TEST(CaptureReader, GivesBackWhatWasWritten) {
    const auto visit = made::visit();
    const auto read = read_all(visit.file());
    ASSERT_FALSE(read.damage) << read.damage->text();
    ASSERT_EQ(read.records.size(), visit.all().size());
    for (std::size_t at = 0; at < read.records.size(); ++at) {
        const auto& is = read.records[at];
        const auto& was = visit.all()[at];
        EXPECT_EQ(is.time, was.time);
        EXPECT_EQ(is.to, was.to);
        EXPECT_EQ(is.channel, was.channel);
        EXPECT_EQ(is.stream, was.stream);
        EXPECT_EQ(is.session, was.session);
        EXPECT_EQ(is.build, was.build);
        EXPECT_EQ(read.builds[at], "2026.02.17");
        EXPECT_EQ(is.length, was.length);
        EXPECT_EQ(read.frames[at], Buffer(was.frame.begin(), was.frame.end()));
    }
    EXPECT_EQ(read.facts.program, "orbis test");
    EXPECT_EQ(read.facts.bytes, visit.file().size());
}

TEST(CaptureReader, RealAddressesStayAndOthersAreMadeUp) {
    made::Records records;
    auto& known = records.add(Side::client, "SetClientId", R"({"clientId":1})", 7);
    known.source = {{203, 0, 113, 9}, 4, 5520};
    known.destination = {{0x20, 0x01, 0x0d, 0xb8}, 16, 1234};
    records.add(Side::server, "ChatMessage", R"({"message":"a"})", 258);
    const auto read = read_all(records.file());
    ASSERT_EQ(read.records.size(), 2U);
    EXPECT_EQ(read.records[0].source.text(), "203.0.113.9:5520");
    EXPECT_EQ(read.records[0].destination.text(), "[2001:db8::]:1234");
    EXPECT_EQ(read.records[1].source.text(), "10.0.1.2:49152");
    EXPECT_EQ(read.records[1].destination.text(), "192.0.2.1:5520");
}

TEST(CaptureReader, ReadsTheOtherByteOrder) {
    Buffer file;
    Writer out(file);
    const auto block = [&](std::uint32_t type, const auto& body) {
        const auto at = file.size();
        out.be(type);
        out.be(std::uint32_t{0});
        body();
        while (file.size() % 4 != 0) out.u8(0);
        const auto size = static_cast<std::uint32_t>(file.size() - at + 4);
        out.be(size);
        store_be(file.data() + at + 4, size);
    };
    block(0x0A0D0D0A, [&] {
        out.be(k_byte_order);
        out.be(std::uint16_t{1});
        out.be(std::uint16_t{0});
        out.be(std::int64_t{-1});
    });
    block(1, [&] { // microseconds: nothing is said about times
        out.be(k_exported_pdu);
        out.be(std::uint16_t{0});
        out.be(std::uint32_t{0});
    });
    const auto frame = made::frame("SetClientId", R"({"clientId":42})");
    const auto native = foreign_record(k_game_port, 40'000, frame);
    const auto content = Bytes(native).subspan(20);
    block(6, [&] {
        out.be(std::uint32_t{0});
        out.be(std::uint32_t{0});
        out.be(std::uint32_t{5});
        out.be(static_cast<std::uint32_t>(content.size()));
        out.be(static_cast<std::uint32_t>(content.size()));
        out.bytes(content);
        const std::string_view comment = "hytale to=client session=9 build=0.5.1";
        out.be(std::uint16_t{1});
        out.be(static_cast<std::uint16_t>(comment.size()));
        out.bytes(as_bytes(comment));
    });
    const auto read = read_all(file);
    ASSERT_FALSE(read.damage) << read.damage->text();
    ASSERT_EQ(read.records.size(), 1U);
    EXPECT_EQ(read.records[0].time, 5000);
    EXPECT_EQ(read.records[0].session, 9U);
    EXPECT_EQ(read.records[0].to, Side::client);
    ASSERT_NE(read.records[0].build, nullptr);
    EXPECT_EQ(read.records[0].build->build, "0.5.1");
    EXPECT_EQ(read.frames[0], frame);
}

TEST(CaptureReader, LearnsFromConnectWhatOthersDoNotWrite) {
    auto file = start_of_file();
    const auto connect = made::frame("Connect", made::k_connect_json);
    const auto accept = made::frame("SetClientId", R"({"clientId":1})");
    add_block(file, 6, foreign_record(k_game_port, 40'001, accept));
    add_block(file, 6, foreign_record(40'000, k_game_port, connect));
    add_block(file, 6, foreign_record(k_game_port, 40'000, accept, ""));
    add_block(file, 6, foreign_record(53, 40'000, accept, "dns"));
    const auto read = read_all(file);
    ASSERT_FALSE(read.damage) << read.damage->text();
    ASSERT_EQ(read.records.size(), 3U);
    EXPECT_EQ(read.facts.others, 1U);
    EXPECT_EQ(read.records[0].to, Side::client);
    EXPECT_EQ(read.records[0].build, nullptr);
    EXPECT_EQ(read.records[0].session, 1U);
    EXPECT_EQ(read.records[1].to, Side::server);
    EXPECT_EQ(read.records[1].session, 2U);
    EXPECT_EQ(read.builds[1], "2026.02.17");
    EXPECT_EQ(read.records[2].session, 2U);
    EXPECT_EQ(read.builds[2], "2026.02.17");
    EXPECT_EQ(read.records[2].time, 7);
}

TEST(CaptureReader, SkipsWhatItDoesNotKnow) {
    const auto visit = made::visit();
    auto file = start_of_file();
    add_block(file, 0x0BAD, Buffer(300'000, 0xFF)); // larger than the buffer
    add_block(file, 4, Buffer(8, 1));
    append_counts(file, 1, 10, 3);
    append_record(file, visit.all()[0]);
    append_counts(file, 1, 20, 5);
    const auto read = read_all(file);
    ASSERT_FALSE(read.damage) << read.damage->text();
    EXPECT_EQ(read.records.size(), 1U);
    EXPECT_EQ(read.facts.skipped, 2U);
    EXPECT_EQ(read.facts.dropped, 5U);
}

TEST(CaptureReader, EveryCutIsReadUpToTheDamage) {
    const auto visit = made::visit();
    const auto file = visit.file();
    Buffer before;
    append_file_start(before, "orbis test");
    std::vector<std::size_t> ends{before.size()};
    const std::size_t after_section = load_le<std::uint32_t>(before.data() + 4);
    for (const auto& record : visit.all()) {
        append_record(before, record);
        ends.push_back(before.size());
    }
    for (std::size_t size = 0; size < file.size(); ++size) {
        const auto read = read_all(Bytes(file).first(size));
        const auto whole = std::ranges::find(ends, size) != ends.end();
        EXPECT_EQ(read.damage.has_value(), !whole && size != after_section) << size;
        std::size_t records = 0;
        while (records + 1 < ends.size() && ends[records + 1] <= size) ++records;
        ASSERT_EQ(read.records.size(), records) << size;
        if (read.damage) {
            EXPECT_EQ(read.damage->code, Errc::truncated) << read.damage->text();
        }
    }
}

std::string without_advice(const Read& read) {
    if (!read.damage) return "";
    auto damage = *read.damage;
    damage.advice.clear();
    return damage.text();
}

TEST(CaptureReader, DamageIsASentenceWithItsPlace) {
    const auto visit = made::visit();
    Buffer start = start_of_file();
    const auto at = start.size();
    append_record(start, visit.all()[0]);
    const auto said = [&](std::size_t where, std::uint32_t value) {
        auto file = start;
        store_le(file.data() + at + where, value);
        return without_advice(read_all(file));
    };
    const auto here = "file: offset " + std::to_string(at) + ": ";
    const auto size = static_cast<std::uint32_t>(start.size() - at);
    EXPECT_EQ(said(4, 13), here + "expected the length of a block, found 13");
    EXPECT_EQ(said(4, 0), here + "expected the length of a block, found 0");
    EXPECT_EQ(said(4, 0xFFFFFFFC),
              here + "expected a block of up to 167772160 bytes, found one of 4294967292");
    EXPECT_EQ(said(4, size + 4), here + "the file ends inside a block of " + std::to_string(size + 4)
                                     + " bytes, after " + std::to_string(size) + " of them");
    EXPECT_EQ(said(size - 4, 8),
              here + "expected the length " + std::to_string(size) + " at the end of a block, found 8");
    EXPECT_EQ(said(8, 1), here + "expected one of 1 interfaces, found number 1");
    EXPECT_EQ(said(20, 0x7FFFFFFF), here + "expected a record of up to " + std::to_string(size - 32)
                                        + " bytes, found one of 2147483647");
    EXPECT_EQ(said(28, 0xFFFFFFFF).substr(0, here.size() + 24), here + "the tags of a record do ");
    EXPECT_EQ(without_advice(read_all({})), "file: offset 0: the file is empty");
    EXPECT_EQ(without_advice(read_all(as_bytes("not a capture at all"))),
              "file: offset 0: this is not a capture: expected a pcapng file");
    Buffer pcap{0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0};
    EXPECT_EQ(read_all(pcap).damage->text(),
              "file: offset 0: this is a pcap file; only pcapng files can be read (convert it: editcap -F "
              "pcapng OLD NEW)");
}

TEST(CaptureReader, DamageComesWithWhatToDoNext) {
    const auto file = made::visit().file();
    EXPECT_EQ(read_all(Bytes(file).first(file.size() - 1)).damage->advice,
              "the frames before this are sound; to keep them: orbis capture filter file NEW");
    EXPECT_EQ(read_all(Bytes(file).first(start_of_file().size() + 20)).damage->advice,
              "it has no frame before this: use another capture");
    EXPECT_EQ(read_all({}).damage->advice,
              "captures are made with --capture FILE by orbis serve, orbis bot and orbis proxy");
}

TEST(CaptureReader, AnyBytesAreNoHarm) {
    SEEDED_RANDOM(random);
    const auto file = made::visit().file();
    for (int turn = 0; turn < 3000; ++turn) {
        auto changed = file;
        for (int change = 0; change < 4; ++change)
            changed[random() % (turn % 2 == 0 ? changed.size() : 400)] = static_cast<std::uint8_t>(random());
        (void)read_all(changed);
    }
}

TEST(CaptureReader, TimesOfAllResolutions) {
    const auto time_with = [](std::uint8_t resolution, std::uint64_t time, std::int64_t offset) {
        Buffer file;
        Writer out(file);
        append_file_start(file, "x");
        Buffer interface;
        Writer body(interface);
        body.le(k_exported_pdu);
        body.le(std::uint16_t{0});
        body.le(std::uint32_t{0});
        body.le(std::uint16_t{9});
        body.le(std::uint16_t{1});
        body.le(static_cast<std::uint32_t>(resolution));
        body.le(std::uint16_t{14});
        body.le(std::uint16_t{8});
        body.le(offset);
        add_block(file, 1, interface);
        auto record = foreign_record(k_game_port, 1, made::frame("SetClientId", R"({"clientId":1})"));
        store_le(record.data(), std::uint32_t{1});
        store_le(record.data() + 4, static_cast<std::uint32_t>(time >> 32));
        store_le(record.data() + 8, static_cast<std::uint32_t>(time));
        add_block(file, 6, record);
        return read_all(file).records.at(0).time;
    };
    EXPECT_EQ(time_with(9, 1'234'567'890'123, 0), 1'234'567'890'123);
    EXPECT_EQ(time_with(6, 1'234'567, 10), 11'234'567'000);
    EXPECT_EQ(time_with(0, 3, -1), 2'000'000'000);
    EXPECT_EQ(time_with(12, 5'000, 0), 5);
    EXPECT_EQ(time_with(127, 5'000, 0), 0);
    EXPECT_EQ(time_with(0x80 | 10, 1536, 0), 1'500'000'000);
    EXPECT_EQ(time_with(0x80 | 63, std::uint64_t{1} << 62, 0), 500'000'000);
    EXPECT_EQ(time_with(0xFF, 7, 0), 0);
}

TEST(CaptureReader, NeverWaitsForAPipeAndReadsNoDevice) {
    const test::TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", folder / "device");
    for (const auto* name : {"pipe", "device"}) {
        const auto reader = CaptureReader::open(folder / name);
        ASSERT_FALSE(reader) << name;
        EXPECT_EQ(reader.error().problem, "this is a device or a pipe, not a capture");
    }
}

/// Everything that a reader tells of a record, as one text.
std::string all_of(const Record& record) {
    std::string text = fmt::format("{} {} {} {} ", record.time, record.length, record.source.text(),
                                   record.destination.text());
    append_comment(text, record);
    return text + " " + to_hex(record.frame);
}

TEST(CaptureReader, GoesOnFromAnyPlaceAsTheFirstReaderDid) {
    // One file of ours, and one of others, whose records say neither session nor build.
    const auto visit = made::visit();
    auto foreign = start_of_file();
    for (const auto& record : visit.all()) {
        const bool is_up = record.to == Side::server;
        add_block(foreign, static_cast<std::uint32_t>(Block::packet),
                  foreign_record(is_up ? 40'000 : k_game_port, is_up ? k_game_port : 40'000, record.frame));
    }
    for (const auto& file : {visit.file(), foreign}) {
        const orbis::test::TemporaryFolder folder;
        const auto path = folder / "file.pcapng";
        std::ofstream(path, std::ios::binary) << as_text(file);
        auto reader = CaptureReader::open(path).value();
        std::vector<std::string> wanted;
        std::vector<CaptureReader::Place> places;
        for (;;) {
            const auto next = reader.next().value();
            if (!next) break;
            wanted.push_back(all_of(*next));
            places.push_back(reader.place());
        }
        ASSERT_EQ(wanted.size(), visit.all().size());
        for (std::size_t from = 0; from < places.size(); ++from) {
            auto later = CaptureReader::open_at(path, places[from]).value();
            for (auto at = from + 1; at < wanted.size(); ++at) {
                const auto next = later.next().value();
                ASSERT_TRUE(next) << from << " " << at;
                EXPECT_EQ(all_of(*next), wanted[at]) << from;
            }
            EXPECT_FALSE(later.next().value());
        }
        EXPECT_EQ(places[places.size() - 2].known, places.back().known) << "what is the same is shared";
    }
}

} // namespace
} // namespace orbis::capture
