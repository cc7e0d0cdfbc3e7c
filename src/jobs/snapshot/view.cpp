#include "jobs/snapshot/view.hpp"

#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/world_identity.hpp"

namespace orbis::jobs::snapshot {

namespace {

using storage::CompressedChunk;
using storage::Folder;
using storage::ReadContext;
using storage::Store;
using storage::StoreOptions;
using world::Location;
using world::World;

Result<void> refuse_writing(const StoreOptions& options, const std::string& name,
                            const std::string& location) {
    if (!options.write) return {};
    return fail(error(Errc::read_only, "a snapshot cannot be written")
                    .in_file(name)
                    .advise(fmt::format("check it out first: orbis convert {} NEW", shell_quoted(location))));
}

/// Some chunks of another store, for reading.
class ChosenChunks final : public Store {
public:
    ChosenChunks(std::shared_ptr<Store> all, std::function<bool(ChunkPos)> wanted)
        : all_(std::move(all)), wanted_(std::move(wanted)) {}

    std::string_view kind() const override { return all_->kind(); }
    const std::string& name() const override { return all_->name(); }
    bool keeps_compressed() const override { return all_->keeps_compressed(); }

    std::unique_ptr<storage::Cursor> chunks() const override {
        return std::make_unique<ChosenCursor>(all_->chunks(), wanted_);
    }
    Result<bool> contains(ChunkPos pos) const override {
        if (!wanted_(pos)) return false;
        return all_->contains(pos);
    }
    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        if (!wanted_(pos)) return std::nullopt;
        return all_->read(pos, context);
    }
    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        if (!wanted_(pos)) return std::nullopt;
        return all_->read_compressed(pos, context);
    }
    Result<void> write(ChunkPos, Bytes) override { return fail(refusal()); }
    Result<void> write_compressed(ChunkPos, const CompressedChunk&) override { return fail(refusal()); }
    Result<bool> remove(ChunkPos) override { return fail(refusal()); }
    Result<void> sync() override { return {}; }
    // The region files themselves hold other chunks too.
    std::string file_of(ChunkPos pos) const override { return wanted_(pos) ? all_->file_of(pos) : name(); }
    Result<std::optional<storage::BlobInfo>> blob_info(ChunkPos pos) const override {
        if (!wanted_(pos)) return std::nullopt;
        return all_->blob_info(pos);
    }

private:
    class ChosenCursor final : public storage::Cursor {
    public:
        ChosenCursor(std::unique_ptr<storage::Cursor> all, const std::function<bool(ChunkPos)>& wanted)
            : all_(std::move(all)), wanted_(wanted) {}
        Result<std::optional<ChunkPos>> next() override {
            while (true) {
                TRY(const auto pos, all_->next());
                if (!pos || wanted_(*pos)) return pos;
            }
        }

    private:
        std::unique_ptr<storage::Cursor> all_;
        const std::function<bool(ChunkPos)>& wanted_;
    };

    [[nodiscard]] Error refusal() const {
        return error(Errc::read_only, "a part of a world cannot be written").in_file(name());
    }

    std::shared_ptr<Store> all_;
    std::function<bool(ChunkPos)> wanted_;
};

} // namespace

Result<Location> open_snapshot(const SnapshotStore& store, const Snapshot& snapshot) {
    std::vector<Error> problems;
    TRY(auto opened, store.contents(problems));
    auto location = open_snapshot(store, snapshot, std::shared_ptr<const Contents>(std::move(opened)));
    if (!location.worlds.empty()) { // once is enough
        auto& notes = location.worlds.front().notes;
        notes.insert(notes.end(), problems.begin(), problems.end());
    }
    return location;
}

Location open_snapshot(const SnapshotStore& store, const Snapshot& snapshot,
                       const std::shared_ptr<const Contents>& contents) {
    const auto& manifest = snapshot.manifest;
    Location location;
    location.kind = manifest.kind;
    location.path = store.path().string() + "@" + snapshot.id;
    location.root = Folder(make_snapshot_tree(contents, manifest.files, location.path));
    for (const auto& record : manifest.worlds) {
        World world;
        world.name = record.name;
        world.source = World::Source::other;
        world.folder = location.root;
        if (location.kind == Location::Kind::universe) {
            world.folder = location.root.sub("worlds").sub(record.name);
            world.universe = location.root;
            world.players = location.root.sub("players");
        }
        if (location.kind == Location::Kind::universe || location.kind == Location::Kind::world) {
            world.config = world::read_world_config(world.folder, world.notes);
            world.provider = world.config.provider;
        }
        world.origin = home_of(manifest.kind, manifest.source, record.name);
        const auto name = world.folder.shown();
        world.open_other = [contents, record, name, whole = location.path](
                               const StoreOptions& options) -> Result<std::shared_ptr<Store>> {
            TRY_DO(refuse_writing(options, name, whole));
            return make_snapshot_chunks(contents, record, name);
        };
        location.worlds.push_back(std::move(world));
    }
    if (const auto players = location.root.sub("players").list())
        for (const auto& entry : *players)
            if (!entry.is_folder && entry.name.ends_with(".json")) ++location.players;
    return location;
}

Location with_chunks(Location location, std::function<bool(ChunkPos)> wanted) {
    for (auto& world : location.worlds) {
        auto all = world;
        world.source = World::Source::other;
        world.open_other = [all, wanted, whole = location.path](
                               const StoreOptions& options) -> Result<std::shared_ptr<Store>> {
            TRY_DO(refuse_writing(options, all.folder.shown(), whole));
            TRY(auto store, all.open(options));
            return std::make_shared<ChosenChunks>(std::move(store), wanted);
        };
    }
    return location;
}

} // namespace orbis::jobs::snapshot
