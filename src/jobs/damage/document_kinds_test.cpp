#include "bson/patch.hpp"
#include "bson/writer.hpp"
#include "bytes/writer.hpp"
#include "jobs/damage/corpus_test.hpp"

#include <algorithm>

namespace orbis::jobs::damage {

namespace {

using Affected = std::optional<std::set<ChunkPos>>;

/// Breaks the document of the second chunk.
Kind document(std::string name, std::vector<std::string> codes, Cure cure,
              std::function<bool(const Patient&, ChunkPos)> apply) {
    return {std::move(name), std::move(codes), cure,
            [apply = std::move(apply)](const Patient& patient) -> Affected {
                const auto pos = patient.chunks().at(1);
                if (!apply(patient, pos)) return std::nullopt;
                return std::set<ChunkPos>{pos};
            }};
}

/// The same for the first chunk that meets a condition.
Kind document_with(std::string name, std::vector<std::string> codes, Cure cure,
                   std::function<bool(const chunk::Chunk&)> wanted,
                   std::function<bool(const Patient&, ChunkPos)> apply) {
    return {std::move(name), std::move(codes), cure,
            [apply = std::move(apply), wanted = std::move(wanted)](const Patient& patient) -> Affected {
                const auto pos = patient.find(wanted);
                if (!pos || !apply(patient, *pos)) return std::nullopt;
                return std::set<ChunkPos>{*pos};
            }};
}

Kind missing(const std::string& component, Cure cure) {
    return document("Missing" + component, {"component.missing"}, cure, [=](const Patient& p, ChunkPos pos) {
        return p.remove_element(pos, {"Components", component});
    });
}

/// A blob that becomes four bytes of nonsense.
Kind nonsense(std::string name, std::vector<std::string> path, Cure cure = Cure::repair) {
    return document(std::move(name), {"component.unreadable"}, cure, [=](const Patient& p, ChunkPos pos) {
        return p.put_blob(pos, path, std::vector<std::uint8_t>{0xFF, 0xFE, 0xFD, 0xFC});
    });
}

bool set_element(const Patient& p, ChunkPos pos, bson::Patch::Path path, bson::Value value) {
    const auto bytes = p.document(pos);
    bson::Patch patch(bson::Document::open(bytes).value());
    Buffer out;
    if (!patch.set(path, std::move(value)) || !patch.apply(out)) return false;
    p.put_document(pos, out);
    return true;
}

bool set_element(const Patient& p, ChunkPos pos, std::initializer_list<std::string_view> path,
                 bson::Value value) {
    return set_element(p, pos, bson::Patch::Path(path.begin(), path.size()), std::move(value));
}

/// One letter of a name that leads to `path` becomes another.
Kind misspelt(std::string name, const std::string& right, const std::string& wrong, Cure cure) {
    return document(std::move(name), {"component.misspelt"}, cure, [=](const Patient& p, ChunkPos pos) {
        bool done = false;
        p.edit_document(pos, [&](Buffer& bytes) {
            const auto key = right + '\0';
            const auto at = std::ranges::search(bytes, key).begin();
            done = at != bytes.end();
            if (done) std::ranges::copy(wrong, at);
        });
        return done;
    });
}

bool has_entities(const chunk::Chunk& chunk) { return !chunk.entities().holders().empty(); }

bool has_block_components(const chunk::Chunk& chunk) { return !chunk.block_components().entries().empty(); }

/// A section with light of its own, from the top.
std::optional<int> lit_section(const chunk::Chunk& chunk) {
    for (int y = k_sections - 1; y >= 0; --y)
        if (chunk.section(y).local_light.present()) return y;
    return std::nullopt;
}

} // namespace

std::vector<Kind> document_kinds() {
    std::vector<Kind> kinds;
    kinds.push_back(document("BsonLength", {"document.bson"}, Cure::from, [](const Patient& p, ChunkPos pos) {
        p.edit_document(pos, [](Buffer& bytes) { store_le(bytes.data(), std::int32_t{7}); });
        return true;
    }));
    kinds.push_back(document("BsonCut", {"document.bson"}, Cure::from, [](const Patient& p, ChunkPos pos) {
        p.edit_document(pos, [](Buffer& bytes) { bytes.resize(bytes.size() / 2); });
        return true;
    }));
    kinds.push_back(
        document("BsonCutWithItsLength", {"document.bson"}, Cure::remove, [](const Patient& p, ChunkPos pos) {
            p.edit_document(pos, [](Buffer& bytes) {
                bytes.resize(bytes.size() / 2);
                bytes.back() = 0;
                store_le(bytes.data(), static_cast<std::int32_t>(bytes.size()));
            });
            return true;
        }));
    kinds.push_back(
        document("BsonElementType", {"document.bson"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            p.edit_document(pos, [](Buffer& bytes) { bytes[4] = 0x77; });
            return true;
        }));
    kinds.push_back(
        document("ZerosForADocument", {"document.bson"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            p.edit_document(pos, [](Buffer& bytes) { std::ranges::fill(bytes, std::uint8_t{0}); });
            return true;
        }));
    kinds.push_back(document_with(
        "TextThatIsNoUtf8InAnEntity", {"document.bson"}, Cure::repair, has_entities,
        [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos,
                               {"Components", "EntityChunk", "Entities", "0", "Components", "Nameplate"}, [] {
                                   Buffer out;
                                   bson::Writer(out).string("Text", "\xC3\x28").finish();
                                   return bson::Value::document(std::move(out));
                               }());
        }));
    kinds.push_back(
        document("NoComponents", {"document.no-components"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            p.put_document(pos, bson::empty_document());
            return true;
        }));
    kinds.push_back(
        document("ComponentsIsANumber", {"document.bson"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            Buffer out;
            bson::Writer(out).int32("Components", 3).finish();
            p.put_document(pos, out);
            return true;
        }));
    kinds.push_back(missing("WorldChunk", Cure::repair));
    kinds.push_back(missing("BlockChunk", Cure::repair));
    kinds.push_back(missing("ChunkColumn", Cure::from));
    kinds.push_back(misspelt("MisspeltEnvironments", "EnvironmentChunk", "EnvirtnmentChunk", Cure::repair));
    kinds.push_back(misspelt("MisspeltWorldChunk", "WorldChunk", "jorldChunk", Cure::repair));
    kinds.push_back(misspelt("MisspeltWorldChunkWithABackup", "WorldChunk", "jorldChunk", Cure::from));
    kinds.push_back(misspelt("MisspeltSections", "Sections", "Sectinns", Cure::repair));
    kinds.push_back(misspelt("MisspeltFluid", "Fluid", "Fluie", Cure::repair));
    kinds.push_back(misspelt("MisspeltEntities", "Entities", "Entitaes", Cure::repair));
    kinds.push_back(nonsense("BlockDataNonsense", section_path(0, "Block")));
    kinds.push_back(nonsense("FluidDataNonsense", section_path(0, "Fluid")));
    kinds.push_back(nonsense("EnvironmentNonsense", {"Components", "EnvironmentChunk", "Data"}));
    kinds.push_back(
        document("HealthCut", {"component.unreadable"}, Cure::repair, [](const Patient& p, ChunkPos pos) {
            const Buffer cut{2, 0, 0, 0, 9};
            return p.put_blob(pos, {"Components", "BlockHealthChunk", "Data"}, cut);
        }));
    kinds.push_back(nonsense("HeightsNonsense", {"Components", "BlockChunk", "Data"}));
    kinds.push_back(document(
        "BlockPaletteType", {"component.unreadable"}, Cure::repair, [](const Patient& p, ChunkPos pos) {
            return p.edit_blob(pos, section_path(1, "Block"), [](MutableBytes data) { data[4] = 9; });
        }));
    kinds.push_back(
        document("BlockPaletteCut", {"component.unreadable"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            const auto chunk = chunk::Chunk::decode(p.document(pos)).value();
            const auto path = section_path(0, "Block");
            const auto data = chunk.component("ChunkColumn")
                                  ->array("Sections")
                                  ->document("0")
                                  ->document("Components")
                                  ->document("Block")
                                  ->find("Data")
                                  ->binary()
                                  ->data;
            return p.put_blob(
                pos, path, Buffer(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(data.size() / 2)));
        }));
    kinds.push_back(
        {"LightTreeBroken", {"component.unreadable"}, Cure::repair, [](const Patient& patient) -> Affected {
             const auto pos = patient.find([](const auto& chunk) { return lit_section(chunk).has_value(); });
             if (!pos) return std::nullopt;
             const auto chunk = chunk::Chunk::decode(patient.document(*pos)).value();
             const int y = *lit_section(chunk);
             const auto tree = chunk.section(y).local_light.tree();
             const Buffer wanted(tree.begin(), tree.end());
             // The length of the tree, four bytes before it, says one less.
             const bool done = patient.edit_blob(*pos, section_path(y, "Block"), [&](MutableBytes data) {
                 const auto found = std::ranges::search(data, wanted);
                 *(found.begin() - 1) = static_cast<std::uint8_t>(*(found.begin() - 1) - 1);
             });
             if (!done) return std::nullopt;
             return std::set<ChunkPos>{*pos};
         }});
    kinds.push_back({"BlockOfANewerVersion",
                     {"component.too-new"},
                     Cure::none,
                     [](const Patient& p) -> Affected {
                         const auto pos = p.chunks().at(1);
                         if (!set_element(p, pos,
                                          {"Components", "ChunkColumn", "Sections", "0", "Components",
                                           "Block", "Version"},
                                          bson::Value::int32(99)))
                             return std::nullopt;
                         return std::set<ChunkPos>{pos};
                     },
                     true});
    kinds.push_back(document(
        "EntitiesAreANumber", {"component.unreadable"}, Cure::repair, [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos, {"Components", "EntityChunk", "Entities"}, bson::Value::int32(5));
        }));
    kinds.push_back(document_with(
        "AnEntityIsANumber", {"component.unreadable"}, Cure::repair, has_entities,
        [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos, {"Components", "EntityChunk", "Entities", "0"}, bson::Value::int32(5));
        }));
    kinds.push_back(document_with(
        "BlockComponentWithoutAnIndex", {"component.unreadable"}, Cure::repair, has_block_components,
        [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos, {"Components", "BlockComponentChunk", "BlockComponents", "north"},
                               bson::Value::document(bson::empty_document()));
        }));
    kinds.push_back(
        document("ElevenSections", {"section.surplus"}, Cure::repair, [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos, {"Components", "ChunkColumn", "Sections", "10"},
                               bson::Value::document(bson::empty_document()));
        }));
    kinds.push_back(document(
        "ASectionIsANumber", {"component.unreadable"}, Cure::repair, [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos, {"Components", "ChunkColumn", "Sections", "2"}, bson::Value::int32(1));
        }));
    kinds.push_back(document(
        "SectionsAreANumber", {"component.unreadable"}, Cure::from, [](const Patient& p, ChunkPos pos) {
            return set_element(p, pos, {"Components", "ChunkColumn", "Sections"}, bson::Value::int32(1));
        }));
    kinds.push_back(document(
        "PhysicsNonsense", {"component.unreadable"}, Cure::repair, [](const Patient& p, ChunkPos pos) {
            Buffer physics;
            bson::Writer(physics).binary("Data", std::array<std::uint8_t, 3>{7, 7, 7}).finish();
            return set_element(p, pos,
                               {"Components", "ChunkColumn", "Sections", "0", "Components", "BlockPhysics"},
                               bson::Value::document(std::move(physics)));
        }));
    return kinds;
}

} // namespace orbis::jobs::damage
