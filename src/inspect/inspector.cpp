#include "inspect/inspector.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/joined.hpp"
#include "inspect/export.hpp"
#include "page/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace orbis::inspect {

namespace {

using namespace std::chrono_literals;
using http::Response;

constexpr auto k_answer_time = 200ms;
constexpr std::size_t k_most_series = 60;
constexpr std::int32_t k_usual_rows = 200;
constexpr std::size_t k_most_requests = 256;
constexpr std::size_t k_most_exports = 4;

Error nothing_there() {
    return error(Errc::not_found, "there is nothing at this address").advise("the page is at /");
}

Error bad_question(std::string_view expected) { return error(Errc::usage, "expected {}", expected); }

Error no_such_packet() {
    return error(Errc::not_found, "this packet is not there any more")
        .advise("only the newest packets are kept; orbis proxy --inspect-memory keeps more of them");
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    // Sums with small numbers must not run over.
    if (text.empty() || fault != std::errc() || end != text.data() + text.size() || number >> 62 != 0)
        return {};
    return number;
}

/// A number of the query, or the usual one; nothing if it is none.
std::optional<std::uint64_t> number_of(const http::Target& target, std::string_view name,
                                       std::uint64_t usual) {
    const auto text = target.value(name);
    return text ? parse_number(*text) : usual;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (auto& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

Result<std::shared_ptr<FilterView>> view_of(Desk& desk, const http::Target& target) {
    const std::string filter(target.value("filter").value_or(""));
    if (filter.size() > Inspector::k_longest_filter)
        return fail(bad_question(fmt::format("a filter of up to {} bytes", Inspector::k_longest_filter)));
    auto view = desk.view(filter);
    if (!view) {
        view.error().code = Errc::usage;
        return std::unexpected(std::move(view).error());
    }
    return view;
}

} // namespace

Inspector::Inspector(Desk& desk)
    : desk_(desk),
      workers_({.threads = 2, .most_waiting = k_most_requests, .failed = [](const std::exception&) {}}),
      slow_(
          {.threads = 1, .niceness = 5, .most_waiting = k_most_exports, .failed = [](const std::exception&) {
           }}) {}

Inspector::~Inspector() { is_stopping_ = true; }

void Inspector::answer(const http::Request& request, http::Responder responder) {
    const auto& path = request.target.path;
    if (!path.empty() && path[0] == "api") return answer_api(request, std::move(responder));
    answer_page(path, std::move(responder));
}

void Inspector::answer_page(Path path, http::Responder responder) const {
    const auto name = path.empty() ? "inspector.html" : joined(path, "/");
    const auto* file = page::find(name);
    if (file != nullptr && file->is_of_inspector()) {
        Response response;
        response.type = file->type;
        response.bytes = file->bytes;
        response.keep = path.size() > 1 ? http::Keep::forever : http::Keep::revalidate;
        response.etag = hash_text(content_hash(file->bytes));
        responder.answer(std::move(response));
    } else if (path.empty() && page::files().empty()) {
        responder.answer(
            Response::text(503, "text/plain; charset=utf-8", std::string(page::k_how_to_get_it) + "\n"));
    } else {
        responder.answer(Response::problem(nothing_there()));
    }
}

void Inspector::later(WorkerPool<Worker>& pool, http::Responder responder, Make make) {
    pool.add([responder = std::move(responder), make = std::move(make)](Worker& worker) mutable {
        if (!responder.is_abandoned()) responder.answer(make(worker));
    });
}

void Inspector::answer_api(const http::Request& request, http::Responder responder) {
    const Path path = request.target.path;
    const auto what = path.size() > 1 ? std::string_view(path[1]) : std::string_view();
    const auto target = request.target;
    if (path.size() == 2) {
        if (what == "events")
            return later(workers_, std::move(responder),
                         [this, client = request.client](Worker&) { return events(client); });
        if (what == "state")
            return later(workers_, std::move(responder),
                         [this](Worker&) { return Response::json(desk_.state_json()); });
        if (what == "rows")
            return later(workers_, std::move(responder),
                         [this, target](Worker& worker) { return rows(target, worker); });
        if (what == "rank")
            return later(workers_, std::move(responder), [this, target](Worker&) { return rank(target); });
        if (what == "find")
            return later(workers_, std::move(responder),
                         [this, target](Worker& worker) { return find(target, worker); });
        if (what == "rates")
            return later(workers_, std::move(responder), [this](Worker&) { return rates(); });
        if (what == "latency")
            return later(workers_, std::move(responder), [this](Worker&) { return latency(); });
        if (what == "export")
            return later(slow_, std::move(responder),
                         [this, target](Worker& worker) { return export_file(target, worker); });
    }
    if (what == "packet" && path.size() <= 4)
        return later(workers_, std::move(responder),
                     [this, target](Worker& worker) { return packet(target.path, target, worker); });
    if (what == "scene" && path.size() == 3) {
        const auto player = parse_number(path[2]);
        if (!player) return responder.answer(Response::problem(bad_question("/api/scene/PLAYER")));
        return later(workers_, std::move(responder), [this, player](Worker&) { return scene(*player); });
    }
    if (what == "tile")
        return later(workers_, std::move(responder),
                     [this, target](Worker& worker) { return tile(target.path, worker); });
    responder.answer(Response::problem(nothing_there()));
}

Response Inspector::events(const std::string& client) {
    Response response;
    response.type = "text/event-stream";
    response.events = desk_.events().connect(client);
    if (!response.events)
        return Response::problem(503,
                                 error(Errc::busy, "the server is shutting down").advise("start it again"));
    response.events->push_comment("welcome"); // so that the page knows at once that it is connected
    response.events->push("state", desk_.state_json());
    return response;
}

Response Inspector::rows(const http::Target& target, Worker& worker) {
    const auto view = view_of(desk_, target);
    if (!view) return Response::problem(400, view.error());
    const auto from = number_of(target, "from", 0);
    const auto count = number_of(target, "count", k_usual_rows);
    if (!from || !count || *count < 1 || *count > k_most_rows)
        return Response::problem(
            bad_question(fmt::format("a rank as from, and a count of 1 to {}", k_most_rows)));
    const auto& book = desk_.book();
    (*view)->advance(book, k_answer_time);
    const auto state = (*view)->state(book);
    const auto start = book.extent().start.value_or(0);
    JsonWriter json;
    json.object().member("first", state.first).member("end", state.end).member("scanned", state.scanned);
    json.member("complete", state.is_complete).key("rows").array();
    std::uint64_t written = 0;
    const auto read =
        (*view)->read(book, std::max(*from, state.first),
                      [&](std::uint64_t rank, std::uint64_t number, const capture::Record& record) {
                          if (rank >= *from + *count || written == *count) return false;
                          worker.packets.row(json, rank, number, record, start);
                          return ++written < *count;
                      });
    if (!read) return Response::problem(read.error());
    return Response::json(json.end().end().take());
}

Response Inspector::rank(const http::Target& target) {
    const auto view = view_of(desk_, target);
    if (!view) return Response::problem(400, view.error());
    const auto number = number_of(target, "number", 0);
    if (!number) return Response::problem(bad_question("a number of a packet"));
    const auto& book = desk_.book();
    (*view)->advance(book, k_answer_time);
    const auto state = (*view)->state(book);
    JsonWriter json;
    json.object().member("rank", std::clamp((*view)->rank(*number), state.first, state.end));
    json.member("scanned", state.scanned).end();
    return Response::json(json.take());
}

Response Inspector::find(const http::Target& target, Worker& worker) {
    const auto view = view_of(desk_, target);
    if (!view) return Response::problem(400, view.error());
    const auto from = number_of(target, "from", 0);
    const auto text = lower_case(target.value("q").value_or(""));
    if (!from || text.empty() || text.size() > k_longest_search)
        return Response::problem(
            bad_question(fmt::format("a rank as from, and a text of 1 to {} bytes as q", k_longest_search)));
    const bool is_back = target.value("back").has_value();
    const auto& book = desk_.book();
    (*view)->advance(book, k_answer_time);
    const auto state = (*view)->state(book);
    const auto until = std::chrono::steady_clock::now() + k_answer_time;
    std::optional<std::uint64_t> found;
    auto at = std::clamp(*from, state.first, state.end);
    const auto is_late = [&] { return is_stopping_ || std::chrono::steady_clock::now() >= until; };
    if (is_back) {
        // Backwards in steps, each of them forwards; the last hit of a step is the nearest.
        constexpr std::uint64_t k_step = 64;
        while (!found && at > state.first && !is_late()) {
            const auto end = at;
            at = end - std::min(k_step, end - state.first);
            const auto read = (*view)->read(
                book, at, [&](std::uint64_t rank, std::uint64_t, const capture::Record& record) {
                    if (rank >= end) return false;
                    if (worker.packets.has_text(record, text)) found = rank;
                    return rank + 1 < end;
                });
            if (!read) return Response::problem(read.error());
        }
    } else {
        const auto read =
            (*view)->read(book, at, [&](std::uint64_t rank, std::uint64_t, const capture::Record& record) {
                at = rank + 1;
                if (worker.packets.has_text(record, text)) found = rank;
                return !found && !is_late();
            });
        if (!read) return Response::problem(read.error());
    }
    JsonWriter json;
    json.object().key("found");
    if (found)
        json.number(*found);
    else
        json.null();
    json.member("at", at).member("first", state.first).member("end", state.end).end();
    return Response::json(json.take());
}

Response Inspector::packet(Path path, const http::Target& target, Worker& worker) {
    const auto number = path.size() > 2 ? parse_number(path[2]) : std::nullopt;
    const bool is_bytes = path.size() == 4 && path[3] == "bytes";
    const auto from = number_of(target, "from", 0);
    const auto count = number_of(target, "count", PacketJson::k_most_bytes);
    if (!number || (path.size() == 4 && !is_bytes) || !from || !count)
        return Response::problem(bad_question("/api/packet/NUMBER or /api/packet/NUMBER/bytes"));
    const auto start = desk_.book().extent().start.value_or(0);
    JsonWriter json;
    bool is_found = false;
    const auto read = desk_.book().read(*number, [&](std::uint64_t at, const capture::Record& record) {
        if (at != *number) return false;
        is_found = true;
        if (is_bytes)
            worker.packets.bytes(json, record, static_cast<std::size_t>(*from),
                                 static_cast<std::size_t>(*count));
        else
            worker.packets.packet(json, at, record, start);
        return false;
    });
    if (!read) return Response::problem(read.error());
    if (!is_found) return Response::problem(no_such_packet());
    return Response::json(json.take());
}

Response Inspector::rates() const {
    const auto table = desk_.rates(k_most_series);
    const auto start = desk_.book().extent().start.value_or(0);
    JsonWriter json;
    json.object().member("start", since(table.start, start)).member("width", table.width / 1000);
    json.member("count", table.count).key("series").array();
    for (const auto& series : table.series) {
        json.object().member("packet", series.packet);
        json.member("to", !series.to ? 2 : *series.to == protocol::Side::server ? 1 : 0);
        json.member("channel", series.channel ? static_cast<int>(*series.channel) : -1);
        const auto numbers = [&](std::string_view key, const std::vector<std::uint64_t>& all) {
            json.key(key).array();
            for (const auto each : all) json.number(each);
            json.end();
        };
        numbers("frames", series.frames);
        numbers("bytes", series.bytes);
        json.end();
    }
    return Response::json(json.end().end().take());
}

Response Inspector::latency() const {
    const auto start = desk_.book().extent().start.value_or(0);
    JsonWriter json;
    json.object().key("players").array();
    for (const auto& player : desk_.latency()) {
        json.object().member("player", player.player).key("samples").array();
        for (const auto& sample : player.samples) {
            json.array().number(since(sample.time, start)).string(Latency::name(sample.kind));
            json.number(sample.nanoseconds / 1000).end();
        }
        json.end().end();
    }
    return Response::json(json.end().end().take());
}

Response Inspector::scene(std::uint64_t player) const {
    const auto scene = desk_.scene(player);
    if (!scene) return Response::problem(error(Errc::not_found, "nothing is known of this player"));
    JsonWriter json;
    json.object().member("player", player).member("world", scene->worlds).member("version", scene->version);
    json.key("bounds");
    if (scene->bounds) {
        const auto corner = [&](std::string_view key, ChunkPos pos) {
            json.key(key)
                .array()
                .number(std::int64_t{pos.x} * k_side)
                .number(std::int64_t{pos.z} * k_side)
                .end();
        };
        json.object();
        corner("min", scene->bounds->min);
        corner("max", scene->bounds->max);
        json.end();
    } else {
        json.null();
    }
    json.member("chunks", scene->chunks).key("drawn");
    if (scene->drawn)
        json.number(*scene->drawn);
    else
        json.null();
    json.key("entities").array();
    for (const auto& [id, entity] : scene->entities) {
        if (!entity.place) continue;
        json.array().number(id).string(entity.name);
        for (const auto axis : *entity.place) json.real(axis);
        json.end();
    }
    json.end();
    if (scene->place) {
        json.key("place").array();
        for (const auto axis : *scene->place) json.real(axis);
        json.end();
    }
    return Response::json(json.member("left_out", scene->left_out).end().take());
}

Response Inspector::tile(Path path, Worker& worker) const {
    const auto player = path.size() == 6 ? parse_number(path[2]) : std::nullopt;
    const auto pos = path.size() == 6 ? http::parse_tile_name(path[5]) : std::nullopt;
    constexpr std::int32_t k_farthest_tile = k_farthest_chunk / k_tile_chunks;
    if (!player || !pos || path[3] != "surface" || path[4] != "0"
        || std::abs(std::int64_t{pos->first}) > k_farthest_tile
        || std::abs(std::int64_t{pos->second}) > k_farthest_tile)
        return Response::problem(bad_question("/api/tile/PLAYER/surface/0/X.Z"));
    if (!worker.pixels) worker.pixels = std::make_unique<map::TilePixels>();
    if (!desk_.paint(*player, {pos->first, pos->second}, *worker.pixels)) return Response::nothing();
    const auto png = worker.encoder.encode(*worker.pixels);
    const auto kept = std::make_shared<const Buffer>(png.begin(), png.end());
    Response response;
    response.type = "image/png";
    response.bytes = *kept;
    response.owner = kept;
    response.keep = http::Keep::revalidate;
    response.etag = hash_text(content_hash(*kept));
    return response;
}

Response Inspector::export_file(const http::Target& target, Worker& worker) {
    const auto view = view_of(desk_, target);
    if (!view) return Response::problem(400, view.error());
    const auto format = target.value("format").value_or("pcapng");
    const auto from = number_of(target, "from", 1);
    const auto to = number_of(target, "to", std::uint64_t{1} << 61);
    if (!from || !to || (format != "pcapng" && format != "json"))
        return Response::problem(
            bad_question("format=pcapng or json, and numbers of packets as from and to"));
    const auto& book = desk_.book();
    // All that there is now; a filter may not have looked at everything yet.
    while (!(*view)->advance(book, k_answer_time))
        if (is_stopping_) return Response::problem(error(Errc::busy, "the server is shutting down"));
    Export wanted;
    wanted.format = format == "json" ? Export::Format::json : Export::Format::pcapng;
    wanted.from = *from;
    wanted.to = *to;
    wanted.largest = k_largest_export;
    auto made = export_packets(book, **view, wanted, worker.packets, [this] { return !is_stopping_; });
    if (!made) return Response::problem(made.error());
    Response response;
    response.type = format == "json" ? "application/x-ndjson" : "application/octet-stream";
    response.file = std::move(made->file);
    response.file_size = made->size;
    return response;
}

} // namespace orbis::inspect
