#include "faults/scenes.hpp"

#include "jobs/missing/chunk_counts.hpp"
#include "jobs/snapshot/source.hpp"
#include "jobs/snapshot/store.hpp"
#include "jobs/snapshot/take.hpp"
#include "jobs/snapshot/verify.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/undo.hpp"
#include "jobs/verify/verify.hpp"
#include "storage/rocksdb_store.hpp"

#include <algorithm>
#include <stdexcept>

namespace orbis::faults {

namespace fs = std::filesystem;
using namespace jobs::test_worlds;

namespace {

Content content_of_place(const world::Location& place) {
    Content out;
    for (const auto& world : place.worlds) {
        const auto store = world.open({});
        if (!store) {
            out.chunks[{world.name, {}}] = "the store is unreadable: " + store.error().text();
            continue;
        }
        storage::ReadContext context;
        const auto cursor = (*store)->chunks();
        for (auto next = cursor->next(); !next || *next; next = cursor->next()) {
            if (!next) {
                out.files["chunks that cannot be listed"] += next.error().text();
                continue;
            }
            const auto document = (*store)->read(**next, context);
            out.chunks[{world.name, **next}] =
                document && *document ? std::string(as_text(**document)) : "unreadable";
        }
    }
    const std::function<void(const std::string&)> walk = [&](const std::string& path) {
        const auto entries = place.root.sub(path).list();
        if (!entries) return;
        for (const auto& entry : *entries) {
            const auto below = path.empty() ? entry.name : path + "/" + entry.name;
            // What a repair sets aside has the time in its name, and is for people to look at.
            const bool is_ours = entry.name == "orbis-undo" || entry.name == "orbis-set-aside";
            if (entry.is_folder && !is_ours && entry.name != "db") walk(below);
            if (entry.is_folder || entry.name == jobs::k_counts_file
                || storage::parse_region_file_name(entry.name)
                || entry.name.find(".orbis-tmp") != std::string::npos)
                continue;
            const auto file = place.root.open(below);
            const auto text = file ? read_text(**file, 64 << 20) : Result<std::string>("unreadable");
            out.files[below] = text ? *text : "unreadable";
        }
    };
    walk({});
    return out;
}

Buffer with_wrong_height() {
    return edited(with_block(70), [](chunk::Chunk& chunk) {
        if (auto heights = chunk.edit_heights()) (void)(*heights)->set(ColumnIndex(5, 5), 319);
    });
}

Buffer with_stale_light(int cell) {
    return edited(with_block(cell), [](chunk::Chunk& chunk) { (void)chunk.touch_blocks(1); });
}

void put_second_region(const fs::path& world, const std::vector<Buffer>& chunks) {
    test::RegionContent content;
    for (std::size_t i = 0; i < chunks.size(); ++i)
        content[static_cast<std::int32_t>(i)] = test::compressed_blob(chunks[i]);
    put(world / "chunks" / "1.0.region.bin", test::region_v1_image(content));
}

/// Two regions, four chunks, and files that must not suffer.
void put_world(const fs::path& folder, int first = 1) {
    make_world(folder, {with_block(first), with_block(first + 1), with_block(first + 2)});
    put_second_region(folder, {with_block(first + 3)});
    put(folder / "resources" / "Time.json", as_bytes("{\"Now\": 1}"));
}

void put_backup(const fs::path& beside) { put_world(beside / "backup", 100); }

void put_database(const fs::path& folder, int first) {
    storage::StoreOptions how;
    how.write = how.create = true;
    auto store = storage::open_rocksdb_store(folder / "db", how).value();
    for (int i = 0; i < 3; ++i)
        if (!store->write({i, 0}, with_block(first + i))) throw std::runtime_error("no database");
    put(folder / "config.json", as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "RocksDb"}})"));
}

void snapshot(const fs::path& store, const fs::path& world, std::int64_t time) {
    NoProgress quiet;
    jobs::snapshot::TakeOptions options;
    options.time = time;
    options.threads = 1;
    if (!jobs::snapshot::take(store, jobs::find_source(world.string()).value(), options, quiet))
        throw std::runtime_error("no snapshot");
}

/// A store with two snapshots of a world that has changed between them.
void put_store(const fs::path& store, const fs::path& world) {
    put_world(world, 1);
    snapshot(store, world, 4'000'000'000);
    fs::remove_all(world);
    put_world(world, 3);
    snapshot(store, world, 4'000'100'000);
}

/// A prefab of a few blocks. It has no entities: they get another id each time.
void put_prefab(const fs::path& file) {
    put(file, as_bytes(R"({"version":8,"blockIdVersion":11,"anchorX":0,"anchorY":0,"anchorZ":0,"blocks":[
        {"x":0,"y":0,"z":0,"name":"Rock_Stone"},{"x":0,"y":1,"z":0,"name":"Rock_Stone","rotation":1},
        {"x":30,"y":0,"z":0,"name":"Chest","components":{"Components":{"container":{"Position":{"X":1,"Y":2,"Z":3}}}}}],
        "fluids":[{"x":0,"y":2,"z":0,"name":"Water","level":8}]})"));
}

/// A change of chunks and of a file, to be taken back.
void put_change(const fs::path& world) {
    const auto place = world::find_location(world).value();
    auto change = jobs::Change::begin(place.worlds.at(0),
                                      {.verb = "test", .command = "orbis test", .force = true, .run = {}})
                      .value();
    const bool done = change->write_document({0, 0}, with_block(200)) && change->remove({1, 0})
                      && change->write_document({40, 40}, with_block(201))
                      && change->write_file("resources/Time.json", as_bytes("{\"Now\": 2}"))
                      && change->finish();
    if (!done) throw std::runtime_error("no change");
}

} // namespace

