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
