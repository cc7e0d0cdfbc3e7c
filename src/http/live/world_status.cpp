#include "http/live/world_status.hpp"

#include "bytes/json_writer.hpp"

#include <filesystem>

namespace orbis::http {

namespace {

std::string relative_to(std::string_view place, const std::string& file) {
    const auto base = std::filesystem::path(place).lexically_normal();
    const auto path = std::filesystem::path(file).lexically_normal();
    const auto relative = path.lexically_relative(base);
    if (relative.empty() || *relative.begin() == "..") return path.filename().string();
    return relative == "." ? path.filename().string() : relative.string();
}

std::string_view state_name(WorldStatus::State state) {
    switch (state) {
    case WorldStatus::State::opening: return "opening";
    case WorldStatus::State::ready: return "ready";
    case WorldStatus::State::failed: break;
    }
    return "failed";
}

void write(JsonWriter& json, const watch::WorldProblem& problem, std::string_view place) {
    const auto& [region, error] = problem;
    json.object().member("file", relative_to(place, error.file)).key("region");
    if (region)
        json.array().number(region->x).number(region->z).end();
    else
        json.null();
    json.member("error", name(error.code)).member("message", error.problem).member("advice", error.advice);
    json.end();
}

} // namespace

std::string worlds_json(std::span<const WorldStatus> worlds, std::string_view place) {
    JsonWriter json;
    json.object().key("worlds").array();
    for (const auto& world : worlds) {
        json.object().member("name", world.name).member("folder", world.folder);
        json.member("state", state_name(world.state)).key("problems").array();
        for (const auto& problem : world.problems) write(json, problem, place);
        json.end().member("left_out", world.left_out).end();
    }
    json.end().end();
    return json.take();
}

} // namespace orbis::http
