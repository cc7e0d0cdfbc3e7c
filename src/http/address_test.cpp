#include "http/address.hpp"
#include "http/host_check.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace orbis::http {
namespace {

TEST(Address, IsReadAndPrinted) {
    for (const char* text : {"127.0.0.1:5521", "0.0.0.0:0", "[::1]:5521", "[::]:80", "192.168.1.20:65535"}) {
        const auto address = parse_address(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(address->text(), text);
    }
    EXPECT_EQ(parse_address("localhost:5521")->text(), "127.0.0.1:5521");
    for (const char* bad : {"", ":", "5521", "127.0.0.1", "127.0.0.1:", ":5521", "127.0.0.1:65536",
                            "127.0.0.1:-1", "127.0.0.1:x", "127.0.0.1:1 ", "::1:5521", "[::1]", "[]:1",
                            "[127.0.0.1]:1", "example.com:80", "1.2.3:4", "256.0.0.1:1"})
        EXPECT_FALSE(parse_address(bad)) << bad;
}

TEST(Address, AClientIsKnownByItsAddressOrItsNetwork) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(80);
    inet_pton(AF_INET, "192.168.1.20", &v4.sin_addr);
    EXPECT_EQ(client_name(reinterpret_cast<const sockaddr&>(v4)), "192.168.1.20");
    const auto name_of = [](const char* text) {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(80);
        EXPECT_EQ(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        return client_name(reinterpret_cast<const sockaddr&>(v6));
    };
    EXPECT_EQ(name_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    EXPECT_EQ(name_of("2001:db8:1:2:ffff::"), "2001:db8:1:2::");
    EXPECT_EQ(name_of("2001:db8:1:3::1"), "2001:db8:1:3::");
    EXPECT_EQ(name_of("::ffff:192.168.1.20"), "::ffff:192.168.1.20");
    EXPECT_EQ(client_name(sockaddr{}), "");
}

TEST(Address, KnowsWhoCanReachIt) {
    EXPECT_TRUE(parse_address("127.0.0.1:1")->is_loopback());
    EXPECT_TRUE(parse_address("127.8.0.1:1")->is_loopback());
    EXPECT_TRUE(parse_address("[::1]:1")->is_loopback());
    EXPECT_FALSE(parse_address("0.0.0.0:1")->is_loopback());
    EXPECT_FALSE(parse_address("[::]:1")->is_loopback());
    EXPECT_TRUE(parse_address("[::]:1")->is_any());
}

TEST(Address, ABusyPortIsNamedWithWhatToDo) {
    auto address = *parse_address("127.0.0.1:0");
    const auto first = listen_at(address);
    ASSERT_TRUE(first);
    EXPECT_NE(address.port, 0);
    const auto second = listen_at(address);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::busy);
    EXPECT_NE(second.error().text().find(fmt::format("port {} of 127.0.0.1 is in use", address.port)),
              std::string::npos);
    EXPECT_NE(second.error().advice.find("--http"), std::string::npos);
}

TEST(HostCheck, LoopbackAnswersToItsOwnNamesOnly) {
    const HostCheck check(*parse_address("127.0.0.1:5521"));
    for (const char* good : {"localhost", "LocalHost:5521", "127.0.0.1", "127.0.0.1:5521", "[::1]:5521",
                             "[::1]", "127.0.0.1:8080"})
        EXPECT_TRUE(check.allows(good)) << good;
    for (const char* bad :
         {"", "evil.example", "evil.example:5521", "localhost.evil.example", "127.0.0.1.evil.example",
          "192.168.1.20:5521", "localhost:", "localhost:x", "[::1", "[::2]:5521", "user@localhost",
          "localhost:5521:5521", "127.0.0.1:55x1", "localhost:-1", "localhost: 1", "[::1]:1x"})
        EXPECT_EQ(check.allows(bad), std::string_view(bad) == "localhost:") << bad;
}

TEST(HostCheck, NamesCanBeAllowed) {
    const HostCheck check(*parse_address("0.0.0.0:5521"), {"map.example.org", "maps"});
    for (const char* name : {"map.example.org", "MAP.example.org:5521", "maps:80", "localhost"})
        EXPECT_TRUE(check.allows(name)) << name;
    for (const char* name : {"example.org", "map.example.org.evil.example", "xmaps", "map"})
        EXPECT_FALSE(check.allows(name)) << name;
    EXPECT_TRUE(check_host_name("map.example.org"));
    for (const auto& name : {std::string(), std::string("http://map.example.org"), std::string("a:80"),
                             std::string("a b"), std::string(300, 'a')})
        EXPECT_FALSE(check_host_name(name)) << name;
}

TEST(HostCheck, LengthsAreExact) {
    const std::string longest(256, 'a');
    const HostCheck check(*parse_address("0.0.0.0:5521"), {longest, longest + "a"});
    EXPECT_TRUE(check.allows(longest));
    EXPECT_FALSE(check.allows(longest + "a"));
    EXPECT_TRUE(check_host_name(std::string(253, 'a')));
    EXPECT_FALSE(check_host_name(std::string(254, 'a')));
}

TEST(HostCheck, TheNetworkIsAnsweredByAddress) {
    const HostCheck any(*parse_address("0.0.0.0:5521"));
    EXPECT_TRUE(any.allows("192.168.1.20:5521"));
    EXPECT_TRUE(any.allows("localhost:5521"));
    EXPECT_FALSE(any.allows("evil.example:5521"));
    const HostCheck one(*parse_address("192.168.1.20:5521"));
    EXPECT_TRUE(one.allows("192.168.1.20:5521"));
    EXPECT_FALSE(one.allows("192.168.1.21:5521"));
    EXPECT_FALSE(one.allows("[c0a8:114::]:5521")) << "the same bytes, but of IPv6";
    const HostCheck six(*parse_address("[2001:db8::1]:5521"));
    EXPECT_TRUE(six.allows("[2001:db8::1]:5521"));
    EXPECT_FALSE(six.allows("[2001:db8::2]:5521"));
    EXPECT_FALSE(six.allows("32.1.13.184"));
}

} // namespace
} // namespace orbis::http
