#include "map/world_facts.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/parallel.hpp"
#include "bytes/writer.hpp"
#include "map/find_changes.hpp"
#include "map/ramp.hpp"
#include "map/script_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace orbis::map {
namespace {

/// Of a block that is everywhere it is enough to know some places.
constexpr std::size_t k_listed_chunks = 1000;
/// And of all blocks together, so that the memory is bounded.
constexpr std::size_t k_most_listed = 1'500'000;
/// Lines of findings that a map has: those without a chunk, and those with one.
constexpr std::size_t k_world_lines = 1000;
constexpr std::size_t k_chunk_lines = 4000;
/// Files that cannot be read.
constexpr std::size_t k_most_unreadable = 100;
/// Colours of a fluid that the legend has.
constexpr std::size_t k_fluid_colours = 6;
constexpr std::uint32_t k_fact_rules = 3;

/// Where one block key is.
struct KeyPositions {
    std::uint64_t cells = 0;
    std::uint64_t surface = 0;
    std::vector<std::int32_t> chunks; ///< x, z, cells and place of each
    bool all = true;
};

/// The texts of all regions as one table, in the order of first use.
class Names {
public:
    std::int64_t place(std::string_view text) {
        const auto [found, is_new] =
            places_.try_emplace(std::string(text), static_cast<std::int64_t>(places_.size()));
        if (is_new) {
            json_.clear();
            append_json_string(json_, text);
            column_.add(json_);
        }
        return found->second;
    }
    JsonColumn& column() { return column_; }

private:
    std::unordered_map<std::string, std::int64_t> places_;
    std::string json_;
    JsonColumn column_;
};

class Assembly {
public:
    explicit Assembly(const FactInputs& inputs) : inputs_(inputs), markers_(inputs.markers) {}

    void add(const RegionFacts& region) {
        places_.assign(region.names(), nullptr);
        for (const auto& [slot, facts] : region.chunks()) {
            const auto pos = region.pos().chunk(slot);
            add_inspect(pos, facts);
            for (const auto& container : facts.containers) add_container(region, container);
            for (const auto& entity : facts.entities) add_entity(region, entity);
            for (const auto& marker : facts.markers)
                markers_.push_back(
                    {std::string(region.name(marker.kind)),
                     marker.name == k_no_name ? std::string() : std::string(region.name(marker.name)),
                     marker.pos.x + 0.5, static_cast<double>(marker.pos.y), marker.pos.z + 0.5});
            for (const auto& key : facts.keys) add_key(pos, region, key);
            for (const auto& fluid : facts.fluids)
                fluids_[std::string(region.name(fluid.key))][fluid.colour] += fluid.columns;
            for (const auto environment : facts.environments)
                if (!environments_.contains(region.name(environment)))
                    environments_.emplace(region.name(environment));
        }
    }

    Result<std::uint64_t> write_facts(MapFiles& files, const std::filesystem::path& folder,
                                      std::uint64_t known) {
        TRY(auto out, ScriptFile::create(folder / "facts", "facts"));
        out.put("{\"markers\":");
        out.put(markers_json());
        out.put(",\"containers\":{");
        first_item_.add(items_);
        TRY_DO(out.put_column("block", container_block_));
        TRY_DO(out.put_column("x", container_x_));
        TRY_DO(out.put_column("y", container_y_));
        TRY_DO(out.put_column("z", container_z_));
        TRY_DO(out.put_column("first", first_item_));
        TRY_DO(out.put_column("item", item_));
        TRY_DO(out.put_column("count", item_count_, true));
        out.put("},\"entities\":{");
        TRY_DO(out.put_column("type", entity_type_));
        TRY_DO(out.put_column("name", entity_name_));
        TRY_DO(out.put_column("x", entity_x_));
        TRY_DO(out.put_column("y", entity_y_));
        TRY_DO(out.put_column("z", entity_z_, true));
        out.put("},");
        TRY_DO(out.put_column("names", names_.column()));
        out.put("\"blocks\":[");
        put_blocks(out);
        out.put("]}");
        return out.finish(files, known);
    }

