#include "http/live/live_map.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/joined.hpp"
#include "bytes/printable.hpp"
#include "http/live/background.hpp"
#include "map/world_index.hpp"
#include "page/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace orbis::http {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds k_poll = 300ms;
/// Changes shall show within two seconds.
constexpr std::chrono::milliseconds k_longest_poll = 1000ms;
/// For maps that should be updated.
constexpr std::chrono::milliseconds k_update_poll = 100ms;
/// For a world that cannot be opened.
constexpr auto k_try_again = 2s;
constexpr std::size_t k_longest_question = 200;
constexpr std::int32_t k_most_results = 2000;

/// What this thread has worked: what others make it wait for is no reason to look less often.
std::chrono::nanoseconds own_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

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

/// `X,Y,Z,X,Y,Z`
std::optional<std::pair<BlockPos, BlockPos>> parse_box(std::string_view text) {
    std::array<std::int32_t, 6> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto comma = text.find(',');
        const auto number = parse_integer(text.substr(0, comma));
        if (!number || (comma == std::string_view::npos) != (i + 1 == numbers.size())) return std::nullopt;
        numbers[i] = *number;
        text.remove_prefix(std::min(comma, text.size() - 1) + 1);
    }
    const auto& [x0, y0, z0, x1, y1, z1] = numbers;
    return std::pair{BlockPos{x0, y0, z0}, BlockPos{x1, y1, z1}};
}

} // namespace

LiveMap::LiveMap(const world::Location& location, const world::Assets& assets, LiveOptions options,
                 MapFiles files)
    : location_(location),
      assets_(assets),
      options_(std::move(options)),
      files_(std::move(files)),
      colours_(assets),
      location_watch_(location),
      workers_(std::max<std::size_t>(options_.threads, 2)) {
    auto title = std::filesystem::absolute(location.path).lexically_normal();
    if (!title.has_filename()) title = title.parent_path();
    title_ = title.filename().string();
}

Result<std::unique_ptr<LiveMap>> LiveMap::open(const world::Location& location, const world::Assets& assets,
                                               LiveOptions options, std::vector<Error>& problems) {
    TRY(auto files, MapFiles::open(options.cache));
    std::unique_ptr<LiveMap> live(new LiveMap(location, assets, std::move(options), std::move(files)));
    live->settle(location);
    live->open_missing(&problems);
    live->told_ = live->status();
    live->watcher_ = std::jthread([map = live.get()](const std::stop_token& stop) { map->watch(stop); });
    live->updater_ = std::jthread([map = live.get()](const std::stop_token& stop) { map->update(stop); });
    return live;
}

/// Takes over which worlds there are.
void LiveMap::settle(const world::Location& location) {
    std::vector<Entry> now;
    for (const auto& world : location.worlds)
        now.push_back({world, map::folder_of_world(world.name), {}, {}, {}});
    std::ranges::sort(now, {}, &Entry::folder);
    std::vector<Entry> before; // worlds may take a moment to end: outside the lock
    const std::lock_guard lock(worlds_mutex_);
    for (auto& entry : worlds_) {
        const auto same = std::ranges::find(now, entry.folder, &Entry::folder);
        const bool stays = same != now.end() && same->world.provider.type == entry.world.provider.type;
        if (stays) {
            same->live = std::move(entry.live);
            same->problem = std::move(entry.problem);
        } else if (entry.live) {
            entry.live->retire();
            retired_[entry.folder] = entry.live;
        }
    }
    before = std::exchange(worlds_, std::move(now));
}

/// Opens worlds that are new, or could not be opened before.
void LiveMap::open_missing(std::vector<Error>* problems) {
    std::erase_if(retired_, [](const auto& world) { return world.second.expired(); });
    const LiveShared shared{workers_,  events_,         assets_,          colours_,
                            stopping_, *options_.clock, options_.fill_in, options_.tiles_per_event};
    for (auto& entry : worlds_) { // this thread alone changes which there are
        if (entry.live || options_.clock->now() < entry.again) continue;
        if (retired_.contains(entry.folder)) continue; // what it has in the cache is still in use
        auto opened = LiveWorld::open(location_, entry.world, options_.cache, shared);
        if (!opened && problems != nullptr) problems->push_back(opened.error());
        const std::lock_guard lock(worlds_mutex_);
        if (opened) {
            entry.live = *std::move(opened);
        } else {
            entry.problem = std::move(opened).error();
            entry.again = options_.clock->now() + k_try_again;
        }
    }
}

