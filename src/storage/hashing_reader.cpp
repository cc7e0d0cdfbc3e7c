#include "storage/hashing_reader.hpp"

#include "bytes/content_hash.hpp"

namespace orbis::storage {
namespace {

/// So that what cannot be read is looked at again when the reason changes, and not before.
std::uint64_t hash_of(const Error& problem) { return content_hash(as_bytes(problem.text())); }

Error placed(Error&& problem, const Store& store, ChunkPos pos) {
    return std::move(problem).in_file(store.file_of(pos)).at(pos);
}

} // namespace

std::uint64_t HashingReader::hash(ChunkPos pos) {
    if (store_.keeps_compressed()) {
        const auto frame = store_.read_compressed(pos, context_);
        if (!frame) return hash_of(frame.error());
        return *frame ? content_hash((*frame)->bytes) : 0;
    }
    const auto document = store_.read(pos, context_);
    if (!document) return hash_of(document.error());
    return *document ? content_hash(**document) : 0;
}

std::optional<StoredChunk> HashingReader::read(ChunkPos pos) {
    StoredChunk out;
    if (!store_.keeps_compressed()) {
        auto document = store_.read(pos, context_);
        if (document && !*document) return std::nullopt;
        if (document) {
            out.hash = content_hash(**document);
            out.bytes = (*document)->size();
            out.document = **document;
        } else {
            out.hash = hash_of(document.error());
            out.problem = placed(std::move(document).error(), store_, pos);
        }
        return out;
    }
    auto frame = store_.read_compressed(pos, context_);
    if (!frame) {
        out.hash = hash_of(frame.error());
        out.problem = placed(std::move(frame).error(), store_, pos);
        return out;
    }
    if (!*frame) return std::nullopt;
    out.hash = content_hash((*frame)->bytes);
    out.bytes = (*frame)->bytes.size();
    auto document = context_.decompressor.decompress((*frame)->bytes, (*frame)->raw_size, k_largest_document);
    if (document) {
        out.document = *document;
    } else {
        // The store knows where in its file that is.
        auto again = store_.read(pos, context_);
        out.problem = placed(again ? std::move(document).error() : std::move(again).error(), store_, pos);
    }
    return out;
}

void hash_region(HashingReader& reader, RegionPos region, RegionHashes& out) {
    for (int slot = 0; slot < k_columns; ++slot)
        out[static_cast<std::size_t>(slot)] = reader.hash(region.chunk({slot}));
}

std::vector<ChunkPos> changed_chunks(RegionPos region, const RegionHashes& before,
                                     const RegionHashes& after) {
    std::vector<ChunkPos> changed;
    for (int slot = 0; slot < k_columns; ++slot)
        if (before[static_cast<std::size_t>(slot)] != after[static_cast<std::size_t>(slot)])
            changed.push_back(region.chunk({slot}));
    return changed;
}

} // namespace orbis::storage
