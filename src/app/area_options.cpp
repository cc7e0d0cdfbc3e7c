#include "app/area_options.hpp"

#include "jobs/select/selection.hpp"
#include "query/database.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>

namespace orbis::app {
namespace {

constexpr std::size_t k_most_cells = 100'000'000;
constexpr std::string_view k_sql = "sql:";

} // namespace

void AreaOptions::declare(Options& options) {
    options.texts("--box BOX", boxes_, "Cells of this box: X1,Y1,Z1..X2,Y2,Z2, both corners included")
        .texts("--sphere SPHERE", spheres_, "Cells of this sphere: X,Y,Z~RADIUS")
        .texts("--cylinder CYLINDER", cylinders_, "Cells of this upright cylinder: X,Y,Z~RADIUS+HEIGHT")
        .text("--cells SQL", cells_, "Cells that a statement finds: 'sql:SELECT x, y, z FROM blocks …'")
        .number("--surface COUNT", surface_, 1, k_world_height,
                "Only the highest COUNT cells of each column, from its highest block that is not "
                "transparent");
    chunks_.declare(options, "Only cells of these chunks (docs/selections.md)");
    options.text("--mask KEYS", mask_, "Only cells with these blocks, such as Soil_*,Rock_Stone or !Empty")
        .text("--above KEYS", above_, "Only cells below these blocks")
        .text("--environment KEYS", environment_, "Only cells in these environments");
}

bool AreaOptions::is_given() const {
    return !boxes_.empty() || !spheres_.empty() || !cylinders_.empty() || !cells_.empty() || surface_
           || chunks_.is_given();
}

Result<void> AreaOptions::add_cells(const world::World& world, std::size_t threads, Console& console,
                                    jobs::Area& area) const {
    if (!cells_.starts_with(k_sql))
        return fail(
            error(Errc::usage, "--cells must start with sql:")
                .advise("such as --cells \"sql:SELECT x, y, z FROM blocks WHERE key = 'Rock_Stone'\""));
    world::Location location;
    location.kind = world::Location::Kind::world;
    location.path = world.name;
    location.root = world.folder;
    location.worlds.push_back(world);
    query::SessionOptions options;
    options.threads = threads;
    std::optional<Error> unreadable;
    options.on_problem = [&](const Error& problem) {
        console.problem(problem);
        unreadable = problem;
    };
    TRY(const auto database, query::Database::open(std::move(location), std::move(options)));
    TRY(auto statement, database->prepare(std::string_view(cells_).substr(k_sql.size())));
    if (statement.columns().size() != 3)
        return fail(error(Errc::usage, "--cells needs a statement with three columns, not {}",
                          statement.columns().size())
                        .advise("SELECT x, y, z FROM …"));
    std::vector<BlockPos> cells;
    while (true) {
        TRY(const auto is_there, statement.next());
        if (!is_there) break;
        std::array<std::int64_t, 3> n{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto field = statement.field(i);
            const auto* value = std::get_if<std::int64_t>(&field);
            if (value == nullptr || *value < -(1 << 30) || *value > 1 << 30)
                return fail(Errc::usage, "--cells found a row whose {} is not the number of a block",
                            statement.columns()[i]);
            n[i] = *value;
        }
        if (cells.size() == k_most_cells)
            return fail(Errc::too_large, "--cells found more than {} cells", k_most_cells);
        cells.push_back({static_cast<std::int32_t>(n[0]), static_cast<std::int32_t>(n[1]),
                         static_cast<std::int32_t>(n[2])});
    }
    if (unreadable)
        return fail(error(Errc::bad_value, "--cells could not look at the whole world; nothing was changed")
                        .advise("repair it first: orbis repair PATH"));
    area.add(cells);
    return {};
}

Result<jobs::Area> AreaOptions::area(const world::World& world, std::size_t threads, Console& console) const {
    jobs::Area area;
    for (const auto& text : boxes_) {
        TRY(const auto box, jobs::BlockBox::parse(text));
        area.add(box);
    }
    for (const auto& text : spheres_) {
        TRY(const auto sphere, jobs::BlockSphere::parse(text));
        area.add(sphere);
    }
    for (const auto& text : cylinders_) {
        TRY(const auto cylinder, jobs::BlockCylinder::parse(text));
        area.add(cylinder);
    }
    if (!cells_.empty()) TRY_DO(add_cells(world, threads, console, area));
    if (surface_) area.limit_to_surface(*surface_);
    if (chunks_.is_given()) {
        TRY(const auto selection, chunks_.selection());
        TRY(const auto store, world.open({}));
        TRY(auto selector, jobs::make_selector(selection, world, *store, threads, console));
        for (const auto& problem : selector.problems()) console.problem(problem);
        if (!selector.problems().empty())
            return fail(
                error(Errc::bad_value, "it is not known which chunks are selected; nothing was changed")
                    .advise("repair the world first, or select chunks by position"));
        std::optional<std::vector<ChunkPos>> listed;
        if (const auto positions = selection.positions(jobs::k_most_listed))
            listed.emplace(positions->begin(), positions->end());
        const auto shared = std::make_shared<jobs::Selector>(std::move(selector));
        area.limit_to_chunks([shared](ChunkPos pos) { return shared->contains(pos); }, std::move(listed));
    }
    return area;
}

Result<jobs::CellMask> AreaOptions::mask() const {
    jobs::CellMask mask;
    if (!mask_.empty()) {
        TRY(mask.blocks, jobs::KeyPatterns::parse(mask_));
    }
    if (!above_.empty()) {
        TRY(mask.above, jobs::KeyPatterns::parse(above_));
    }
    if (!environment_.empty()) {
        TRY(mask.environments, jobs::KeyPatterns::parse(environment_));
    }
    return mask;
}

Result<jobs::BlockBox> AreaOptions::only_box() const {
    if (boxes_.size() != 1)
        return fail(
            error(Errc::usage, "{}", boxes_.empty() ? "--box is missing" : "only one --box can be copied")
                .advise("such as --box 0,60,0..20,80,20"));
    if (!spheres_.empty() || !cylinders_.empty() || !cells_.empty() || surface_ || chunks_.is_given()
        || !above_.empty() || !environment_.empty())
        return fail(
            error(Errc::usage, "copy, move and paste take a --box, and no other area or mask than --mask")
                .advise("--mask chooses the blocks that may be replaced"));
    return jobs::BlockBox::parse(boxes_.front());
}

Result<BlockPos> parse_block_position(std::string_view text) {
    std::array<std::int32_t, 3> n{};
    auto rest = text;
    for (std::size_t i = 0; i < n.size(); ++i) {
        const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), n[i]);
        const bool last = i + 1 == n.size();
        if (code == std::errc()) rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (code != std::errc() || (last ? !rest.empty() : !rest.starts_with(',')))
            return fail(error(Errc::usage, "not X,Y,Z: {}", text).advise("such as 10,64,-3"));
        if (!last) rest.remove_prefix(1);
    }
    return BlockPos{n[0], n[1], n[2]};
}

} // namespace orbis::app
