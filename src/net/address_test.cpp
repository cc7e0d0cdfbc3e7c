#include "net/address.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

TEST(Address, IsWrittenAsPeopleWriteIt) {
    EXPECT_EQ(Address::loopback_v4(5520).text(), "127.0.0.1:5520");
    EXPECT_EQ(Address::loopback_v6(80).text(), "[::1]:80");
    EXPECT_EQ(Address().text(), "no address");
}

TEST(Address, AllLoopbackAddressesAreOneHost) {
    EXPECT_TRUE(Address::loopback_v4(1).is_same_host(Address::loopback_v6(2)));
    EXPECT_FALSE(Address::loopback_v4(1).is_same_host(Address::any_v4(1)));
    EXPECT_TRUE(Address::any_v4(1).is_same_host(Address::any_v4(2)));
}

TEST(HostPort, ReadsEveryForm) {
    const auto expect = [](std::string_view text, std::string_view host, std::uint16_t port) {
        const auto read = parse_host_port(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(read->host, host);
        EXPECT_EQ(read->port, port);
    };
    expect("example.org", "example.org", 5520);
    expect("example.org:7", "example.org", 7);
    expect("::1", "::1", 5520);
    expect("[::1]", "::1", 5520);
    expect("[::1]:65535", "::1", 65535);
}

TEST(Address, IsTheSameHostWhateverThePort) {
    const auto address = [](const char* host, std::uint16_t port = 1) {
        return resolve({host, port})->front();
    };
    EXPECT_TRUE(address("192.0.2.1", 1).is_same_host(address("192.0.2.1", 2)));
    EXPECT_FALSE(address("192.0.2.1").is_same_host(address("192.0.2.2")));
    EXPECT_TRUE(address("2001:db8::1", 1).is_same_host(address("2001:db8::1", 2)));
    EXPECT_FALSE(address("2001:db8::1").is_same_host(address("2001:db8::2")));
    EXPECT_FALSE(address("2001:db8::1").is_same_host(address("2001:db9::1")));
    EXPECT_TRUE(address("127.0.0.1").is_same_host(address("::1"))) << "both are this machine";
    EXPECT_TRUE(address("127.0.0.1").is_same_host(address("127.9.9.9")));
    EXPECT_FALSE(address("192.0.2.1").is_same_host(address("2001:db8::1")));
    EXPECT_NE(address("192.0.2.1", 1), address("192.0.2.1", 2));
    EXPECT_NE(address("2001:db8::1", 1), address("2001:db8::1", 2));
    EXPECT_NE(address("2001:db8::1"), address("2001:db8::2"));
    EXPECT_TRUE(address("::ffff:127.0.0.1").is_loopback());
    EXPECT_FALSE(address("::ffff:128.0.0.1").is_loopback());
    EXPECT_FALSE(address("126.255.255.255").is_loopback());
    EXPECT_EQ(address("2001:db8::1", 7).text(), "[2001:db8::1]:7");
    EXPECT_EQ(Address().text(), "no address");
    auto moved = address("2001:db8::1");
    moved.set_port(9);
    EXPECT_EQ(moved.port(), 9);
}

TEST(HostPort, RefusesWhatIsNone) {
    for (const auto* text :
         {"bad host", "host :1", "", ":1", "a:", "a:0", "a:65536", "a:x", "[::1", "[]", "[::1]x", "[::1]:"})
        EXPECT_FALSE(parse_host_port(text)) << text;
}

TEST(Resolve, KnowsLoopbackAndRefusesNonsense) {
    const auto found = resolve({"127.0.0.1", 9});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->front(), Address::loopback_v4(9));
    const auto missing = resolve({"no such name", 9});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    const auto number = resolve({"5520", 9}); // 0.0.21.144 to the system
    ASSERT_FALSE(number);
    EXPECT_EQ(number.error().code, Errc::usage);
}

} // namespace
} // namespace orbis::net
