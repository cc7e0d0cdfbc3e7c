#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/chunk.hpp"

#include <memory>
#include <string>

/// One line of JSON per chunk, so that two decoders can be compared byte for byte (docs/formats/digest.md).
namespace orbis::jobs {

/// Makes digests one after another. Keep one per thread: it reuses its memory.
class Digester {
public:
    Digester();
    ~Digester();
    Digester(Digester&&) noexcept;
    Digester& operator=(Digester&&) noexcept;

    /// The line without its line end; an error if any part of the chunk cannot be read.
    Result<std::string> line(ChunkPos pos, Bytes document);

private:
    class Job;
    std::unique_ptr<Job> job_;
};

/// The line for a chunk that cannot be read.
std::string digest_error_line(ChunkPos pos);

} // namespace orbis::jobs
