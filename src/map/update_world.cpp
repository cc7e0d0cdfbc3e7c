#include "bytes/content_hash.hpp"
#include "bytes/parallel.hpp"
#include "jobs/verify/verify.hpp"
#include "map/area.hpp"
#include "map/find_changes.hpp"
#include "map/gather_facts.hpp"
#include "map/pyramid.hpp"
#include "map/tile_renderer.hpp"
#include "map/update_map.hpp"
#include "map/world_facts.hpp"
#include "map/world_index.hpp"

#include <algorithm>

namespace orbis::map {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_edge_bytes = 8 << 20;
constexpr std::size_t k_most_reported = 200;

/// A chunk beside rendered tiles, as it was when its edges were used.
struct NeighbourUse {
    ChunkPos pos;
    std::uint64_t hash = 0;
};

/// What rendering the stale tiles of one region gives.
struct RegionResult {
    std::vector<TilePos> tiles;
    std::optional<RegionEntry> entry; ///< nothing if no chunk is left
    std::vector<NeighbourUse> neighbours;
    RegionProblems problems;
    std::uint64_t chunks_read = 0;
};

/// Counts tiles of level 0 as they are finished, on any thread.
class TileProgress {
public:
    TileProgress(Progress& progress, std::size_t layers) : progress_(progress), layers_(layers) {}
    void finished(std::size_t layer) {
        if (layer + 1 != layers_) return;
        const std::lock_guard lock(mutex_);
        progress_.step();
    }

private:
    std::mutex mutex_;
    Progress& progress_;
    std::size_t layers_;
};

class RegionVisitor final : public AreaVisitor {
public:
    RegionVisitor(RegionResult& result, RegionFacts& facts, const Colours& colours, Pyramid& pyramid,
                  TileEncoder& encoder, const storage::Store& store, const Changes& changes,
                  TileProgress& progress)
        : result_(result),
          gatherer_(facts, colours),
          pyramid_(pyramid),
          encoder_(encoder),
          store_(store),
          changes_(changes),
          progress_(progress) {}

    /// A region that cannot be read has none, and was reported when the chunks were listed.
    [[nodiscard]] bool may_have_chunks(RegionPos pos) const override {
        return changes_.regions.contains(pos);
    }

    void on_chunk(ChunkPos pos, const storage::StoredChunk& stored, ChunkPainter& painter) override {
        std::vector<ProblemFact> problems;
        for (const auto& problem : painter.chunk().problems())
            problems.push_back(in_its_place(pos, problem.as_error()));
        gatherer_.add(pos, stored, painter, std::move(problems));
    }
    void on_unreadable(ChunkPos pos, const storage::StoredChunk& stored, const Error& problem) override {
        auto placed = problem;
        gatherer_.add_unreadable(pos, stored, in_its_place(pos, std::move(placed)));
    }
    void on_neighbour(ChunkPos pos, std::uint64_t hash) override {
        result_.neighbours.push_back({pos, hash});
    }
    Result<void> on_tile(std::size_t layer, TilePos pos, const TilePixels& pixels) override {
        TRY_DO(pyramid_.add(layer, pos, pixels, encoder_));
        progress_.finished(layer);
        return {};
    }

private:
    [[nodiscard]] ProblemFact in_its_place(ChunkPos pos, Error&& problem) const {
        return ProblemFact::of(std::move(problem).in_file(store_.file_of(pos)).at(pos), store_.name());
    }

    RegionResult& result_;
    FactGatherer gatherer_;
    Pyramid& pyramid_;
    TileEncoder& encoder_;
    const storage::Store& store_;
    const Changes& changes_;
    TileProgress& progress_;
};

RegionEntry summary_of(const RegionFacts& facts) {
    RegionEntry entry;
    entry.chunks = static_cast<std::uint32_t>(facts.chunks().size());
    entry.least = entry.most = facts.pos().chunk(facts.chunks().begin()->first);
    for (const auto& [slot, chunk] : facts.chunks()) {
        const auto pos = facts.pos().chunk(slot);
        entry.least = {std::min(entry.least.x, pos.x), std::min(entry.least.z, pos.z)};
        entry.most = {std::max(entry.most.x, pos.x), std::max(entry.most.z, pos.z)};
    }
    return entry;
}

class WorldJob {
public:
    WorldJob(const world::World& world, const world::Assets& assets, MapFiles& files, const fs::path& folder,
             const UpdateOptions& options, Progress& progress)
        : world_(world),
          assets_(assets),
          colours_(assets),
          files_(files),
          folder_(folder),
          options_(options),
          progress_(progress) {}

