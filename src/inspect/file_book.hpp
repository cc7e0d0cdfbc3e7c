#pragma once

#include "capture/capture_reader.hpp"
#include "capture/personal.hpp"
#include "inspect/packet_book.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace orbis::inspect {

/// The packets of a capture. One thread reads it once from start to end and notes places; packets are read
/// again from the place before them when somebody asks.
class FileBook final : public PacketBook {
public:
    struct Settings {
        const protocol::BuildInfo* build = nullptr; ///< of records that do not say any
        bool keeps_personal = false;                ///< tokens, passwords and so on (capture/personal.hpp)
        std::size_t most_place_bytes = 16 << 20;
        std::uint64_t spacing = 64; ///< packets between two places at first
    };

    /// An error if it is no capture.
    static Result<std::unique_ptr<FileBook>> open(std::filesystem::path path, Settings settings);

    /// Reads on, for one thread at a time: calls `take` with each packet until it returns false, or to the
    /// end or the first damage. Whether there may be more.
    bool advance(const Take& take);

    [[nodiscard]] BookExtent extent() const override;
    Result<void> read(std::uint64_t from, const Take& take) const override;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Packets between two places now.
    [[nodiscard]] std::uint64_t spacing() const;

private:
    FileBook(std::filesystem::path path, Settings settings, capture::CaptureReader reader)
        : path_(std::move(path)), settings_(settings), reader_(std::move(reader)) {}
    void note_place();

    const std::filesystem::path path_;
    const Settings settings_;
    capture::CaptureReader reader_; ///< of `advance`, as the next one
    capture::PersonalData personal_;

    mutable std::mutex mutex_; ///< guards what follows
    /// The place before packet `k * spacing_ + 1`, from k = 1 on.
    std::vector<capture::CaptureReader::Place> places_;
    std::size_t place_bytes_ = 0;
    std::uint64_t spacing_ = 0;
    BookExtent extent_;
};

} // namespace orbis::inspect
