#include "bson/writer.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "jobs/damage/corpus_test.hpp"
#include "world/assets.hpp"

#include <algorithm>

namespace orbis::jobs::damage {

namespace {

using Affected = std::optional<std::set<ChunkPos>>;

/// A section whose block palette has entries, by kind.
std::optional<int> mixed_section(const chunk::Chunk& chunk, std::size_t least) {
    for (int y = 0; y < k_sections; ++y)
        if (chunk.section(y).blocks.entries().size() >= least && chunk.section(y).version == 6) return y;
    return std::nullopt;
}

/// Changes the blob of a section with many blocks.
Kind section(std::string name, std::vector<std::string> codes,
             std::function<bool(const chunk::Section&, MutableBytes)> edit, std::size_t least = 2) {
    return {std::move(name), std::move(codes), Cure::repair,
            [edit = std::move(edit), least](const Patient& patient) -> Affected {
                const auto pos =
                    patient.find([&](const auto& chunk) { return mixed_section(chunk, least).has_value(); });
                if (!pos) return std::nullopt;
                const auto chunk = chunk::Chunk::decode(patient.document(*pos)).value();
                const int y = *mixed_section(chunk, least);
                bool done = false;
                patient.edit_blob(*pos, section_path(y, "Block"),
                                  [&](MutableBytes data) { done = edit(chunk.section(y), data); });
                if (!done) return std::nullopt;
                return std::set<ChunkPos>{*pos};
            }};
}

/// Changes a chunk with the model, without the care that verbs take.
Kind model(
    std::string name, std::vector<std::string> codes, Cure cure,
    std::function<bool(chunk::Chunk&, ChunkPos)> edit,
    std::function<bool(const chunk::Chunk&)> wanted = [](const chunk::Chunk&) { return true; }) {
    return {std::move(name), std::move(codes), cure,
            [edit = std::move(edit), wanted = std::move(wanted)](const Patient& patient) -> Affected {
                const auto pos = patient.find(wanted);
                if (!pos) return std::nullopt;
                bool done = false;
                patient.edit_chunk(*pos, [&](chunk::Chunk& chunk) { done = edit(chunk, *pos); });
                if (!done) return std::nullopt;
                return std::set<ChunkPos>{*pos};
            }};
}

bool has_fluid(const chunk::Chunk& chunk) {
    for (int y = 0; y < k_sections; ++y)
        if (chunk.section(y).levels.present()) return true;
    return false;
}

/// The first fluid cell of a chunk.
std::optional<std::pair<int, CellIndex>> fluid_cell(const chunk::Chunk& chunk) {
    for (int y = 0; y < k_sections; ++y)
        for (int i = 0; i < k_cells; ++i)
            if (chunk.section(y).levels.present() && chunk.section(y).levels.at(CellIndex(i)) > 0)
                return std::pair(y, CellIndex(i));
    return std::nullopt;
}

Buffer entity_at(double x, double y, double z) {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components").document("Transform").document("Position");
    writer.real("X", x).real("Y", y).real("Z", z).end().end().end().finish();
    return out;
}

} // namespace

std::vector<Kind> cell_kinds() {
    std::vector<Kind> kinds;
    // After the migration count and the type stand the number of entries, then id, key and count of the
    // first.
    kinds.push_back(section("PaletteCount", {"palette.count"}, [](const chunk::Section&, MutableBytes data) {
        const auto key = load_be<std::uint16_t>(data.data() + 4 + 1 + 2 + 1);
        auto* const count = data.data() + 4 + 1 + 2 + 1 + 2 + key;
        store_be(count, static_cast<std::uint16_t>(load_be<std::uint16_t>(count) ^ 3));
        return true;
    }));
    kinds.push_back(section(
        "PaletteIdWithoutAnEntry", {"palette.id"}, [](const chunk::Section& section, MutableBytes data) {
            if (section.blocks.kind() != chunk::PaletteKind::half_byte
                || section.blocks.entries().size() > 14)
                return false;
            // The id of the first entry becomes one that nobody has, so its cells have none.
            for (std::uint8_t id = 0; id < 16; ++id) {
                const bool taken =
                    std::ranges::any_of(section.blocks.entries(), [&](const auto& e) { return e.id == id; });
                if (taken) continue;
                data[4 + 1 + 2] = id;
                return true;
            }
            return false;
        }));
    kinds.push_back(
        model("RotationOutOfRange", {"rotation.range"}, Cure::repair, [](chunk::Chunk& chunk, ChunkPos) {
            auto section = chunk.edit_section(0);
            if (!section) return false;
            (*section)->rotations.set(CellIndex(3), 200);
            return true;
        }));
    kinds.push_back(
        model("LevelWithoutAFluid", {"fluid.level"}, Cure::repair, [](chunk::Chunk& chunk, ChunkPos) {
            auto section = chunk.edit_section(9);
            if (!section || (*section)->fluids.at(CellIndex(7)) != chunk::k_empty_key) return false;
            (*section)->levels.set(CellIndex(7), 4);
            return true;
        }));
    kinds.push_back(model(
        "FluidWithoutALevel", {"fluid.level"}, Cure::repair,
        [](chunk::Chunk& chunk, ChunkPos) {
            const auto cell = fluid_cell(chunk);
            auto section = cell ? chunk.edit_section(cell->first) : chunk.edit_section(0);
            if (!cell || !section) return false;
            (*section)->levels.set(cell->second, 0);
            return true;
        },
        has_fluid));
    kinds.push_back(model("FillerWithoutItsBase", {"filler.dangling"}, Cure::repair,
                          [](chunk::Chunk& chunk, ChunkPos pos) {
                              const BlockPos cell{pos.x * 32 + 10, 300, pos.z * 32 + 10};
                              return chunk
                                         .set_block(cell, {.key = "Furniture_Crude_Bed",
                                                           .rotation = {},
                                                           .filler = chunk::Filler::of_offset(0, 0, 1)})
                                         .has_value()
                                     && chunk
                                            .update_heights([](std::string_view key) {
                                                return world::Assets::built_in().is_transparent(key);
                                            })
                                            .has_value();
                          }));
    kinds.push_back(model("HeightWrong", {"height.wrong"}, Cure::repair, [](chunk::Chunk& chunk, ChunkPos) {
        auto heights = chunk.edit_heights();
        return heights && (*heights)->set(ColumnIndex(5, 5), 319);
    }));
    kinds.push_back(model(
        "StaleLight", {"light.stale"}, Cure::repair,
        [](chunk::Chunk& chunk, ChunkPos) {
            for (int y = 0; y < k_sections; ++y)
                if (chunk.section(y).local_light.present()) {
                    auto section = chunk.edit_section(y);
                    if (section) (*section)->invalidate_light();
                    return section.has_value();
                }
            return false;
        },
        [](const chunk::Chunk& chunk) {
            for (int y = 0; y < k_sections; ++y)
                if (chunk.section(y).local_light.present()) return true;
            return false;
        }));
    kinds.push_back(
        model("EntityOutside", {"entity.outside"}, Cure::none, [](chunk::Chunk& chunk, ChunkPos pos) {
            auto entities = chunk.edit_entities();
            return entities && (*entities)->add(entity_at(pos.x * 32 + 5000, 100, pos.z * 32)).has_value();
        }));
    kinds.push_back(model("EntityWithoutAPosition", {"entity.no-position"}, Cure::none,
                          [](chunk::Chunk& chunk, ChunkPos) {
                              Buffer holder;
                              bson::Writer writer(holder);
                              writer.document("Components").end().finish();
                              auto entities = chunk.edit_entities();
                              return entities && (*entities)->add(std::move(holder)).has_value();
                          }));
    kinds.push_back(model(
        "BlockComponentOnAir", {"block-component.host"}, Cure::none, [](chunk::Chunk& chunk, ChunkPos pos) {
            Buffer holder;
            bson::Writer writer(holder);
            writer.document("Components").document("container").end().end().finish();
            auto components = chunk.edit_block_components();
            return components
                   && (*components)
                          ->set(chunk::BlockIndex(BlockPos{pos.x * 32, 310, pos.z * 32}), std::move(holder))
                          .has_value();
        }));
    kinds.push_back(model(
        "ChestOnPlainRock", {"block-component.host"}, Cure::none, [](chunk::Chunk& chunk, ChunkPos pos) {
            Buffer holder;
            bson::Writer writer(holder);
            writer.document("Components").document("ItemContainerBlock").end().end().finish();
            const BlockPos cell{pos.x * 32 + 1, 5, pos.z * 32 + 1};
            auto components = chunk.edit_block_components();
            return chunk.set_block(cell, {.key = "Rock_Stone", .rotation = {}, .filler = {}}).has_value()
                   && components && (*components)->set(chunk::BlockIndex(cell), std::move(holder)).has_value()
                   && chunk
                          .recompute_heights([](std::string_view key) {
                              return world::Assets::built_in().is_transparent(key);
                          })
                          .has_value();
        }));
    kinds.push_back(
        model("BlockComponentAboveTheWorld", {"block-component.place"}, Cure::none,
              [](chunk::Chunk& chunk, ChunkPos) {
                  Buffer holder;
                  bson::Writer writer(holder);
                  writer.document("Components").end().finish();
                  auto components = chunk.edit_block_components();
                  return components
                         && (*components)->set(chunk::BlockIndex(400 << 10), std::move(holder)).has_value();
              }));
    kinds.push_back(
        model("HealthOutside", {"health.outside"}, Cure::none, [](chunk::Chunk& chunk, ChunkPos pos) {
            auto health = chunk.edit_health();
            if (!health) return false;
            (*health)->set({{.pos = {pos.x * 32 + 99, 5, pos.z * 32}, .health = 0.5F, .last_damage = 1}}, {});
            return true;
        }));
    kinds.push_back(
        model("UnknownBlock", {"block.unknown"}, Cure::none, [](chunk::Chunk& chunk, ChunkPos pos) {
            return chunk
                       .set_block({pos.x * 32 + 2, 4, pos.z * 32 + 2},
                                  {.key = "Mod_Block_Nobody_Knows", .rotation = {}, .filler = {}})
                       .has_value()
                   && chunk
                          .recompute_heights([](std::string_view key) {
                              return world::Assets::built_in().is_transparent(key);
                          })
                          .has_value();
        }));
    kinds.push_back(
        model("UnknownFluid", {"fluid.unknown"}, Cure::none, [](chunk::Chunk& chunk, ChunkPos pos) {
            return chunk.set_fluid({pos.x * 32 + 2, 250, pos.z * 32 + 2}, {.key = "Mod_Fluid", .level = 3})
                .has_value();
        }));
    kinds.push_back(
        {"TickingCount", {"ticking.count"}, Cure::repair, [](const Patient& patient) -> Affected {
             // Right after the cells of the block palette stands the number of ticking cells.
             const auto pos =
                 patient.find([](const auto& chunk) { return mixed_section(chunk, 2).has_value(); });
             if (!pos) return std::nullopt;
             const auto chunk = chunk::Chunk::decode(patient.document(*pos)).value();
             const int y = *mixed_section(chunk, 2);
             std::size_t at = 4 + 1 + 2;
             const auto& blocks = chunk.section(y).blocks;
             if (blocks.kind() == chunk::PaletteKind::wide) return std::nullopt;
             for (const auto& entry : blocks.entries()) at += 1 + 2 + entry.value.size() + 2;
             at += blocks.kind() == chunk::PaletteKind::half_byte ? 16384U : 32768U;
             patient.edit_blob(*pos, section_path(y, "Block"), [&](MutableBytes data) {
                 store_be(data.data() + at,
                          static_cast<std::uint16_t>(load_be<std::uint16_t>(data.data() + at) + 5));
             });
             return std::set<ChunkPos>{*pos};
         }});
    kinds.push_back({"TickingAir", {"ticking.empty"}, Cure::none, [](const Patient& patient) -> Affected {
                         const auto pos = patient.chunks().at(0);
                         patient.edit_chunk(pos, [](chunk::Chunk& chunk) {
                             auto section = chunk.edit_section(9);
                             if (!section) return;
                             (*section)->blocks.set(CellIndex(1), "Rock_Stone");
                             (*section)->ticking.set(CellIndex(2), true);
                             (void)chunk.recompute_heights([](std::string_view key) {
                                 return world::Assets::built_in().is_transparent(key);
                             });
                         });
                         return std::set<ChunkPos>{pos};
                     }});
    kinds.push_back(
        {"TintIndexWithoutAKey", {"column.key"}, Cure::repair, [](const Patient& patient) -> Affected {
             const auto pos = patient.chunks().at(1);
             // The indices are the last 1280 bytes; a chunk has few tints.
             const bool done =
                 patient.edit_blob(pos, {"Components", "BlockChunk", "Data"}, [](MutableBytes data) {
                     data[data.size() - 1280] = 0xFF;
                     data[data.size() - 1279] |= 0x03;
                 });
             if (!done) return std::nullopt;
             return std::set<ChunkPos>{pos};
         }});
    kinds.push_back(
        {"EnvironmentWithoutAName", {"environment.runs"}, Cure::none, [](const Patient& patient) -> Affected {
             const auto pos = patient.chunks().at(1);
             // The last number is the id of the highest run of the last column.
             const bool done =
                 patient.edit_blob(pos, {"Components", "EnvironmentChunk", "Data"}, [](MutableBytes data) {
                     store_be(data.data() + data.size() - 4, std::int32_t{12345});
                 });
             if (!done) return std::nullopt;
             return std::set<ChunkPos>{pos};
         }});
    return kinds;
}

} // namespace orbis::jobs::damage