std::vector<std::shared_ptr<LiveWorld>> LiveMap::open_worlds() const {
    const std::lock_guard lock(worlds_mutex_);
    std::vector<std::shared_ptr<LiveWorld>> open;
    for (const auto& entry : worlds_)
        if (entry.live) open.push_back(entry.live);
    return open;
}

std::string LiveMap::script() const {
    const std::lock_guard lock(worlds_mutex_);
    std::vector<std::string> folders;
    for (const auto& entry : worlds_) folders.push_back(entry.folder);
    return map::map_script(options_.program, title_, true, folders);
}

std::string LiveMap::status() const {
    const std::lock_guard lock(worlds_mutex_);
    std::vector<WorldStatus> all;
    for (const auto& entry : worlds_)
        if (entry.live)
            all.push_back(entry.live->status());
        else if (entry.problem.problem.empty())
            all.push_back({entry.world.name, entry.folder, WorldStatus::State::opening, {}, 0});
        else
            all.push_back({entry.world.name,
                           entry.folder,
                           WorldStatus::State::failed,
                           {{std::nullopt, entry.problem}},
                           0});
    return worlds_json(all, location_.path);
}

void LiveMap::tell_status() {
    auto now = status();
    if (now == told_) return;
    events_.publish("worlds", now);
    told_ = std::move(now);
}

LiveMap::~LiveMap() {
    stopping_ = true;
    watcher_.request_stop();
    updater_.request_stop();
    watcher_ = {};
    updater_ = {};
    events_.close();
    workers_.stop();
}

void LiveMap::watch(const std::stop_token& stop) {
    auto pause = k_poll;
    while (options_.clock->rest(stop, pause)) {
        const auto begin = own_time();
        if (const auto location = location_watch_.poll()) settle(*location);
        open_missing(nullptr);
        for (const auto& world : open_worlds()) world->poll();
        tell_status();
        // Thousands of files take their time: looking at them stays a small part of it.
        pause = std::clamp(std::chrono::ceil<std::chrono::milliseconds>((own_time() - begin) * 4), k_poll,
                           k_longest_poll);
    }
}

void LiveMap::update(const std::stop_token& stop) {
    lower_thread_priority();
    while (options_.clock->rest(stop, k_update_poll)) {
        for (const auto& world : open_worlds()) {
            if (stop.stop_requested() || !world->wants_update()) continue;
            try {
                world->update();
            } catch (const Stopped&) {
                continue; // the server ends, or the world has gone
            } catch (const std::exception& problem) {
                fmt::print(stderr, "orbis: cannot update the map of {}: {}\n", printable(world->name(), true),
                           printable(problem.what(), true));
                world->retry_later();
            }
        }
    }
}

std::shared_ptr<LiveWorld> LiveMap::find(std::string_view name, std::optional<Response>& problem) {
    const std::lock_guard lock(worlds_mutex_);
    auto found = std::ranges::find(worlds_, name, &Entry::folder);
    if (found == worlds_.end())
        found = std::ranges::find(worlds_, name, [](const Entry& entry) { return entry.world.name; });
    if (found == worlds_.end())
        problem = Response::problem(
            error(Errc::not_found, "there is no world with this name").advise("/api/worlds lists them"));
    else if (!found->live && found->problem.problem.empty())
        problem = Response::problem(
            error(Errc::busy, "this world is being opened").advise("try again in a moment"));
    else if (!found->live)
        problem = Response::problem(503, found->problem);
    return found == worlds_.end() ? nullptr : found->live;
}

void LiveMap::answer(const Request& request, Responder responder) {
    const auto& path = request.target.path;
    if (path.empty() || path[0] == "index.html" || path[0] == "assets" || path[0] == "viewer")
        return answer_page(path, std::move(responder));
    if (path[0] == "api") return answer_api(request, std::move(responder));
    answer_file(path, std::move(responder));
}

void LiveMap::answer_page(Path path, Responder responder) const {
    const auto* file = page::find(path.empty() ? "index.html" : joined(path, "/"));
    if (file != nullptr) {
        Response response;
        response.type = file->type;
        response.bytes = file->bytes;
        response.keep = path.size() > 1 ? Keep::forever : Keep::revalidate;
        response.etag = hash_text(content_hash(file->bytes));
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
        auto response = Response::text(200, "text/javascript; charset=utf-8", script());
        response.keep = Keep::revalidate;
        response.etag = hash_text(content_hash(response.bytes));
        return responder.answer(std::move(response));
    }
    if (path.size() < 2 || path[0] != "worlds") return responder.answer(Response::problem(unknown_address()));
    // The cache may also have maps of worlds that have gone.
    std::optional<Response> problem;
    const auto world = find(path[1], problem);
    if (!world) return responder.answer(*std::move(problem));
    if (path.size() == 3 && path[2] == "world.js" && !world->has_current_index())
        return world->answer_index(std::move(responder));
    responder.answer(files_.answer(path));
}

