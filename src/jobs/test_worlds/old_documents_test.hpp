#pragma once

#include "chunk/chunk.hpp"
#include "chunk/chunk_documents_test.hpp"

/// Chunk documents for tests of jobs: plain, changed, old and damaged ones.
namespace orbis::jobs::test_worlds {

namespace documents = chunk::test_documents;

inline const Buffer& plain() {
    static const auto made = documents::document(documents::ten_sections());
    return made;
}

/// A plain one but for one cell of section 1.
inline Buffer with_block(int cell) {
    auto sections = documents::ten_sections();
    sections[1].blocks[static_cast<std::size_t>(cell)] = "Rock_Marble";
    return documents::document(sections);
}

/// The document with what `edit` does to it.
template <typename Edit>
Buffer edited(const Buffer& document, Edit&& edit) {
    auto chunk = chunk::Chunk::decode(Bytes(document)).value();
    edit(chunk);
    Buffer out;
    const auto bytes = chunk.encode(out).value();
    return {bytes.begin(), bytes.end()};
}

/// The same chunk with light that was computed, dark as it is: edits around make it stale.
inline Buffer with_computed_light(const Buffer& document) {
    return edited(document, [](chunk::Chunk& chunk) {
        for (int y = 0; y < k_sections; ++y) {
            auto* section = chunk.edit_section(y).value();
            section->local_counter = section->global_counter = 1;
            section->local_light.clear(1);
            section->global_light.clear(1);
        }
    });
}

/// Sections of version 4 with rotations and a fluid in their keys, a key that was renamed since and one of a
/// mod.
inline std::vector<test::SectionImage> old_sections() {
    auto sections = documents::ten_sections(4);
    sections[2].blocks.assign(test::k_image_cells, "Empty");
    sections[2].blocks[0] = "Wood_Softwood_Stairs|Yaw=90";
    sections[2].blocks[1] = "Wood_Softwood_Stairs";
    sections[2].blocks[1024] = "Plant_Crop_Carrot_Stage_1";
    sections[2].blocks[1025] = "Fluid_Lava";
    sections[2].blocks[2048] = "Mod_Block";
    return sections;
}

inline const Buffer& old_document() {
    static const auto made = documents::document(old_sections());
    return made;
}

/// A document that is BSON but has one damaged section.
inline Buffer damaged_document() {
    auto document = plain();
    // The type of the block palette of the first section, after its migration count 11: no palette is of
    // type 9.
    const std::string_view start("Data\0", 5);
    auto at = as_text(document).find(start, as_text(document).find("ChunkColumn"));
    document[at + start.size() + 5 + 4] = 9;
    return document;
}

} // namespace orbis::jobs::test_worlds
