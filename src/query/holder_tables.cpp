#include "query/holder_tables.hpp"

#include "bson/extended_json.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/verify/verify.hpp"
#include "library/holds_items.hpp"
#include "map/holders.hpp"
#include "query/chunk_rows.hpp"
#include "query/stacks.hpp"
#include "storage/region_files.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <chrono>
#include <concepts>
#include <filesystem>

namespace orbis::query {
namespace {

std::int64_t number(std::integral auto value) { return static_cast<std::int64_t>(value); }

/// A batch that knows what it was asked for.
class AskedBatch : public RowBatch {
public:
    AskedBatch(Session& session, const Filter& filter) : session_(session), filter_(filter) {}

protected:
    /// The chunk with these parts; null where there is none. What cannot be read is told.
    Result<const chunk::Chunk*> read(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                                     chunk::Parts parts) {
        TRY(const auto* chunk, reader.read(*world.store, pos, parts));
        if (chunk != nullptr)
            for (const auto& problem : reader.problems()) session_.problem(problem);
        return chunk;
    }
    /// A document as text, if a column wants it.
    Value json(std::size_t column, const bson::Document& document, const chunk::ChunkReader& reader) {
        if (!filter_.uses(column)) return {};
        auto text = bson::to_extended_json(document);
        if (text) return *std::move(text);
        session_.problem(reader.placed(std::move(text).error()));
        return {};
    }
    [[nodiscard]] bool is_inside(BlockPos pos) const {
        return filter_.x.contains(pos.x) && filter_.y.contains(pos.y) && filter_.z.contains(pos.z);
    }

    Session& session_;
    const Filter filter_;
};

// ---- chunks

enum ChunkColumn : std::size_t {
    chunk_world,
    chunk_x,
    chunk_z,
    chunk_region,
    chunk_file,
    chunk_saved,
    chunk_offset,
    chunk_bytes,
    chunk_compressed,
    chunk_segments,
    chunk_version,
    chunk_sections,
    chunk_entities,
    chunk_block_components,
};

/// When a file was last written; nothing for what is no file, such as one inside of a zip.
Value time_of(const std::string& file) {
    std::error_code problem;
    const auto written = std::filesystem::last_write_time(file, problem);
    if (problem) return {};
    return utc_text(std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(written)),
                    UtcForm::date_time);
}

/// Reads no more than the columns that are looked at want: positions come from the index.
class StoredBatch final : public AskedBatch {
public:
    using AskedBatch::AskedBatch;

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                          std::vector<Row>& rows) override {
        Row row(chunk_block_components + 1);
        row[chunk_world] = world.world.name;
        row[chunk_x] = number(pos.x);
        row[chunk_z] = number(pos.z);
        row[chunk_region] = fmt::format("{:n}", pos.region());
        const auto uses = [this](std::size_t first, std::size_t last) {
            for (auto column = first; column <= last; ++column)
                if (filter_.uses(column)) return true;
            return false;
        };
        if (uses(chunk_file, chunk_saved)) {
            auto file = world.store->file_of(pos);
            if (filter_.uses(chunk_saved)) row[chunk_saved] = time_of(file);
            row[chunk_file] = std::move(file);
        }
        bool has_bytes = false;
        if (uses(chunk_offset, chunk_segments)) {
            TRY(const auto blob, world.store->blob_info(pos));
            if (blob) {
                row[chunk_offset] = number(blob->offset);
                row[chunk_bytes] = number(blob->raw_size);
                row[chunk_compressed] = number(blob->frame_size);
                row[chunk_segments] = number(blob->segments);
                has_bytes = true;
            }
        }
        if (uses(chunk_version, chunk_block_components) || (filter_.uses(chunk_bytes) && !has_bytes)) {
            TRY(const auto* chunk, read(world, pos, reader, chunk::k_block_components | chunk::k_entities));
            if (chunk == nullptr) return {};
            row[chunk_bytes] = number(chunk->document().size());
            row[chunk_version] = number(chunk->block_chunk_version());
            row[chunk_sections] = number(chunk->stored_sections());
            row[chunk_entities] = number(chunk->entities().holders().size());
            row[chunk_block_components] = number(chunk->block_components().entries().size());
        }
        rows.push_back(std::move(row));
        return {};
    }
};

// ---- components of blocks

