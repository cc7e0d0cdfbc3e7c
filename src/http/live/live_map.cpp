#include "http/live/live_map.hpp"

#include "http/live/background.hpp"
#include "map/content_hash.hpp"
#include "map/world_index.hpp"
#include "page/files.hpp"

#include <fmt/ranges.h>

namespace orbis::http {

namespace {

using namespace std::chrono_literals;

constexpr auto k_poll = 300ms;
constexpr std::size_t k_longest_question = 200;
constexpr std::int32_t k_most_results = 2000;

Error unknown_address() {
    return error(Errc::not_found, "there is nothing at this address").advise("the page is at /");
}

Error bad_request(std::string_view expected) { return error(Errc::usage, "expected {}", expected); }

/// `block,item`: which kinds a search is for.
bool read_kinds(std::string_view text, SearchQuestion& question) {
    question.blocks = question.items = question.entities = question.markers = false;
    while (true) {
        const auto comma = text.find(',');
        const auto kind = text.substr(0, comma);
        if (kind == "block")
            question.blocks = true;
        else if (kind == "item")
            question.items = true;
        else if (kind == "entity")
            question.entities = true;
        else if (kind == "marker")
            question.markers = true;
        else
            return false;
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

} // namespace

LiveMap::LiveMap(const world::Assets& assets, LiveOptions options, MapFiles files)
    : options_(std::move(options)),
      files_(std::move(files)),
      colours_(assets),
      queue_(std::max<std::size_t>(options_.threads, 2)) {}

Result<std::unique_ptr<LiveMap>> LiveMap::open(const world::Place& place, const world::Assets& assets,
                                               LiveOptions options, std::vector<Error>& problems) {
    TRY(auto files, MapFiles::open(options.cache));
    std::unique_ptr<LiveMap> live(new LiveMap(assets, std::move(options), std::move(files)));
    const LiveShared shared{live->queue_, live->events_, assets, live->colours_, live->stopping_};
    std::vector<std::string> folders;
    for (const auto& world : place.worlds) {
        auto opened = LiveWorld::open(place, world, live->options_.cache, shared);
        if (!opened) {
            problems.push_back(std::move(opened).error());
            continue;
        }
        folders.push_back((*opened)->folder());
        live->worlds_.push_back(*std::move(opened));
    }
    auto title = std::filesystem::absolute(place.path).lexically_normal();
    if (!title.has_filename()) title = title.parent_path();
    live->script_ = map::map_script(live->options_.program, title.filename().string(), true, folders);
    live->watcher_ = std::jthread([map = live.get()](const std::stop_token& stop) { map->watch(stop); });
    live->updater_ = std::jthread([map = live.get()](const std::stop_token& stop) { map->update(stop); });
    return live;
}

LiveMap::~LiveMap() {
    stopping_ = true;
    watcher_.request_stop();
    updater_.request_stop();
    watcher_ = {};
    updater_ = {};
    events_.close();
    queue_.stop();
}

bool LiveMap::rest(const std::stop_token& stop, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

void LiveMap::watch(const std::stop_token& stop) {
    auto pause = k_poll;
    while (rest(stop, pause)) {
        const auto begin = std::chrono::steady_clock::now();
        for (const auto& world : worlds_) world->poll();
        const auto took = std::chrono::steady_clock::now() - begin;
        // Thousands of files take their time: looking at them stays a small part of it.
        pause = std::max(
            k_poll, std::chrono::ceil<std::chrono::milliseconds>(std::min<decltype(took)>(took * 4, 2s)));
    }
}

void LiveMap::update(const std::stop_token& stop) {
    be_patient();
    while (rest(stop, 100ms)) {
        for (const auto& world : worlds_) {
            if (stop.stop_requested() || !world->wants_update()) continue;
            try {
                world->update();
            } catch (const Stopped&) {
                return;
            } catch (const std::exception& problem) {
                fmt::print(stderr, "orbis: the map of {} could not be updated: {}\n", world->name(),
                           problem.what());
                world->retry_later();
            }
        }
    }
}

LiveWorld* LiveMap::find(std::string_view name) {
    for (const auto& world : worlds_)
        if (world->folder() == name) return world.get();
    for (const auto& world : worlds_)
        if (world->name() == name) return world.get();
    return nullptr;
}

void LiveMap::answer(const Request& request, Responder responder) {
    const auto& path = request.target.path;
    if (path.empty() || path[0] == "index.html" || path[0] == "assets")
        return answer_page(path, std::move(responder));
    if (path[0] == "api") return answer_api(request.target, std::move(responder));
    answer_file(path, std::move(responder));
}

void LiveMap::answer_page(Path path, Responder responder) const {
    const auto* file = page::find(path.empty() ? "index.html" : fmt::format("{}", fmt::join(path, "/")));
    if (file != nullptr) {
        Response response;
        response.type = file->type;
        response.bytes = file->bytes;
        response.keep = path.size() > 1 ? Keep::forever : Keep::revalidate;
        response.etag = map::hash_text(map::content_hash(file->bytes));
        responder.answer(std::move(response));
    } else if (path.empty() && page::files().empty()) {
        responder.answer(
            Response::text(503, "text/plain; charset=utf-8", std::string(page::k_how_to_get_it) + "\n"));
    } else {
        responder.answer(Response::problem(unknown_address()));
    }
}

void LiveMap::answer_file(Path path, Responder responder) {
    if (path.size() == 1 && path[0] == "map.js") {
        auto response = Response::text(200, "text/javascript; charset=utf-8", script_);
        response.keep = Keep::revalidate;
        response.etag = map::hash_text(map::content_hash(as_bytes(script_)));
        return responder.answer(std::move(response));
    }
    auto response = files_.answer(path);
    if (response.status == 404 && path.size() == 3 && path[0] == "worlds" && path[2] == "world.js")
        if (auto* world = find(path[1])) return world->answer_index(std::move(responder));
    responder.answer(std::move(response));
}

void LiveMap::answer_api(const Target& target, Responder responder) {
    const Path path = target.path;
    if (path.size() == 2 && path[1] == "events") return answer_events(std::move(responder));
    if (path.size() < 3) return responder.answer(Response::problem(unknown_address()));
    auto* world = find(path[2]);
    if (world == nullptr)
        return responder.answer(Response::problem(
            error(Errc::not_found, "there is no world of this name").advise("/map.js lists the worlds")));
    const auto question = path[1];
    const auto rest = path.subspan(3);
    std::vector<std::int32_t> numbers;
    for (const auto& text : rest)
        if (const auto number = parse_integer(text)) numbers.push_back(*number);
    const bool all_numbers = numbers.size() == rest.size();
    if (question == "tile") return answer_tile(*world, rest, std::move(responder));
    if (question == "search" && rest.empty()) return answer_search(*world, target, std::move(responder));
    if (question == "findings" && rest.empty()) return world->answer_findings(std::move(responder));
    if (question == "block") {
        if (!all_numbers || numbers.size() != 3 || numbers[1] < 0 || numbers[1] >= k_world_height)
            return responder.answer(Response::problem(
                bad_request(fmt::format("/api/block/WORLD/X/Y/Z with y from 0 to {}", k_world_height - 1))));
        return world->answer_block({numbers[0], numbers[1], numbers[2]}, std::move(responder));
    }
    if (question == "column") {
        if (!all_numbers || numbers.size() != 2)
            return responder.answer(Response::problem(bad_request("/api/column/WORLD/X/Z")));
        const auto layer = map::parse_layer(target.value("layer").value_or("surface"));
        if (!layer) return responder.answer(Response::problem(400, layer.error()));
        return world->answer_column(numbers[0], numbers[1], *layer, std::move(responder));
    }
    responder.answer(Response::problem(unknown_address()));
}

void LiveMap::answer_tile(LiveWorld& world, Path rest, Responder responder) {
    const auto level = rest.size() == 3 ? parse_integer(rest[1]) : std::nullopt;
    const auto pos = rest.size() == 3 ? parse_tile_name(rest[2]) : std::nullopt;
    const auto layer = rest.size() == 3 ? map::parse_layer(rest[0]) : fail(bad_request("a layer"));
    // One name for each tile, so that a browser keeps it once.
    if (!level || !pos || !layer || map::id(*layer) != rest[0])
        return responder.answer(Response::problem(
            bad_request("/api/tile/WORLD/LAYER/LEVEL/X.Z with a layer such as surface or slice@64")));
    world.tiles().answer({*layer, {*level, {pos->first, pos->second}}}, std::move(responder));
}

void LiveMap::answer_search(LiveWorld& world, const Target& target, Responder responder) {
    SearchQuestion question;
    question.text = target.value("q").value_or("");
    if (question.text.empty() || question.text.size() > k_longest_question)
        return responder.answer(
            Response::problem(bad_request(fmt::format("a text of 1 to {} bytes as q", k_longest_question))));
    if (const auto kinds = target.value("kind"); kinds && !read_kinds(*kinds, question))
        return responder.answer(Response::problem(bad_request("kinds out of block,item,entity,marker")));
    if (const auto limit = target.value("limit")) {
        const auto number = parse_integer(*limit);
        if (!number || *number < 1 || *number > k_most_results)
            return responder.answer(
                Response::problem(bad_request(fmt::format("a limit of 1 to {}", k_most_results))));
        question.limit = static_cast<std::size_t>(*number);
    }
    world.answer_search(question, std::move(responder));
}

void LiveMap::answer_events(Responder responder) {
    Response response;
    response.type = "text/event-stream";
    response.events = events_.connect();
    if (!response.events)
        return responder.answer(Response::problem(
            503,
            error(Errc::busy, "{} pages listen already", EventHub::k_most_clients).advise("close some")));
    response.events->push_comment("welcome"); // so that the page knows at once that it is connected
    for (const auto& world : worlds_)
        if (const auto progress = world->progress(); !progress.empty())
            response.events->push("progress", progress);
    responder.answer(std::move(response));
}

} // namespace orbis::http
