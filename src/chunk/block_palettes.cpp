#include "chunk/block_palettes.hpp"

#include "bson/view.hpp"
#include "bytes/reader.hpp"
#include "chunk/palette_values.hpp"
#include "chunk/section.hpp"

#include <bit>

namespace orbis::chunk {

namespace {

constexpr std::int32_t k_oldest_block = 5; ///< before it, keys have attributes
constexpr std::int32_t k_block_chunk = 3;  ///< before it, the sections are inside

/// Steps through a document whose own length was checked, as `bson::Cursor` does, but only over values of the
/// types that the path to the blocks is made of. Whatever else comes ends it.
///
///     while (at.next()) …
///     return at.is_complete();
class Steps {
public:
    explicit Steps(Bytes document) : at_(document.data() + 4), end_(document.data() + document.size() - 1) {}

    bool next() {
        const auto* const key = at_ + 1;
        const auto* const zero = end_of_key(key);
        if (end_ - zero < k_least_value) return false;
        const auto type = static_cast<bson::Type>(*at_);
        const auto* const value = zero + 1;
        const auto room = static_cast<std::size_t>(end_ - value);
        std::size_t size = load_le<std::uint32_t>(value); // of most types; a negative one is larger than all
        switch (type) {
        case bson::Type::document:
        case bson::Type::array:
            if (size < 5 || size > room || value[size - 1] != 0) return false;
            break;
        case bson::Type::binary:
            size += 5;
            if (size > room) return false;
            break;
        case bson::Type::int32: size = 4; break;
        default: return false;
        }
        key_ = {reinterpret_cast<const char*>(key), static_cast<std::size_t>(zero - key)};
        value_ = {value, size};
        type_ = type;
        at_ = value + size;
        return true;
    }

    /// Whether `next` came to the end of the document.
    [[nodiscard]] bool is_complete() const { return at_ == end_; }

    [[nodiscard]] std::string_view key() const { return key_; }
    [[nodiscard]] bool is(bson::Type type) const { return type_ == type; }
    [[nodiscard]] Bytes value() const { return value_; }

private:
    static constexpr std::ptrdiff_t k_least_value = 5; ///< with the zero before it

    /// The zero byte after a key; the end of the document if there is none before it.
    [[nodiscard]] const std::uint8_t* end_of_key(const std::uint8_t* key) const {
        constexpr std::uint64_t k_ones = 0x0101010101010101;
        for (; end_ - key >= 8; key += 8) {
            const auto word = load_le<std::uint64_t>(key);
            const auto zeros = (word - k_ones) & ~word & k_ones << 7; // right up to the first one
            if (zeros != 0) return key + std::countr_zero(zeros) / 8;
        }
        while (key < end_ && *key != 0) ++key;
        return key;
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_; ///< the final zero
    std::string_view key_;
    Bytes value_;
    bson::Type type_ = bson::Type::null;
};

/// Names that were met; each may come once.
class Once {
public:
    bool add(unsigned bit) {
        const bool is_new = (met_ & bit) == 0;
        met_ |= bit;
        return is_new;
    }

private:
    unsigned met_ = 0;
};

/// The value of a component `{Version: int32, Data: binary}`, in any order; no data if it is anything else.
struct VersionedBlob {
    Bytes data;
    std::int32_t version = 0;

