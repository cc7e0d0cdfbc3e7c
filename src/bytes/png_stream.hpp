#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace orbis {

/// A PNG file of red, green, blue and alpha that is written row by row, so that only the row at hand is in
/// memory. Until `finish` the file has another name: one that was not finished is removed.
class PngStream {
public:
    /// An older picture is replaced in the end, any other file is an error at once.
    static Result<PngStream> create(const std::filesystem::path& path, std::uint32_t width,
                                    std::uint32_t height);
    PngStream(PngStream&&) noexcept;
    PngStream& operator=(PngStream&&) noexcept;
    ~PngStream();

    /// The next row: four bytes per pixel.
    Result<void> row(Bytes pixels);
    /// Puts the file in its place, after all rows.
    Result<void> finish();

private:
    struct State;
    explicit PngStream(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace orbis
