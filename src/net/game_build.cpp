#include "net/game_build.hpp"

#include "protocol/dialect.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

Result<const protocol::BuildInfo*> find_spoken(std::string_view text) {
    const auto* build = protocol::find_build(text);
    if (build != nullptr && build->is_spoken) return build;
    return fail(error(Errc::unknown_kind, "orbis does not speak build '{}'", text)
                    .advise("it speaks " + names_of(spoken_builds())));
}

} // namespace

GameBuild GameBuild::current() { return of(*protocol::find_build(protocol::k_default_build)); }

GameBuild GameBuild::of(const protocol::BuildInfo& build) {
    GameBuild made{.crc = build.crc.value_or(0),
                   .number = build.build_number,
                   .version = std::string(build.build),
                   .dialect = protocol::Dialect::of(build)};
    if (made.dialect != nullptr) made.protocol = made.dialect->protocol();
    return made;
}

Result<GameBuild> GameBuild::find(std::string_view text) {
    TRY(const auto* build, find_spoken(text));
    return of(*build);
}

std::vector<const protocol::BuildInfo*> spoken_builds() {
    std::vector<const protocol::BuildInfo*> spoken;
    for (const auto& build : protocol::builds())
        if (build.is_spoken) spoken.push_back(&build);
    return spoken;
}

Result<std::vector<const protocol::BuildInfo*>> find_spoken_builds(std::string_view list) {
    std::vector<const protocol::BuildInfo*> found;
    for (std::size_t at = 0; at <= list.size();) {
        const auto end = std::min(list.find(',', at), list.size());
        TRY(const auto* build, find_spoken(list.substr(at, end - at)));
        if (std::ranges::find(found, build) == found.end()) found.push_back(build);
        at = end + 1;
    }
    return found;
}

std::string names_of(const std::vector<const protocol::BuildInfo*>& builds) {
    std::string names;
    for (const auto* build : builds) {
        if (!names.empty()) names += ", ";
        names += build->build;
    }
    return names;
}

} // namespace orbis::net