class ComponentBatch final : public AskedBatch {
public:
    using AskedBatch::AskedBatch;

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                          std::vector<Row>& rows) override {
        TRY(const auto* chunk, read(world, pos, reader, chunk::k_block_components));
        if (chunk == nullptr) return {};
        constexpr std::size_t k_data = 5;
        for (const auto& [index, holder] : chunk->block_components().entries()) {
            const auto at = index.pos(pos);
            if (!is_inside(at)) continue;
            for (const auto name : chunk::component_names(holder)) {
                if (!filter_.admits_key(name)) continue;
                const auto document = chunk::component(holder, name);
                rows.push_back({world.world.name, number(at.x), number(at.y), number(at.z), std::string(name),
                                document ? json(k_data, *document, reader) : Value{}, number(pos.x),
                                number(pos.z)});
            }
        }
        return {};
    }
};

// ---- containers and their items

class ContainerBatch final : public AskedBatch {
public:
    using AskedBatch::AskedBatch;

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                          std::vector<Row>& rows) override {
        constexpr std::size_t k_key = 4;
        const bool wants_key = filter_.uses(k_key) || !filter_.keys.empty();
        TRY(const auto* chunk,
            read(world, pos, reader,
                 wants_key ? chunk::k_block_components | chunk::k_blocks : chunk::k_block_components));
        if (chunk == nullptr) return {};
        for (const auto& [index, holder] : chunk->block_components().entries()) {
            const auto at = index.pos(pos);
            if (!is_inside(at) || !holds_items(holder)) continue;
            const auto key = wants_key ? chunk->block(at).key : std::string_view();
            if (wants_key && !filter_.admits_key(key)) continue;
            std::int64_t stacks = 0;
            std::int64_t pieces = 0;
            const auto container = for_each_stack(holder, [&](const StackView& stack) {
                ++stacks;
                pieces += stack.quantity;
            });
            rows.push_back({world.world.name, number(at.x), number(at.y), number(at.z), std::string(key),
                            container.capacity, stacks, pieces,
                            container.droplist.empty() ? Value{} : Value{std::string(container.droplist)},
                            number(pos.x), number(pos.z)});
        }
        return {};
    }
};

class ItemBatch final : public AskedBatch {
public:
    using AskedBatch::AskedBatch;

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                          std::vector<Row>& rows) override {
        constexpr std::size_t k_block = 10;
        constexpr std::size_t k_metadata = 9;
        TRY(const auto* chunk, read(world, pos, reader,
                                    filter_.uses(k_block) ? chunk::k_block_components | chunk::k_blocks
                                                          : chunk::k_block_components));
        if (chunk == nullptr) return {};
        for (const auto& [index, holder] : chunk->block_components().entries()) {
            const auto at = index.pos(pos);
            if (!is_inside(at)) continue;
            for_each_stack(holder, [&](const StackView& stack) {
                if (!filter_.admits_key(stack.id)) return;
                const auto metadata = stack.item.document("Metadata");
                const auto slot = slot_number(stack.slot);
                rows.push_back({world.world.name, number(at.x), number(at.y), number(at.z),
                                std::string(stack.id), stack.quantity, std::string(stack.part),
                                slot ? Value{*slot} : Value{}, number_in(stack.item, "Durability"),
                                metadata ? json(k_metadata, *metadata, reader) : Value{},
                                filter_.uses(k_block) ? Value{std::string(chunk->block(at).key)} : Value{},
                                stack.number, number(pos.x), number(pos.z)});
            });
        }
        return {};
    }
};

// ---- entities

class EntityBatch final : public AskedBatch {
public:
    using AskedBatch::AskedBatch;

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader,
                          std::vector<Row>& rows) override {
        TRY(const auto* chunk, read(world, pos, reader, chunk::k_entities));
        if (chunk == nullptr) return {};
        constexpr std::size_t k_data = 7;
        std::int64_t entity = 0;
        for (const auto& holder : chunk->entities().holders()) {
            const auto entity_number = entity++;
            const auto type = map::entity_type(holder);
            if (!filter_.admits_key(type)) continue;
            const auto name = map::entity_name(holder);
            const auto at = map::entity_position(holder);
            const auto coordinate = [&at](std::size_t axis) { return at ? Value{(*at)[axis]} : Value{}; };
            rows.push_back({world.world.name, coordinate(0), coordinate(1), coordinate(2), std::string(type),
                            name.empty() ? Value{} : Value{std::string(name)}, entity_number,
                            json(k_data, holder.document("Components").value_or(holder), reader),
                            number(pos.x), number(pos.z)});
        }
        return {};
    }
};

// ---- findings

