#include "bson/patch.hpp"
#include "bson/writer.hpp"
#include "chunk/chunk.hpp"

#include <array>

namespace orbis::chunk {

namespace {

/// About the size of the stored `Block`, so that a buffer for it need not grow.
std::size_t size_of_block(const Section& section) {
    constexpr std::size_t k_entry = 48; // longer than most
    const auto palette = [](const auto& values) {
        return values.kind() == PaletteKind::empty
                   ? std::size_t{1}
                   : values.stored_cells().size() + values.entries().size() * k_entry;
    };
    return palette(section.blocks) + palette(section.fillers) + palette(section.rotations)
           + section.local_light.tree().size() + section.global_light.tree().size()
           + (TickingSet::k_words + 8) * 8;
}

} // namespace

/// Collects the changes of a chunk as changes of its document.
class Encoder {
public:
    explicit Encoder(const Chunk& chunk) : chunk_(chunk), patch_(chunk.root_) {}

    Result<void> run(Buffer& out) {
        TRY_DO(column());
        TRY_DO(block_chunk());
        if (chunk_.environments_.changed()) TRY_DO(blob("EnvironmentChunk", chunk_.environments_));
        if (chunk_.health_.changed()) TRY_DO(blob("BlockHealthChunk", chunk_.health_));
        TRY_DO(block_components());
        TRY_DO(entities());
        for (const auto& [name, document] : chunk_.other_components_)
            TRY_DO(document ? set({"Components", name}, bson::Value::document(*document))
                            : patch_.remove({"Components", name}));
        out.clear();
        return patch_.apply(out);
    }

private:
    using Keys = std::initializer_list<std::string_view>;

    Result<void> set(Keys path, bson::Value value) { return patch_.set(path, std::move(value)); }

    bool has(std::string_view component) const { return chunk_.components_.document(component).has_value(); }

    template <typename Part>
    Result<void> blob(std::string_view component, const Part& part) {
        Buffer data;
        part.append_to(data);
        if (has(component)) return set({"Components", component, "Data"}, bson::Value::binary(data));
        Buffer document;
        bson::Writer(document).binary("Data", data).finish();
        return set({"Components", component}, bson::Value::document(std::move(document)));
    }

    /// A whole section as a holder; components that are not known come from the one that is there.
    static Buffer holder(const Section& section) {
        Buffer out;
        bson::Writer writer(out);
        writer.document("Components").document("ChunkSection").end();
        Buffer data;
        section.append_block(data);
        writer.document("Block").int32("Version", Section::k_version).binary("Data", data).end();
        data.clear();
        section.append_fluid(data);
        writer.document("Fluid").binary("Data", data).end();
        if (section.supports.present()) {
            data.clear();
            section.append_physics(data);
            writer.document("BlockPhysics").binary("Data", data).end();
        }
        writer.end().finish();
        return out;
    }

    Result<void> column() {
        bool any = chunk_.moves_sections_;
        for (const auto& section : *chunk_.sections_)
            any = any || section.block_changed() || section.fluid_changed() || section.physics_changed();
        if (!any) return {};
        if (chunk_.column_broken_) // the sections of the document are unknown
            return fail(Errc::unsupported, "ChunkColumn is damaged, so no section can be written");
        if (!chunk_.has_column_) {
            Buffer document;
            bson::Writer writer(document);
            writer.array("Sections");
            for (std::size_t y = 0; y < k_sections; ++y)
                writer.document(bson::index_key(y), holder((*chunk_.sections_)[y]));
            writer.end().finish();
            return set({"Components", "ChunkColumn"}, bson::Value::document(std::move(document)));
        }
        for (int y = 0; y < k_sections; ++y) TRY_DO(section(y));
        return {};
    }

    Result<void> section(int y) {
        const auto& section = chunk_.section(y);
        const auto key = bson::index_key(static_cast<std::size_t>(y));
        const bool other = section.block_changed() || section.fluid_changed() || section.physics_changed();
        // An array has no gaps, so a section above the stored ones brings those between with it.
        if (!section.has_holder && (other || y >= chunk_.stored_sections_ || chunk_.moves_sections_))
            return set({"Components", "ChunkColumn", "Sections", key},
                       bson::Value::document(holder(section)));
        if (!other) return {};
        if (section.block_changed()) TRY_DO(block(section, key));
        if (section.fluid_changed() || (section.modernised && section.fluid_state == PartState::absent)) {
            Buffer data;
            section.append_fluid(data);
            TRY_DO(part(section.fluid_state, key, "Fluid", data));
        }
        if (section.physics_changed()) {
            Buffer data;
            section.append_physics(data);
            TRY_DO(part(section.physics_state, key, "BlockPhysics", data));
        }
        if (section.modernised && !section.has_marker)
            TRY_DO(set({"Components", "ChunkColumn", "Sections", key, "Components", "ChunkSection"},
                       bson::Value::document(bson::empty_document())));
        return {};
    }