    explicit VersionedBlob(Bytes document) {
        Steps at(document);
        Once once;
        Bytes found;
        while (at.next()) {
            if (at.key() == "Data") {
                if (!once.add(1) || !at.is(bson::Type::binary)) return;
                found = at.value().subspan(5);
            } else if (at.key() == "Version") {
                if (!once.add(2) || !at.is(bson::Type::int32)) return;
                version = load_le<std::int32_t>(at.value().data());
            }
        }
        if (at.is_complete()) data = found;
    }
};

} // namespace

bool BlockPalettes::read(Bytes document) {
    sections_.fill({});
    entries_.clear();
    if (read_root(document)) return true;
    sections_.fill({});
    return false;
}

bool BlockPalettes::read_root(Bytes document) {
    if (document.size() < 5 || load_le<std::uint32_t>(document.data()) != document.size()
        || document.back() != 0)
        return false;
    for (Steps at(document); at.next();)
        if (at.key() == "Components") return at.is(bson::Type::document) && read_components(at.value());
    return false;
}

bool BlockPalettes::read_components(Bytes document) {
    Steps at(document);
    Once once;
    while (at.next()) {
        const auto key = at.key();
        if (key == "ChunkColumn") {
            if (!once.add(1) || !at.is(bson::Type::document) || !read_column(at.value())) return false;
        } else if (key == "BlockChunk") {
            if (!once.add(2) || !at.is(bson::Type::document)) return false;
            const VersionedBlob blob(at.value());
            if (blob.data.empty() || blob.version != k_block_chunk) return false;
        } else if ((key == "EnvironmentChunk" && !once.add(4)) || (key == "BlockHealthChunk" && !once.add(8))
                   || (key == "BlockComponentChunk" && !once.add(16))
                   || (key == "EntityChunk" && !once.add(32))) {
            return false;
        }
    }
    return at.is_complete();
}

bool BlockPalettes::read_column(Bytes document) {
    Steps column(document);
    while (column.next() && column.key() != "Sections") {
    }
    if (column.key() != "Sections" || !column.is(bson::Type::array)) return false;
    Steps at(column.value());
    for (std::size_t y = 0; at.next(); ++y) {
        if (y >= sections_.size() || at.key().size() != 1 || at.key().front() != '0' + static_cast<char>(y)
            || !at.is(bson::Type::document) || !read_section(at.value(), sections_[y]))
            return false;
    }
    return at.is_complete();
}

bool BlockPalettes::read_section(Bytes document, Stored& out) {
    Steps holder(document);
    while (holder.next() && holder.key() != "Components") {
    }
    if (holder.key() != "Components" || !holder.is(bson::Type::document)) return false;
    Steps at(holder.value());
    Once once;
    while (at.next()) {
        const auto key = at.key();
        if (key == "Block") {
            if (!once.add(1) || !at.is(bson::Type::document) || !read_block(at.value(), out)) return false;
        } else if ((key == "Fluid" && !once.add(2)) || (key == "BlockPhysics" && !once.add(4))) {
            return false;
        }
    }
    return at.is_complete();
}

bool BlockPalettes::read_block(Bytes document, Stored& out) {
    const VersionedBlob blob(document);
    if (blob.version < k_oldest_block || blob.version > chunk::Section::k_version) return false;
    Reader in(blob.data);
    if (blob.version == chunk::Section::k_version) in.skip(4); // the migration count
    const auto type = in.u8();
    if (!in.ok() || type > 2) return false; // the third kind is rare
    if (type == 0) return true;
    const bool is_half = type == 1;
    const auto count = in.be<std::int16_t>();
    const int labels = is_half ? 16 : 256;
    if (count < 0 || count > labels) return false;
    const auto first = entries_.size();
    std::array<std::uint64_t, 4> taken{};
    for (int i = 0; i < count; ++i) {
        Entry entry{};
        entry.id = in.u8();
        if (entry.id >= labels || !read_palette_value(in, entry.key)) return false;
        entry.cells = in.be<std::uint16_t>();
        auto& word = taken[entry.id / 64];
        const auto bit = std::uint64_t{1} << (entry.id % 64);
        if ((word & bit) != 0) return false;
        word |= bit;
        entries_.push_back(entry);
    }
    const auto cells = in.take(static_cast<std::size_t>(is_half ? k_cells / 2 : k_cells));
    if (!in.ok()) return false;
    out = {cells.data(), static_cast<std::uint32_t>(first), static_cast<std::uint16_t>(count),
           static_cast<PaletteKind>(type)};
    return true;
}

} // namespace orbis::chunk