class FindingBatch final : public AskedBatch {
public:
    using AskedBatch::AskedBatch;

private:
    Result<void> add_rows(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader&,
                          std::vector<Row>& rows) override {
        if (!verifier_ || verified_ != world.store.get()) {
            verifier_.reset();
            verifier_ = std::make_unique<jobs::ChunkVerifier>(*world.store, world::Assets::built_in());
            verified_ = world.store.get();
        }
        found_.clear();
        verifier_->run(pos, found_);
        const auto blob = world.store->blob_info(pos);
        if (blob && *blob && (*blob)->raw_size > k_large_memory) verifier_.reset(); // with what it keeps
        std::int64_t finding_number = -1;
        for (const auto& finding : found_) {
            ++finding_number;
            const auto& info = jobs::code_info(finding.code);
            if (!filter_.admits_key(info.name)) continue;
            rows.push_back({world.world.name, number(pos.x), number(pos.z), std::string(info.name),
                            std::string(jobs::name(info.severity)), number(finding.count),
                            finding.part.empty() ? Value{} : Value{finding.part}, finding.text, finding.file,
                            finding.offset ? Value{number(*finding.offset)} : Value{}, finding_number});
        }
        return {};
    }

    const storage::Store* verified_ = nullptr;
    std::unique_ptr<jobs::ChunkVerifier> verifier_;
    std::vector<jobs::Finding> found_;
};

} // namespace

std::vector<Table> holder_tables() {
    const Column world{"world", "TEXT", Role::world};
    const Column x{"x", "INTEGER", Role::x};
    const Column y{"y", "INTEGER", Role::y};
    const Column z{"z", "INTEGER", Role::z};
    const Column of_chunk_x{"chunk_x", "INTEGER", Role::chunk_x};
    const Column of_chunk_z{"chunk_z", "INTEGER", Role::chunk_z};
    return {
        {"chunks",
         "A chunk: 32 x 320 x 32 blocks",
         {world,
          {"x", "INTEGER", Role::chunk_x},
          {"z", "INTEGER", Role::chunk_z},
          {"region", "TEXT"},
          {"file", "TEXT"},
          {"saved", "TEXT"},
          {"offset", "INTEGER"},
          {"bytes", "INTEGER"},
          {"compressed", "INTEGER"},
          {"segments", "INTEGER"},
          {"version", "INTEGER"},
          {"sections", "INTEGER"},
          {"entities", "INTEGER"},
          {"block_components", "INTEGER"}},
         "world, x, z",
         1e3,
         opener<StoredBatch>()},
        {"block_components",
         "A component of a block: what a chest holds, how far a crop has grown",
         {world, x, y, z, {"name", "TEXT", Role::key}, {"data", "TEXT"}, of_chunk_x, of_chunk_z},
         "world, x, y, z, name",
         1e4,
         opener<ComponentBatch>()},
        {"containers",
         "A block that holds items, also an empty one",
         {world,
          x,
          y,
          z,
          {"key", "TEXT", Role::key},
          {"capacity", "INTEGER"},
          {"stacks", "INTEGER"},
          {"pieces", "INTEGER"},
          {"droplist", "TEXT"},
          of_chunk_x,
          of_chunk_z},
         "world, x, y, z",
         1e3,
         opener<ContainerBatch>()},
        {"items",
         "A stack in a container",
         {world,
          x,
          y,
          z,
          {"id", "TEXT", Role::key},
          {"quantity", "INTEGER"},
          {"part", "TEXT"},
          {"slot", "INTEGER"},
          {"durability", "REAL"},
          {"metadata", "TEXT"},
          {"block", "TEXT"},
          {"number", "INTEGER"},
          of_chunk_x,
          of_chunk_z},
         "world, x, y, z, number",
         1e4,
         opener<ItemBatch>()},
        {"entities",
         "A creature, a dropped item, a marker",
         {world,
          {"x", "REAL", Role::point_x},
          {"y", "REAL"},
          {"z", "REAL", Role::point_z},
          {"type", "TEXT", Role::key},
          {"name", "TEXT"},
          {"number", "INTEGER"},
          {"data", "TEXT"},
          of_chunk_x,
          of_chunk_z},
         "world, chunk_x, chunk_z, number",
         1e4,
         opener<EntityBatch>()},
        {"findings",
         "What verify finds in a chunk",
         {world,
          of_chunk_x,
          of_chunk_z,
          {"code", "TEXT", Role::key},
          {"severity", "TEXT"},
          {"count", "INTEGER"},
          {"part", "TEXT"},
          {"message", "TEXT"},
          {"file", "TEXT"},
          {"offset", "INTEGER"},
          {"number", "INTEGER"}},
         "world, chunk_x, chunk_z, number",
         1e5,
         opener<FindingBatch>()},
    };
}

} // namespace orbis::query