    Result<WorldUpdate> run() {
        report_.name = world_.name;
        for (const auto& note : world_.notes) add_problem(note);
        TRY(store_, world_.open({}));
        read_old();
        auto done = work();
        // After a failure what was written is in the way, on a full disk above all.
        // Where it is unknown what the old index names, everything stays.
        if (!done && !knows_old_) return std::unexpected(std::move(done).error());
        std::set<std::string> kept = old_paths_;
        if (done && !report_.kept) new_.add_paths(new_hash_, kept);
        kept.insert("world.js");
        const auto removed = remove_others(files_, folder_, kept);
        if (!done) return std::unexpected(std::move(done).error());
        TRY(report_.files_removed, removed);
        return std::move(report_);
    }

private:
    Result<void> work() {
        const bool had_chunks = old_ && !old_->regions.empty();
        new_.recipe = recipe_of(assets_, options_.layers);
        if (old_ && (old_->recipe != new_.recipe || options_.full)) old_.reset();
        TRY(auto changes,
            find_changes(*store_, folder_, old_ ? &*old_ : nullptr, options_.threads, progress_));
        for (auto& found : world_.misplaced_folders()) changes.problems.push_back(std::move(found.error));
        for (const auto& problem : changes.problems) add_problem(problem);
        file_problems_ = changes.problems;
        if (options_.keep_unreadable && had_chunks && changes.chunks == 0 && !changes.problems.empty()) {
            report_.kept = true;
            report_.tiles = old_tiles_.size();
            return {};
        }
        report_.chunks = changes.chunks;
        report_.chunks_changed = changes.changed;
        TRY_DO(render(changes));
        // What was not rendered again is as it was.
        for (const auto& [pos, problems] : changes.known_problems)
            if (!rendered_.contains(pos) && new_.regions.contains(pos)) add_problems(problems);
        TRY_DO(write_facts());
        return write_index();
    }

    void add_problem(const Error& problem) {
        ++report_.problem_count;
        if (report_.problems.size() < k_most_reported) report_.problems.push_back(problem);
    }

    void add_problems(const RegionProblems& problems) {
        for (const auto& problem : problems.first) add_problem(problem);
        report_.problem_count += problems.count - problems.first.size();
        report_.chunks_unreadable += problems.unreadable;
    }

    /// A state that cannot be read counts as none.
    void read_old() {
        const auto index = read_map_file(folder_ / "world.js");
        knows_old_ = !index && index.error().code == Errc::not_found;
        if (!index) return;
        const auto head = read_index_head(as_text(*index));
        if (!head) return;
        old_index_ = *index;
        report_.generation = head->generation;
        const auto file = read_map_file(folder_ / MapState::state_path(head->state));
        if (!file || content_hash(*file) != head->state) return;
        auto state = MapState::load(*file);
        if (!state) return;
        state->add_paths(head->state, old_paths_);
        knows_old_ = true;
        for (const auto& layer : state->layers)
            for (std::size_t level = 0; level < layer.levels.size(); ++level)
                for (const auto& [pos, hash] : layer.levels[level])
                    old_tiles_.insert({id(layer.layer), level, pos});
        old_ = *std::move(state);
    }

