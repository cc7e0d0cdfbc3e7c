#include "chunk/chunk_reader.hpp"

namespace orbis::chunk {

Result<Chunk*> ChunkReader::read(const storage::Store& store, ChunkPos pos, Parts parts) {
    TRY(const auto document, load(store, pos));
    if (!document) return nullptr;
    return decode(parts);
}

Result<std::optional<Bytes>> ChunkReader::load(const storage::Store& store, ChunkPos pos) {
    store_ = &store;
    pos_ = pos;
    document_ = {};
    auto document = store.read(pos, context_);
    if (!document) return fail(placed(std::move(document).error()));
    if (*document) document_ = **document;
    return *document;
}

Result<Chunk*> ChunkReader::decode(Parts parts) {
    if (auto read = chunk_.read(document_, parts); !read) return fail(placed(std::move(read).error()));
    return &chunk_;
}

std::vector<Error> ChunkReader::problems() const {
    std::vector<Error> found;
    for (const auto& problem : chunk_.problems()) found.push_back(placed(problem.as_error()));
    return found;
}

Error ChunkReader::placed(Error&& error) const {
    if (error.file.empty()) error.file = store_->file_of(pos_);
    return std::move(error).at(pos_);
}

} // namespace orbis::chunk
