#pragma once

#include "bytes/result.hpp"
#include "capture/record.hpp"

#include <chrono>
#include <filesystem>
#include <memory>

namespace orbis::capture {

/// How a capture is written.
struct RecorderSettings {
    /// The file. Where it is rotated, `join.pcapng` stands for `join-000001.pcapng` and so on.
    std::filesystem::path file{};
    std::uint64_t rotate_size = 0;        ///< begins the next file when one has so many bytes; 0: never
    std::chrono::seconds rotate_every{0}; ///< begins the next file after this time; 0: never
    bool keeps_personal = false;          ///< tokens, passwords, addresses and so on (personal.hpp)
    std::size_t most_waiting = 64 << 20;  ///< bytes that wait for the disk; above that, records are dropped
    std::string program = "orbis";        ///< as files name their writer

    [[nodiscard]] bool rotates() const { return rotate_size > 0 || rotate_every.count() > 0; }
};

/// What came of a capture.
struct RecorderCounts {
    std::uint64_t records = 0; ///< in files
    std::uint64_t dropped = 0; ///< because the disk did not follow or failed
    std::uint64_t bytes = 0;   ///< of all files
    std::uint64_t files = 0;
};

/// Writes records into a capture, in a thread of its own. Callers never wait for the disk: what it cannot
/// take is dropped and counted, in the file too. Records are in the file after a quarter of a second, so
/// that a killed process loses no more. All functions may be called by any thread.
class Recorder {
public:
    /// Makes the first file; `exists` where a file that is not rotated is there already. A rotated capture
    /// goes on after the highest number that is there.
    static Result<std::unique_ptr<Recorder>> start(RecorderSettings settings);
    /// Finishes, if nobody did.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// The number of a new connection.
    [[nodiscard]] std::uint64_t begin_session();
    /// Takes a copy of the record with its frame.
    void record(const Record& record);

    [[nodiscard]] RecorderCounts counts() const;
    /// The last failure of the disk, which is tried again later; nothing while all is fine.
    [[nodiscard]] std::optional<Error> failure() const;
    /// Writes what waits and ends the file. The error is that of records that got lost.
    Result<RecorderCounts> finish();
    /// Finishes, and removes the file if no record came: for those who could not begin after all.
    void discard();

private:
    struct State;
    explicit Recorder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace orbis::capture
