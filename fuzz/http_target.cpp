// What a client of the map's server may send in a request line and as Host. Names that are accepted are
// plain, one name has one form, and a name of this machine stays one with a port behind it.

#include "http/host_check.hpp"
#include "http/target.hpp"
#include "target.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace orbis;

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    for (const std::string_view text :
         {"/api/tile/my%20world/slice@64/0/-1.2", "/worlds/a%2520b/tiles/surface/0/-1.2.0123456789abcdef.png",
          "/api/search/default?q=red+wool&kind=block,item&limit=10", "/..%2f..%2fetc/passwd",
          "127.0.0.1:5521", "[::1]:5521", "localhost"})
        made.emplace_back(text.begin(), text.end());
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = as_text({data, size});
    if (const auto target = http::parse_target(text)) {
        for (const auto& name : target->path) {
            fuzz::require(!name.empty() && name != "." && name != "..");
            fuzz::require(std::ranges::none_of(name, [](char c) {
                return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
            }));
            if (const auto tile = http::parse_tile_name(name))
                fuzz::require(fmt::format("{}.{}", tile->first, tile->second) == name);
        }
    }
    static const http::HostCheck check(http::parse_address("127.0.0.1:5521").value());
    if (check.allows(text)) {
        const bool has_port = text.find(':') != text.npos && !text.ends_with(']');
        fuzz::require(has_port || check.allows(std::string(text) + ":80"));
    }
    if (const auto address = http::parse_address(text)) {
        const auto again = http::parse_address(address->text());
        fuzz::require(again && again->bytes == address->bytes && again->port == address->port);
    }
    return 0;
}
