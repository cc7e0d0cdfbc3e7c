#pragma once

#include "bytes/file.hpp"

#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace orbis::test {

/// A disk with one file on it, for tests that pull its plug. Writes go into a cache and reach the disk with a
/// sync, or by chance; each write and each sync is a call with a number, and one of them can be made to fail.
///
/// The disk writes sectors of 512 bytes whole. A power cut loses any part of the cache: each write since the
/// last sync may have reached the disk, or some of its sectors, or nothing. A kill loses no call that
/// returned, and of the one under way leaves a part of its beginning.
class SimulatedDisk {
public:
    enum class Fault : std::uint8_t {
        stop,     ///< the call does nothing, and every later call fails: the process is gone
        tear,     ///< a part of the write is done, then as above
        no_space, ///< a part of the write is done and it fails; later calls work
        io,       ///< the write does nothing, or the sync fails and loses the cache; later calls work
    };

    explicit SimulatedDisk(Buffer content, std::uint64_t seed = 1);

    /// Lets the call with this number (from 0) fail.
    void fail_at(std::size_t call, Fault fault);
    /// After a kill: a new process can use the file, and what was in the cache still is.
    void start_again();

    /// The file on this disk; the disk must outlive it.
    [[nodiscard]] std::unique_ptr<File> open();

    [[nodiscard]] std::size_t calls() const { return calls_; }
    /// Whether the call that was to fail has been made.
    [[nodiscard]] bool has_failed() const { return failed_; }
    [[nodiscard]] bool has_failed_a_sync() const { return failed_sync_; }
    [[nodiscard]] bool is_stopped() const { return stopped_; }

    /// What a new process finds after a kill.
    [[nodiscard]] const Buffer& after_kill() const { return *cached_; }
    /// What may be found after a power cut now: hands `count` and a few fixed possibilities to `look`.
    void after_power_cut(int count, const std::function<void(const Buffer& content)>& look);

private:
    friend class SimulatedFile;
    struct Write {
        std::uint64_t offset = 0;
        Buffer bytes;
    };

    Result<void> write(std::uint64_t offset, Buffer bytes);
    Result<void> sync();
    [[nodiscard]] std::optional<Fault> next_call();
    void put(std::uint64_t offset, Bytes bytes);
    [[nodiscard]] Buffer durable_with(const std::function<int(std::size_t)>& fate);

    std::shared_ptr<Buffer> cached_;
    Buffer durable_;
    std::vector<Write> unsynced_;
    /// Sectors whose writes the system believes to be done after a sync that failed.
    std::vector<Write> doubtful_;
    std::mt19937_64 random_;
    std::size_t calls_ = 0;
    std::optional<std::pair<std::size_t, Fault>> fault_;
    bool failed_ = false;
    bool failed_sync_ = false;
    bool stopped_ = false;
};

} // namespace orbis::test