    Result<std::uint64_t> write_inspect(MapFiles& files, const std::filesystem::path& folder,
                                        std::uint64_t known) {
        struct InspectLayer {
            std::string_view id;
            std::string_view title;
            std::string_view unit;
            JsonColumn* column;
        };
        std::vector<InspectLayer> kinds{{"bytes", "Stored bytes", "B", &bytes_},
                                        {"entities", "Entities", "", &entity_count_},
                                        {"ticking", "Ticking blocks", "", &ticking_},
                                        {"components", "Block components", "", &components_},
                                        {"unknown", "Unknown blocks", "", &unknown_},
                                        {"version", "Data version", "", &version_}};
        if (inputs_.findings != nullptr) kinds.push_back({"findings", "Findings", "", &findings_});
        const auto shown = kinds.size();
        if (inputs_.findings != nullptr) kinds.push_back({"severity", "", "", &severity_});
        JsonWriter layers;
        layers.array();
        for (const auto& kind : std::span(kinds).first(shown))
            layers.object().member("id", kind.id).member("title", kind.title).member("unit", kind.unit).end();
        layers.end();
        TRY(auto out, ScriptFile::create(folder / "inspect", "inspect"));
        out.put(fmt::format("{{\"layers\":{},", layers.text()));
        if (!inputs_.problems.empty()) put_problems(out, inputs_.problems);
        if (inputs_.findings != nullptr) put_findings(out, *inputs_.findings);
        TRY_DO(out.put_column("x", chunk_x_));
        TRY_DO(out.put_column("z", chunk_z_));
        out.put("\"values\":{");
        for (const auto& kind : kinds)
            TRY_DO(out.put_column(kind.id, *kind.column, kind.id == kinds.back().id));
        out.put("},\"unreadable\":{");
        TRY_DO(out.put_column("x", unreadable_x_));
        TRY_DO(out.put_column("z", unreadable_z_));
        TRY_DO(out.put_column("message", unreadable_why_, true));
        out.put("}}");
        return out.finish(files, known);
    }