void LiveMap::answer_api(const Request& request, Responder responder) {
    const Path path = request.target.path;
    if (path.size() == 2 && path[1] == "events") return answer_events(request.client, std::move(responder));
    if (path.size() == 2 && path[1] == "worlds") return responder.answer(Response::json(status()));
    if (path.size() < 3) return responder.answer(Response::problem(unknown_address()));
    std::optional<Response> problem;
    if (const auto world = find(path[2], problem))
        answer_world(*world, request.target, std::move(responder));
    else
        responder.answer(*std::move(problem));
}

void LiveMap::answer_world(LiveWorld& world, const Target& target, Responder responder) {
    const Path path = target.path;
    const auto question = path[1];
    const auto rest = path.subspan(3);
    std::vector<std::int32_t> numbers;
    for (const auto& text : rest)
        if (const auto number = parse_integer(text)) numbers.push_back(*number);
    const bool all_numbers = numbers.size() == rest.size();
    if (question == "tile") return answer_tile(world, rest, std::move(responder));
    if (question == "mesh") return answer_mesh(world, target, std::move(responder));
    if (question == "search" && rest.empty()) return answer_search(world, target, std::move(responder));
    if (question == "findings" && rest.empty()) return world.answer_findings(std::move(responder));
    if (question == "block") {
        if (!all_numbers || numbers.size() != 3 || numbers[1] < 0 || numbers[1] >= k_world_height)
            return responder.answer(Response::problem(
                bad_request(fmt::format("/api/block/WORLD/X/Y/Z with y from 0 to {}", k_world_height - 1))));
        return world.answer_block({numbers[0], numbers[1], numbers[2]}, std::move(responder));
    }
    if (question == "column") {
        if (!all_numbers || numbers.size() != 2)
            return responder.answer(Response::problem(bad_request("/api/column/WORLD/X/Z")));
        const auto layer = map::parse_layer(target.value("layer").value_or("surface"));
        if (!layer) return responder.answer(Response::problem(400, layer.error()));
        return world.answer_column(numbers[0], numbers[1], *layer, std::move(responder));
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

void LiveMap::answer_mesh(LiveWorld& world, const Target& target, Responder responder) {
    using Faces = mesh::MeshFileMaker::Faces;
    const auto rest = Path(target.path).subspan(3);
    const auto pos = rest.size() == 1 ? parse_tile_name(rest[0]) : std::nullopt;
    const auto faces = target.value("faces").value_or("surface");
    const auto box_text = target.value("box");
    const auto box = box_text ? parse_box(*box_text) : std::nullopt;
    if (!pos || (faces != "surface" && faces != "all") || (box_text && !box))
        return responder.answer(Response::problem(
            bad_request("/api/mesh/WORLD/X.Z, the place of a chunk, with faces=surface or faces=all, and "
                        "box=X,Y,Z,X,Y,Z for the first and last block that are left")));
    MeshKey key{{pos->first, pos->second}, faces == "all" ? Faces::all : Faces::surface, {}};
    if (box) key.part = part_in_box(key.pos, box->first, box->second);
    world.meshes().answer(key, std::move(responder));
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
    if (const auto near = target.value("near")) {
        const auto comma = near->find(',');
        const auto x = parse_integer(near->substr(0, comma));
        const auto z = comma == std::string::npos ? std::nullopt : parse_integer(near->substr(comma + 1));
        if (!x || !z) return responder.answer(Response::problem(bad_request("a place X,Z as near")));
        question.near = {*x, *z};
    }
    world.answer_search(question, std::move(responder));
}

void LiveMap::answer_events(const std::string& client, Responder responder) {
    Response response;
    response.type = "text/event-stream";
    response.events = events_.connect(client);
    if (!response.events)
        return responder.answer(Response::problem(
            503, error(Errc::busy, "the server is shutting down").advise("start it again")));
    response.events->push_comment("welcome"); // so that the page knows at once that it is connected
    response.events->push("worlds", status());
    for (const auto& world : open_worlds())
        if (const auto progress = world->progress(); !progress.empty())
            response.events->push("progress", progress);
    responder.answer(std::move(response));
}

} // namespace orbis::http