Content read_content(const fs::path& path) {
    const auto place = jobs::find_source(path.string());
    if (!place) return {{}, {{"no place", place.error().text()}}};
    return content_of_place(*place);
}

Content read_one_file(const fs::path& path) {
    const auto file = open_file(path, FileMode::read);
    if (!file) return {};
    const auto text = read_text(**file, 64 << 20);
    return {{}, {{path.filename().string(), text ? *text : "unreadable"}}};
}

std::vector<Scene> all_scenes() {
    std::vector<Scene> all;
    const auto world = [](const fs::path& work, const fs::path& beside) {
        put_world(work / "world");
        put_backup(beside);
    };
    const auto add = [&](std::string name, Promise promise, auto prepare, std::vector<std::string> arguments,
                         std::string place = "world", int exit_code = 0) {
        all.push_back({std::move(name), promise, std::move(prepare), std::move(arguments), std::move(place),
                       exit_code, false});
    };
    add("restore", Promise::in_place, world,
        {"restore", "WORK/world", "--from", "BESIDE/backup", "--chunks", "all"});
    add("restore into a database", Promise::in_place,
        [](const fs::path& work, const fs::path& beside) {
            put_database(work / "world", 1);
            put_backup(beside);
        },
        {"restore", "WORK/world", "--from", "BESIDE/backup", "--chunks", "all"});
    add("repair", Promise::in_place,
        [](const fs::path& work, const fs::path& beside) {
            make_world(work / "world", {with_block(1), with_wrong_height(), damaged_document()});
            auto region = test::region_v1_image({{0, test::compressed_blob(with_block(4))}});
            region[3] ^= 0xFF; // the magic
            put(work / "world" / "chunks" / "1.0.region.bin", region);
            put(work / "world" / "config.json.bak",
                as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})"));
            put(work / "world" / "config.json", as_bytes("{"));
            put_backup(beside);
        },
        {"repair", "WORK/world", "--from", "BESIDE/backup", "--missing"});
    all.back().in_steps = true; // first the header, then the chunks behind it
    add("prune", Promise::in_place, world, {"prune", "WORK/world", "--remove", "1,0", "32,0", "--all"});
    add("compact", Promise::rewrite, world, {"compact", "WORK/world", "--level", "5"});
    add("upgrade", Promise::in_place,
        [](const fs::path& work, const fs::path&) {
            make_world(work / "world", {with_block(1), old_document()}, 0);
        },
        {"upgrade", "WORK/world"});
    add("merge", Promise::in_place, world, {"merge", "WORK/world", "--from", "BESIDE/backup"});
    add("merge of parts", Promise::in_place, world,
        {"merge", "WORK/world", "--from", "BESIDE/backup", "--parts", "blocks"});
    // Across the border of two regions.
    constexpr auto k_edited = "20,20,0..80,90,20";
    add("edit set", Promise::in_place, world,
        {"edit", "set", "WORK/world", "5,40,5", "40,40,5", "Rock_Marble"});
    add("edit fill", Promise::in_place, world,
        {"edit", "fill", "WORK/world", "Rock_Marble", "--box", k_edited});
    add("edit replace", Promise::in_place, world,
        {"edit", "replace", "WORK/world", "Rock_Stone=Rock_Basalt", "Rock_Marble=Empty"});
    add("edit copy", Promise::in_place, world,
        {"edit", "copy", "WORK/world", "--box", "0,20,0..20,40,20", "--to", "25,100,3", "--rotate", "90"});
    add("edit move", Promise::once, world,
        {"edit", "move", "WORK/world", "--box", "0,20,0..40,40,20", "--to", "10,21,3"});
    add("edit paste", Promise::in_place, world,
        {"edit", "paste", "WORK/world", "--from", "BESIDE/backup", "--box", k_edited, "--to", "20,20,0"});
    add("edit of a database", Promise::in_place,
        [](const fs::path& work, const fs::path&) { put_database(work / "world", 1); },
        {"edit", "fill", "WORK/world", "Rock_Marble", "--box", k_edited});
    add("removal of entities", Promise::in_place, world, {"edit", "remove-entities", "WORK/world"});
    add("computing light", Promise::in_place,
        [](const fs::path& work, const fs::path&) {
            make_world(work / "world", {with_stale_light(1), with_stale_light(2), with_block(3)});
            put_second_region(work / "world", {with_stale_light(4)});
        },
        {"edit", "relight", "WORK/world"});
    add("undelete", Promise::in_place,
        [](const fs::path& work, const fs::path&) {
            put_world(work / "world");
            storage::StoreOptions how;
            how.write = true;
            const auto store = world::find_location(work / "world").value().worlds.at(0).open(how).value();
            (void)store->remove({1, 0});
        },
        {"undelete", "WORK/world", "--restore", "0.0:2", "--as", "1,0"});
    add("undo", Promise::undo,
        [](const fs::path& work, const fs::path&) {
            put_world(work / "world");
            put_change(work / "world");
        },
        {"undo", "WORK/world"});
    add("convert", Promise::new_copy, world, {"convert", "BESIDE/backup", "WORK/copy"}, "copy");
    add("convert into a database", Promise::new_copy, world,
        {"convert", "BESIDE/backup", "WORK/copy", "--to", "rocksdb"}, "copy");
    add("upgrade into a copy", Promise::new_copy, world, {"upgrade", "BESIDE/backup", "WORK/copy"}, "copy");
    add("paste of a prefab", Promise::in_place,
        [](const fs::path& work, const fs::path& beside) {
            put_world(work / "world");
            put_prefab(beside / "small.prefab.json");
        },
        {"prefab", "paste", "WORK/world", "BESIDE/small.prefab.json", "10", "80", "5"});
    const auto file = [&](std::string name, std::vector<std::string> arguments, std::string place) {
        add(
            std::move(name), Promise::new_file,
            [](const fs::path& work, const fs::path& beside) {
                fs::create_directories(work);
                put_world(beside / "world");
                put_prefab(beside / "small.prefab.json");
            },
            std::move(arguments), std::move(place));
    };
    file("export of a prefab",
         {"prefab", "export", "BESIDE/world", "0,60,0..40,80,8", "WORK/box.prefab.json"}, "box.prefab.json");
    file("conversion of a prefab", {"prefab", "convert", "BESIDE/small.prefab.json", "WORK/small.lpf"},
         "small.lpf");
    const auto with_store = [](const fs::path& work, const fs::path& beside) {
        put_store(work / "store", beside / "world");
        fs::remove_all(beside / "world");
        put_world(beside / "world", 60);
    };
    add(
        "checkout", Promise::new_copy,
        [](const fs::path& work, const fs::path& beside) {
            fs::create_directories(work);
            put_store(beside / "store", beside / "world");
        },
        {"checkout", "BESIDE/store", "latest", "WORK/copy"}, "copy");
    add("snapshot", Promise::store, with_store, {"snapshot", "WORK/store", "BESIDE/world"}, "store");
    add("removal of a snapshot", Promise::store, with_store, {"snapshots", "WORK/store", "--thin", "last=1"},
        "store");
    return all;
}