    /// The commonest first.
    [[nodiscard]] std::string legend(const Colours& colours) const {
        std::vector<std::pair<std::string_view, std::uint64_t>> seen;
        for (const auto& [key, places] : keys_)
            if (places.surface > 0) seen.emplace_back(key, places.surface);
        std::ranges::sort(seen, [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
        JsonWriter json;
        json.object().key("blocks").array();
        for (const auto& [key, cells] : seen) {
            const auto look = colours.block(key);
            json.object()
                .member("key", key)
                .member("colour", world::to_text(look.in_legend()))
                .member("guessed", look.guessed)
                .member("cells", cells)
                .end();
        }
        json.end().key("fluids").array();
        write_fluids(json);
        json.end().key("environments").array();
        for (const auto& key : environments_)
            json.object().member("key", key).member("colour", world::to_text(colours.environment(key))).end();
        json.end().key("height").array();
        for (const auto& stop : height_ramp())
            json.object().member("value", stop.height).member("colour", world::to_text(stop.colour)).end();
        json.end().end();
        return json.take();
    }

private:
    /// The commonest first, and of each the commonest colours.
    void write_fluids(JsonWriter& json) const {
        const auto more = [](const auto& a, const auto& b) { return a.second > b.second; };
        std::vector<std::pair<std::string_view, std::uint64_t>> seen;
        for (const auto& [key, colours] : fluids_) {
            std::uint64_t columns = 0;
            for (const auto& [colour, count] : colours) columns += count;
            seen.emplace_back(key, columns);
        }
        std::ranges::stable_sort(seen, more);
        for (const auto& [key, columns] : seen) {
            const auto& of_key = fluids_.find(key)->second;
            std::vector<std::pair<std::uint32_t, std::uint64_t>> colours(of_key.begin(), of_key.end());
            std::ranges::stable_sort(colours, more);
            if (colours.size() > k_fluid_colours) colours.resize(k_fluid_colours);
            json.object().member("key", key).member("cells", columns).key("colours").array();
            for (const auto& [colour, count] : colours) json.string(fmt::format("#{:06x}", colour));
            json.end().end();
        }
    }

    void add_inspect(ChunkPos pos, const ChunkFacts& facts) {
        chunk_x_.add(std::int64_t{pos.x});
        chunk_z_.add(std::int64_t{pos.z});
        bytes_.add(static_cast<std::int64_t>(facts.bytes));
        entity_count_.add(std::int64_t{facts.entity_count});
        ticking_.add(std::int64_t{facts.ticking});
        components_.add(std::int64_t{facts.components});
        unknown_.add(std::int64_t{facts.unknown});
        version_.add(std::int64_t{facts.version});
        if (!facts.readable) add_unreadable(pos, facts);
        if (inputs_.findings == nullptr) return;
        const auto found = inputs_.findings->chunks.find(pos);
        const bool any = found != inputs_.findings->chunks.end();
        findings_.add(any ? static_cast<std::int64_t>(found->second.count) : std::int64_t{0});
        severity_.add(any ? std::int64_t{found->second.worst} : std::int64_t{0});
    }

    void add_unreadable(ChunkPos pos, const ChunkFacts& facts) {
        unreadable_x_.add(std::int64_t{pos.x});
        unreadable_z_.add(std::int64_t{pos.z});
        std::string json;
        append_json_string(json, facts.problems.empty() ? std::string_view() : facts.problems[0].problem);
        unreadable_why_.add(json);
    }

    void add_container(const RegionFacts& region, const ContainerFact& container) {
        container_block_.add(names_.place(region.name(container.block)));
        container_x_.add(std::int64_t{container.pos.x});
        container_y_.add(std::int64_t{container.pos.y});
        container_z_.add(std::int64_t{container.pos.z});
        first_item_.add(items_);
        for (const auto& item : container.items) {
            item_.add(names_.place(region.name(item.item)));
            item_count_.add(std::int64_t{item.count});
            ++items_;
        }
    }

    void add_entity(const RegionFacts& region, const EntityFact& entity) {
        entity_type_.add(names_.place(region.name(entity.type)));
        entity_name_.add(entity.name == k_no_name ? std::int64_t{-1}
                                                  : names_.place(region.name(entity.name)));
        entity_x_.add_coordinate(entity.x);
        entity_y_.add_coordinate(entity.y);
        entity_z_.add_coordinate(entity.z);
    }

    void add_key(ChunkPos pos, const RegionFacts& region, const KeyFact& fact) {
        auto*& known = places_[fact.key];
        if (known == nullptr) known = &keys_[std::string(region.name(fact.key))];
        auto& places = *known;
        places.cells += fact.cells;
        places.surface += fact.surface;
        if (fact.cells == 0) return;
        if (places.chunks.size() / 4 >= k_listed_chunks || listed_ >= k_most_listed) {
            places.all = false;
            return;
        }
        places.chunks.insert(places.chunks.end(),
                             {pos.x, pos.z, static_cast<std::int32_t>(fact.cells), fact.place});
        ++listed_;
    }

    [[nodiscard]] std::string markers_json() const {
        JsonWriter json;
        json.array();
        for (const auto& marker : markers_)
            json.object()
                .member("kind", marker.kind)
                .member("name", marker.name)
                .member("x", marker.x)
                .member("y", marker.y)
                .member("z", marker.z)
                .end();
        json.end();
        return json.take();
    }

    static void put_problems(ScriptFile& out, std::span<const Error> problems) {
        JsonWriter json;
        json.array();
        for (const auto& problem : problems.first(std::min(problems.size(), k_most_unreadable)))
            json.object()
                .member("file", std::filesystem::path(problem.file).filename().string())
                .member("message", problem.problem)
                .member("advice", problem.advice)
                .end();
        json.end();
        out.put(fmt::format("\"problems\":{},", json.text()));
    }

    static void put_findings(ScriptFile& out, const WorldFindings& findings) {
        out.put("\"findings\":[");
        bool first = true;
        for (const auto& line : findings.lines) {
            if (!std::exchange(first, false)) out.put(",");
            out.put(line);
        }
        out.put(fmt::format("],\"left_out\":{},", findings.left_out));
    }

    void put_blocks(ScriptFile& out) const {
        bool first = true;
        for (const auto& [key, places] : keys_) {
            std::string json = first ? "{\"key\":" : ",{\"key\":";
            first = false;
            append_json_string(json, key);
            json += fmt::format(",\"cells\":{},\"chunks\":[", places.cells);
            for (std::size_t i = 0; i < places.chunks.size(); ++i) {
                const fmt::format_int number(places.chunks[i]);
                if (i > 0) json += ',';
                json.append(number.data(), number.size());
            }
            json += places.all ? "],\"all\":true}" : "],\"all\":false}";
            out.put(json);
        }
    }

    const FactInputs& inputs_;
    std::vector<Marker> markers_;
    Names names_;
    JsonColumn container_block_, container_x_, container_y_, container_z_, first_item_, item_, item_count_;
    std::int64_t items_ = 0;
    JsonColumn entity_type_, entity_name_, entity_x_, entity_y_, entity_z_;
    JsonColumn chunk_x_, chunk_z_, bytes_, entity_count_, ticking_, components_, unknown_, version_,
        findings_, severity_, unreadable_x_, unreadable_z_, unreadable_why_;
    std::map<std::string, std::map<std::uint32_t, std::uint64_t>, std::less<>> fluids_; ///< columns by colour
    std::map<std::string, KeyPositions, std::less<>> keys_;
    std::vector<KeyPositions*> places_; ///< by name of the region in work
    std::size_t listed_ = 0;
    std::set<std::string, std::less<>> environments_;
};

} // namespace

void WorldFindings::add(const jobs::Finding& finding) {
    if (finding.chunk) {
        auto& known = chunks[*finding.chunk];
        ++known.count;
        const auto rank = static_cast<std::uint8_t>(3 - std::to_underlying(finding.severity()));
        known.worst = std::max(known.worst, rank);
    }
    const bool has_room =
        finding.chunk ? in_chunks < k_chunk_lines : lines.size() - in_chunks < k_world_lines;
    if (!has_room) {
        ++left_out;
        return;
    }
    if (finding.chunk) ++in_chunks;
    auto told = finding;
    told.file = std::filesystem::path(finding.file).filename().string();
    told.help.clear();
    lines.push_back(jobs::to_json(told, {"WORLD"}));
}

std::uint64_t FactInputs::recipe(const MapState& state) const {
    Buffer all;
    Writer to(all);
    to.le(k_fact_rules);
    to.le(state.recipe);
    for (const auto& marker : markers) {
        to.bytes(as_bytes(marker.kind));
        to.u8(0);
        to.bytes(as_bytes(marker.name));
        to.u8(0);
        to.le(marker.x);
        to.le(marker.y);
        to.le(marker.z);
    }
    for (const auto& problem : problems) to.bytes(as_bytes(problem.text()));
    to.u8(findings == nullptr ? 0 : 1);
    if (findings != nullptr) {
        const std::map<ChunkPos, WorldFindings::InChunk> sorted(findings->chunks.begin(),
                                                                findings->chunks.end());
        for (const auto& [pos, found] : sorted) {
            to.le(pos.packed());
            to.le(found.count);
            to.u8(found.worst);
        }
        for (const auto& line : findings->lines) to.bytes(as_bytes(line));
        to.le(findings->left_out);
    }
    for (const auto& [pos, region] : state.regions) {
        to.le(pos.x);
        to.le(pos.z);
        to.le(region.state);
    }
    return content_hash(all);
}

Result<void> write_world_facts(MapFiles& files, const std::filesystem::path& folder, const Colours& colours,
                               const FactInputs& inputs, MapState& state, const MapState* old,
                               std::size_t threads,
                               const std::function<void(const RegionFacts&)>& on_region) {
    Assembly assembly(inputs);
    std::vector<Result<RegionFacts>> ring(in_flight_limit(threads));
    std::vector<std::pair<RegionPos, std::uint64_t>> wanted(ring.size());
    std::optional<Error> failure;
    auto next = state.regions.begin();
    const auto pull = [&](std::size_t ticket) {
        if (next == state.regions.end()) return false;
        wanted[ticket] = {next->first, next->second.state};
        ++next;
        return true;
    };
    const auto work = [&](std::size_t ticket, std::size_t) {
        ring[ticket] = load_region(folder, wanted[ticket].first, wanted[ticket].second);
    };
    const auto push = [&](std::size_t ticket) {
        if (!ring[ticket] && !failure) failure = std::move(ring[ticket]).error();
        if (failure) return;
        assembly.add(*ring[ticket]);
        on_region(*ring[ticket]);
        ring[ticket] = RegionFacts();
    };
    run_ordered({.pull = pull, .work = work, .push = push}, threads);
    if (failure) return std::unexpected(*std::move(failure));
    TRY(state.facts, assembly.write_facts(files, folder, old == nullptr ? 0 : old->facts));
    TRY(state.inspect, assembly.write_inspect(files, folder, old == nullptr ? 0 : old->inspect));
    state.legend = assembly.legend(colours);
    state.facts_recipe = inputs.recipe(state);
    return {};
}

} // namespace orbis::map