    /// A part that was not read is not replaced, whatever led here.
    static Result<void> replaceable(PartState state, std::string_view name, std::string_view key) {
        if (state == PartState::absent || state == PartState::decoded) return {};
        return fail(Errc::unsupported, "{} of section {} {}, so it cannot be replaced", name, key,
                    state == PartState::broken ? "is damaged" : "was not read");
    }

    Result<void> block(const Section& section, std::string_view key) {
        TRY_DO(replaceable(section.partly_read ? PartState::skipped : section.block_state, "Block", key));
        if (section.block_state == PartState::absent || chunk_.moves_sections_) { // not there yet
            Buffer data;
            section.append_block(data);
            Buffer document;
            bson::Writer(document).int32("Version", Section::k_version).binary("Data", data).finish();
            return set({"Components", "ChunkColumn", "Sections", key, "Components", "Block"},
                       bson::Value::document(std::move(document)));
        }
        if (section.modernised)
            TRY_DO(set({"Components", "ChunkColumn", "Sections", key, "Components", "Block", "Version"},
                       bson::Value::int32(Section::k_version)));
        const auto& place = section.place;
        const std::array around{std::size_t{0},
                                chunk_.components_.offset(),
                                chunk_.column_offset_,
                                chunk_.sections_offset_,
                                place.holder,
                                place.components,
                                place.block};
        patch_.set_binary({.value = place.data, .size = place.size, .around = around}, size_of_block(section),
                          [&section](Buffer& data) { section.append_block(data); });
        return {};
    }

    Result<void> part(PartState state, std::string_view key, std::string_view name, Bytes data) {
        TRY_DO(replaceable(state, name, key));
        if (state != PartState::absent)
            return set({"Components", "ChunkColumn", "Sections", key, "Components", name, "Data"},
                       bson::Value::binary(data));
        Buffer document;
        bson::Writer(document).binary("Data", data).finish();
        return set({"Components", "ChunkColumn", "Sections", key, "Components", name},
                   bson::Value::document(std::move(document)));
    }

    Result<void> block_chunk() {
        if (!chunk_.heights_.changed() && !chunk_.tints_.changed() && !chunk_.moves_sections_) return {};
        Buffer data;
        data.push_back(chunk_.needs_physics_ ? 1 : 0);
        chunk_.heights_.append_to(data);
        chunk_.tints_.append_to(data);
        if (!has("BlockChunk")) {
            Buffer document;
            bson::Writer(document).int32("Version", 3).binary("Data", data).finish();
            return set({"Components", "BlockChunk"}, bson::Value::document(std::move(document)));
        }
        if (chunk_.block_chunk_version_ != 3)
            TRY_DO(set({"Components", "BlockChunk", "Version"}, bson::Value::int32(3)));
        return set({"Components", "BlockChunk", "Data"}, bson::Value::binary(data));
    }

    Result<void> block_components() {
        if (!chunk_.block_components_.changed()) return {};
        if (!has("BlockComponentChunk")) {
            Buffer document;
            bson::Writer writer(document);
            writer.document("BlockComponents");
            for (const auto& entry : chunk_.block_components_.entries())
                writer.document(bson::index_key(static_cast<std::size_t>(entry.index.value)),
                                entry.holder.bytes());
            writer.end().finish();
            return set({"Components", "BlockComponentChunk"}, bson::Value::document(std::move(document)));
        }
        const auto stored = chunk_.root_.find_path({"Components", "BlockComponentChunk", "BlockComponents"});
        const auto components = stored ? stored->document() : std::nullopt;
        for (const auto& [index, change] : chunk_.block_components_.edits()) {
            const auto key = bson::index_key(static_cast<std::size_t>(index.value));
            if (!change) { // one that was added and removed again is not stored
                if (components && components->find(key))
                    TRY_DO(patch_.remove({"Components", "BlockComponentChunk", "BlockComponents", key}));
                continue;
            }
            TRY_DO(set({"Components", "BlockComponentChunk", "BlockComponents", key},
                       bson::Value::document(Buffer(change->begin(), change->end()))));
        }
        return {};
    }

    Result<void> entities() {
        if (!chunk_.entities_.changed()) return {};
        Buffer array;
        chunk_.entities_.append_to(array);
        auto value = bson::Value::document(std::move(array), bson::Type::array);
        if (has("EntityChunk")) return set({"Components", "EntityChunk", "Entities"}, std::move(value));
        Buffer document;
        bson::Writer(document).value("Entities", value.type, value.bytes).finish();
        return set({"Components", "EntityChunk"}, bson::Value::document(std::move(document)));
    }

    const Chunk& chunk_;
    bson::Patch patch_;
};

Result<Bytes> Chunk::encode(Buffer& out) const {
    if (!changed()) return document_;
    TRY_DO(Encoder(*this).run(out));
    return Bytes(out);
}

} // namespace orbis::chunk