std::optional<std::uint64_t> count_damage(const fs::path& path) {
    const auto place = jobs::find_source(path.string());
    if (!place) return std::nullopt;
    NoProgress quiet;
    bool unfinished = false;
    const auto report = jobs::verify(
        *place, world::Assets::built_in(), {.quick = false, .threads = 1},
        [&](const jobs::Finding& finding) {
            unfinished = unfinished || finding.code == jobs::Code::unfinished_convert;
        },
        quiet);
    if (unfinished) return std::nullopt;
    return report.damage;
}

bool has_changes(const fs::path& path) {
    const auto place = world::find_location(path);
    std::vector<Error> problems;
    return place && !jobs::past_changes(*place, problems).value().empty();
}

std::string undo_all(const fs::path& path) {
    NoProgress quiet;
    while (true) {
        const auto place = world::find_location(path);
        if (!place) return place.error().text();
        std::vector<Error> problems;
        const auto changes = jobs::past_changes(*place, problems).value();
        if (!problems.empty()) return problems.front().text();
        if (changes.empty()) return {};
        const auto done = jobs::undo_change(changes.front(), {.force = true}, quiet);
        if (!done) return done.error().text();
        if (!done->changed.empty()) return done->changed.front().text();
        for (const auto& problem : done->problems) // a record that was not written to its end is told of
            if (problem.code != Errc::truncated) return problem.text();
    }
}

std::map<std::string, Content> read_snapshots(const fs::path& path) {
    std::map<std::string, Content> out;
    const auto store = jobs::snapshot::SnapshotStore::open(path);
    if (!store) return {{"no store: " + store.error().text(), {}}};
    std::vector<Error> problems;
    for (const auto& each : store->list(problems)) out[each.id] = read_content(path.string() + "@" + each.id);
    for (const auto& problem : problems) out["damaged: " + problem.text()] = {};
    NoProgress quiet;
    const auto report = jobs::snapshot::verify(*store, 1, quiet);
    if (!report || !report->problems.empty()) out["verify finds damage"] = {};
    return out;
}

} // namespace orbis::faults
