#include "http/host_check.hpp"

#include <algorithm>
#include <array>
#include <strings.h>
#include <unistd.h>

namespace orbis::http {

namespace {

bool equal_names(std::string_view a, std::string_view b) {
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace

HostCheck::HostCheck(Address address, std::vector<std::string> allowed)
    : address_(address), allowed_(std::move(allowed)) {
    std::array<char, 256> name{};
    if (!address_.is_loopback() && gethostname(name.data(), name.size() - 1) == 0) machine_ = name.data();
}

bool HostCheck::allows(std::string_view value) const {
    if (value.size() > 256) return false;
    // The port is not compared: a tunnel may lead here from another one.
    auto host = value;
    if (const auto colon = value.rfind(':'); colon != std::string_view::npos && value.back() != ']') {
        host = value.substr(0, colon);
        if (value.substr(colon + 1).find_first_not_of("0123456789") != std::string_view::npos) return false;
    }
    if (equal_names(host, "localhost")) return true;
    if (!machine_.empty() && equal_names(host, machine_)) return true;
    if (std::ranges::any_of(allowed_, [&](const auto& name) { return equal_names(host, name); })) return true;
    const auto literal = parse_address(std::string(host) + ":0");
    if (!literal) return false;
    if (literal->is_loopback()) return true;
    if (address_.is_loopback()) return false;
    return address_.is_any() || (literal->is_v6 == address_.is_v6 && literal->bytes == address_.bytes);
}

Result<void> check_host_name(std::string_view name) {
    constexpr std::string_view k_letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    constexpr std::size_t k_longest = 253;
    if (!name.empty() && name.size() <= k_longest && name.find_first_not_of(k_letters) == name.npos)
        return {};
    return fail(error(Errc::usage, "not a host name: {}", name)
                    .advise("write it like map.example.org, without http:// and without a port"));
}

} // namespace orbis::http
