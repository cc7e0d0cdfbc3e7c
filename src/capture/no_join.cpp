#include "capture/no_join.hpp"

#include "bytes/shell_quote.hpp"

namespace orbis::capture {

Error no_join(const std::filesystem::path& file, std::optional<std::uint64_t> player, bool is_damaged) {
    const auto list = "orbis capture info " + shell_quoted(file.string());
    const auto* where = is_damaged ? "this capture, as far as it can be read" : "this capture";
    if (player)
        return error(Errc::not_found, "player {} joins no world in {}", *player, where)
            .in_file(file.string())
            .advise("choose another one: " + list + " lists the players");
    return error(Errc::not_found, "nobody joins a world in {}", where)
        .in_file(file.string())
        .advise("take a capture that ran when a player joined; " + list + " tells what is in this one");
}

} // namespace orbis::capture