    Result<void> render(const Changes& changes) {
        const int levels = changes.least ? level_count(*changes.least, *changes.most) : 0;
        const StaleTiles stale(changes.stale, levels, old_ ? &*old_ : nullptr);
        const MapState* old = old_ ? &*old_ : nullptr;
        if (old != nullptr) new_.regions = old->regions;
        std::erase_if(new_.regions,
                      [&](const auto& region) { return !changes.regions.contains(region.first); });
        Pyramid pyramid(files_, folder_, options_.layers, stale, old);
        {
            TileEncoder encoder;
            TRY_DO(pyramid.start(encoder));
        }
        EdgeCache cache(options_.layers.size(), k_edge_bytes);
        const auto regions = stale.by_region();
        struct Worker {
            AreaRenderer renderer;
            TileEncoder encoder;
        };
        std::vector<std::unique_ptr<Worker>> workers(options_.threads);
        std::vector<RegionResult> ring(in_flight_limit(options_.threads));
        TileProgress tiles(progress_, options_.layers.size());
        std::size_t next = 0;
        std::mutex mutex;
        std::optional<Error> failure;
        const auto pull = [&](std::size_t ticket) {
            const std::lock_guard lock(mutex);
            if (next == regions.size() || failure) return false;
            ring[ticket] = {};
            ring[ticket].tiles = regions[next++];
            return true;
        };
        const auto render_one = [&](std::size_t ticket, std::size_t number) {
            auto& worker = workers[number];
            if (!worker)
                worker = std::unique_ptr<Worker>(new Worker{
                    AreaRenderer(*store_, colours_, options_.layers, &cache, k_fact_parts), TileEncoder()});
            auto done =
                render_region(ring[ticket], worker->renderer, worker->encoder, pyramid, changes, tiles);
            if (done) return;
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::move(done).error();
        };
        const auto push = [&](std::size_t ticket) { take(ring[ticket]); };
        progress_.begin("Rendering tiles", changes.stale.size());
        run_ordered({.pull = pull, .work = render_one, .push = push}, options_.threads);
        if (failure) return std::unexpected(*std::move(failure));
        new_.layers = pyramid.take_tiles();
        const auto counts = pyramid.counts();
        report_.levels = levels;
        report_.tiles_written = counts.written;
        report_.tiles_kept = counts.kept;
        report_.bytes_written = counts.bytes;
        return {};
    }

    /// Runs on any thread.
    Result<void> render_region(RegionResult& result, AreaRenderer& renderer, TileEncoder& encoder,
                               Pyramid& pyramid, const Changes& changes, TileProgress& tiles) const {
        const auto pos = result.tiles.front().region();
        RegionFacts facts(pos);
        std::uint64_t hash_before = 0; // of a file that is there
        if (old_ && old_->regions.contains(pos)) {
            // An error means that all of it is rendered anyway, see find_changes.
            if (const auto before = load_region(folder_, pos, old_->regions.at(pos).state)) {
                hash_before = old_->regions.at(pos).state;
                for (const auto& [slot, chunk] : before->chunks())
                    if (std::ranges::find(result.tiles, TilePos::of(pos.chunk(slot))) == result.tiles.end())
                        facts.take(*before, chunk);
            }
        }
        const auto read_before = renderer.chunks_read();
        RegionVisitor visitor(result, facts, colours_, pyramid, encoder, *store_, changes, tiles);
        TRY_DO(renderer.render(result.tiles, visitor));
        result.chunks_read = renderer.chunks_read() - read_before;
        if (facts.chunks().empty()) return {};
        result.entry = summary_of(facts);
        result.problems = RegionProblems::of(facts, store_->name());
        const auto file = facts.save();
        result.entry->state = content_hash(file);
        if (result.entry->state == hash_before) return {};
        return files_.write(folder_ / MapState::region_path(pos, result.entry->state), file);
    }

    void take(RegionResult& result) {
        const auto pos = result.tiles.front().region();
        rendered_.insert(pos);
        if (result.entry)
            new_.regions[pos] = *result.entry;
        else
            new_.regions.erase(pos);
        add_problems(result.problems);
        for (const auto& use : result.neighbours) neighbours_[use.pos.region()].push_back(use);
        report_.chunks_read += result.chunks_read;
    }

