#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "chunk/palette.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orbis::chunk {

/// The block palettes of a chunk and nothing else, for questions about many chunks
/// (docs/design/chunk-model.md).
///
/// It knows only what the game writes today. Whatever is old, unusual or damaged is left to `Chunk`, which
/// says what is wrong; so each document that is taken here has no problems there, and the same blocks.
class BlockPalettes {
public:
    struct Entry {
        std::string_view key; ///< lives as long as the document
        std::uint16_t cells;  ///< as stored
        std::uint8_t id;
    };
    /// The blocks of a section: a palette of the kind `empty`, `half_byte` or `byte`.
    struct Section {
        PaletteKind kind;
        std::span<const Entry> entries;
        const std::uint8_t* cells; ///< as they are stored; null for the Empty kind
    };

    /// Takes the palettes of a document, which must outlive their use. False where `Chunk` has to read it;
    /// then all sections are empty.
    bool read(Bytes document);

    [[nodiscard]] Section section(int y) const {
        const auto& stored = sections_[static_cast<std::size_t>(y)];
        return {stored.kind, std::span(entries_).subspan(stored.first, stored.count), stored.cells};
    }

private:
    /// Entries by number, since their list may move while it grows.
    struct Stored {
        const std::uint8_t* cells = nullptr;
        std::uint32_t first = 0;
        std::uint16_t count = 0;
        PaletteKind kind = PaletteKind::empty;
    };

    bool read_root(Bytes document);
    bool read_components(Bytes document);
    bool read_column(Bytes document);
    bool read_section(Bytes document, Stored& out);
    bool read_block(Bytes document, Stored& out);

    std::array<Stored, k_sections> sections_;
    std::vector<Entry> entries_;
};

} // namespace orbis::chunk
