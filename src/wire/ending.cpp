#include "wire/ending.hpp"

#include "bytes/json_writer.hpp"

#include <fmt/format.h>

namespace orbis::wire {

namespace {

constexpr std::size_t k_most_said = 300; ///< bytes of a peer's words in a line for people

} // namespace

Ending ending_of(const net::Close& close, const std::optional<std::string>& said) {
    static_assert(static_cast<int>(CloseCode::server_outdated)
                      == static_cast<int>(net::CloseCode::server_outdated)
                  && static_cast<int>(CloseCode::timeout) == static_cast<int>(net::CloseCode::timeout));
    Ending ending;
    ending.has_code = close.kind == net::Close::Kind::application && close.code <= 6;
    if (ending.has_code) ending.code = static_cast<CloseCode>(close.code);
    ending.by_peer = close.by_peer;
    ending.reason = said ? *said : close.reason;
    ending.text = close.text();
    if (said && !said->empty()) ending.text += ": " + json_quoted(said->substr(0, k_most_said));
    return ending;
}

} // namespace orbis::wire