    /// The facts, and a look at whether chunks changed between the moment that they were drawn themselves and
    /// the one that their edges were used.
    Result<void> write_facts() {
        FactInputs inputs;
        std::vector<Error> problems;
        inputs.markers = read_markers(world_, problems);
        inputs.problems = file_problems_;
        for (const auto& problem : problems) add_problem(problem);
        for (const auto& marker : inputs.markers)
            if (marker.kind == "spawn" && !spawn_) spawn_ = {marker.x, marker.y, marker.z};
        WorldFindings findings;
        if (options_.findings) {
            gather_findings(findings);
            inputs.findings = &findings;
        }
        const auto is_there = [&](const std::string& path) {
            std::error_code code;
            return fs::exists(folder_ / path, code);
        };
        const bool has_files = old_ && is_there(MapState::facts_path(old_->facts))
                               && is_there(MapState::inspect_path(old_->inspect));
        if (has_files && old_->facts_recipe == inputs.recipe(new_)) {
            new_.facts = old_->facts;
            new_.inspect = old_->inspect;
            new_.legend = old_->legend;
            new_.facts_recipe = old_->facts_recipe;
        } else {
            progress_.begin("Writing facts", new_.regions.size());
            TRY_DO(write_world_facts(files_, folder_, colours_, inputs, new_, has_files ? &*old_ : nullptr,
                                     options_.threads, [&](const RegionFacts& region) {
                                         check_neighbours(region);
                                         progress_.step();
                                     }));
        }
        for (const auto& [pos, uses] : std::exchange(neighbours_, {})) { // those that were not seen above
            const auto entry = new_.regions.find(pos);
            if (entry == new_.regions.end()) {
                check(RegionFacts(pos), uses);
                continue;
            }
            TRY(const auto region, load_region(folder_, pos, entry->second.state));
            check(region, uses);
        }
        return {};
    }

    void check_neighbours(const RegionFacts& region) {
        if (const auto found = neighbours_.extract(region.pos())) check(region, found.mapped());
    }

    void check(const RegionFacts& region, const std::vector<NeighbourUse>& uses) {
        for (const auto& use : uses) {
            const auto found = region.chunks().find(use.pos.slot());
            const auto hash = found == region.chunks().end() ? 0 : found->second.hash;
            if (hash == use.hash) continue;
            const auto concerned = tiles_around(std::span(&use.pos, 1));
            new_.redo.insert(concerned.begin(), concerned.end());
        }
    }

    void gather_findings(WorldFindings& out) const {
        world::Location location;
        location.kind = world::Location::Kind::world;
        location.root = world_.folder;
        location.path = world_.folder.shown();
        location.worlds.push_back(world_);
        jobs::verify(
            location, assets_, {.quick = false, .threads = options_.threads},
            [&](const jobs::Finding& finding) { out.add(finding); }, progress_);
    }

    Result<void> write_index() {
        const auto state = new_.save();
        new_hash_ = content_hash(state);
        WorldIndex index{world_.name, new_hash_, report_.generation, spawn_};
        for (const auto& layer : new_.layers)
            for (std::size_t level = 0; level < layer.levels.size(); ++level)
                for (const auto& [pos, hash] : layer.levels[level]) {
                    ++report_.tiles;
                    old_tiles_.erase({id(layer.layer), level, pos});
                }
        report_.tiles_removed = old_tiles_.size();
        if (old_paths_.contains(MapState::state_path(new_hash_)) && index.text(new_) == as_text(old_index_))
            return {};
        report_.changed = true;
        report_.generation = ++index.generation;
        TRY_DO(files_.write(folder_ / MapState::state_path(new_hash_), state));
        TRY_DO(files_.sync(folder_));
        return files_.replace(folder_ / "world.js", as_bytes(index.text(new_)));
    }

    const world::World& world_;
    const world::Assets& assets_;
    Colours colours_;
    MapFiles& files_;
    fs::path folder_;
    const UpdateOptions& options_;
    Progress& progress_;

    std::shared_ptr<storage::Store> store_;
    std::vector<Error> file_problems_; ///< regions that cannot be read
    std::optional<MapState> old_;
    Buffer old_index_;
    bool knows_old_ = false;          ///< there is no old index, or all that it names is known
    std::set<std::string> old_paths_; ///< of all files that the old index names
    std::set<std::tuple<std::string, std::size_t, TilePos>> old_tiles_;
    MapState new_;
    std::set<RegionPos> rendered_; ///< at least a tile of each
    std::uint64_t new_hash_ = 0;
    std::map<RegionPos, std::vector<NeighbourUse>> neighbours_;
    std::optional<std::array<double, 3>> spawn_;
    WorldUpdate report_;
};

} // namespace

Result<WorldUpdate> update_world(const world::World& world, const world::Assets& assets, MapFiles& files,
                                 const fs::path& folder, const UpdateOptions& options, Progress& progress) {
    return WorldJob(world, assets, files, folder, options, progress).run();
}

} // namespace orbis::map
