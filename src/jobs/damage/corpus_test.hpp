#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "chunk/chunk.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A corpus of damage, made in code: each kind breaks a good world in one way, and says what `verify` must
/// find and what `repair` must achieve.
namespace orbis::jobs::damage {

/// A small universe with one world `default` of one region file, to be broken.
class Patient {
public:
    explicit Patient(std::filesystem::path universe);

    [[nodiscard]] const std::filesystem::path& universe() const { return universe_; }
    [[nodiscard]] std::filesystem::path world() const { return universe_ / "worlds" / "default"; }
    [[nodiscard]] const std::filesystem::path& region_file() const { return region_file_; }
    [[nodiscard]] RegionPos region() const { return region_; }

    /// Chunks in the order of their segments.
    [[nodiscard]] std::vector<ChunkPos> chunks() const;
    /// The first chunk that meets a condition.
    [[nodiscard]] std::optional<ChunkPos> find(const std::function<bool(const chunk::Chunk&)>& wanted) const;
    [[nodiscard]] std::vector<ChunkPos>
    find_all(const std::function<bool(const chunk::Chunk&)>& wanted) const;

    // The container, byte by byte.
    [[nodiscard]] Buffer file() const;
    void put_file(Bytes content) const;
    /// Changes the bytes of the file.
    void edit_file(const std::function<void(Buffer& file)>& edit) const;
    /// Where the index entry of a chunk stands, what it says, and where its blob starts.
    [[nodiscard]] std::size_t entry_offset(ChunkPos pos) const;
    [[nodiscard]] std::int32_t entry(ChunkPos pos) const;
    [[nodiscard]] std::size_t blob_offset(ChunkPos pos) const;
    [[nodiscard]] std::uint32_t frame_size(ChunkPos pos) const;
    void set_entry(ChunkPos pos, std::int32_t first) const;
    /// Writes a 32-bit number at an offset of the file.
    void put_i32(std::size_t offset, std::int32_t value) const;

    // Documents.
    [[nodiscard]] Buffer document(ChunkPos pos) const;
    void put_document(ChunkPos pos, Bytes document) const;
    void edit_document(ChunkPos pos, const std::function<void(Buffer& document)>& edit) const;
    /// Changes a chunk with the model.
    void edit_chunk(ChunkPos pos, const std::function<void(chunk::Chunk& chunk)>& edit) const;
    /// Changes the bytes of a blob in place; `path` leads to its `Data`. False if there is none.
    bool edit_blob(ChunkPos pos, const std::vector<std::string>& path,
                   const std::function<void(MutableBytes data)>& edit) const;
    /// Replaces a blob.
    bool put_blob(ChunkPos pos, const std::vector<std::string>& path, Bytes data) const;
    /// Takes an element out of the document.
    bool remove_element(ChunkPos pos, const std::vector<std::string>& path) const;

private:
    std::filesystem::path universe_;
    std::filesystem::path region_file_;
    RegionPos region_;
};

/// What `repair` is to do.
enum class Cure : std::uint8_t {
    none,    ///< nothing: there is no damage, or it is not to be touched
    repair,  ///< by itself
    from,    ///< with a backup
    orphans, ///< with an older copy in the file
    remove,  ///< by removal
};

struct Kind {
    std::string name;
    std::vector<std::string> codes; ///< that `verify` must report, at least
    Cure cure = Cure::repair;
    /// Breaks the world; the chunks that are concerned, nothing if this world has nothing to break.
    std::function<std::optional<std::set<ChunkPos>>(const Patient& patient)> apply;
    bool stays_damaged = false; ///< also after repair: of a newer version, so that nobody may touch it
};

/// All kinds: of the container, of frames and documents, of what is in the cells, of files.
std::vector<Kind> container_kinds();
std::vector<Kind> document_kinds();
std::vector<Kind> cell_kinds();
std::vector<Kind> file_kinds();

std::vector<std::string> section_path(int y, const std::string& component);

} // namespace orbis::jobs::damage
