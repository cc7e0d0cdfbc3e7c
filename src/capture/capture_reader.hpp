#pragma once

#include "capture/byte_source.hpp"
#include "capture/pcapng.hpp"
#include "capture/record.hpp"

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace orbis::capture {

/// What a reader has seen so far beside the records.
struct CaptureFacts {
    std::string program{};     ///< that wrote the file, as it says itself
    std::uint64_t records = 0; ///< of the game
    std::uint64_t others = 0;  ///< records of other protocols, which are left out
    std::uint64_t skipped = 0; ///< blocks of kinds that hold no records
    std::uint64_t dropped = 0; ///< records that the writer could not keep, as it says itself
    std::uint64_t bytes = 0;   ///< of the file, up to the end of the last block
};

/// Reads a capture from its start to its end or to its first damage, in memory that does not grow with the
/// file. Captures of other programs are read as far as they have frames of the game: without a comment, the
/// ports tell the direction, addresses the session, and its `Connect` the build.
class CaptureReader {
    struct Interface {
        std::uint16_t link = 0;
        std::uint8_t resolution = 6;
        std::int64_t offset = 0;
    };
    struct Conversation {
        std::uint64_t number;
        const protocol::BuildInfo* build = nullptr;
        std::string build_name{};
    };

public:
    static Result<CaptureReader> open(const std::filesystem::path& path);
    CaptureReader(std::unique_ptr<ByteSource> source, std::string name);

    /// What a reader has learned before a record that the record needs.
    struct Known {
        std::endian order = std::endian::little;
        std::vector<Interface> interfaces{};
        std::unordered_map<std::string, Conversation> conversations{};
        std::size_t bytes = 0; ///< that this takes, about
    };
    /// Between two records: another reader can go on there.
    struct Place {
        std::uint64_t offset = 0;           ///< in the file
        std::int64_t time = 0;              ///< of the record before
        std::shared_ptr<const Known> known; ///< shared by places that know the same
    };
    /// After the record that `next` gave last. Not at the very start.
    [[nodiscard]] Place place();
    /// Counts of `facts` begin with 0 there, but for `bytes`.
    static Result<CaptureReader> open_at(const std::filesystem::path& path, const Place& place);

    /// The next record, valid until the next call; nothing at the end. An error says where the damage is and
    /// what it is; nothing can be read after it.
    Result<std::optional<Record>> next();

    /// The build of records that do not say any.
    void set_usual_build(const protocol::BuildInfo* build) { usual_build_ = build; }
    [[nodiscard]] const CaptureFacts& facts() const { return facts_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    struct Head {
        Block type;
        std::uint32_t size;
    };

    [[nodiscard]] std::size_t waiting() const { return end_ - start_; }
    /// Reads until that many bytes wait; false when the file ends before.
    Result<bool> fill(std::size_t size);
    Result<std::optional<Head>> read_head();
    /// The whole block, without its head and its end.
    Result<Bytes> read_body(const Head& head);
    Result<void> skip(const Head& head);
    Result<void> read_section(Bytes body);
    Result<void> read_interface(Bytes body);
    void read_statistics(Bytes body);
    Result<std::optional<Record>> read_packet(Bytes body, bool is_simple);
    /// False for a record of another protocol.
    Result<bool> read_content(Bytes content, Record& out);
    void read_comments(Bytes options, Record& out, bool& has_comment);
    void guess(Record& out);
    void look_up_build(Record& out);
    [[nodiscard]] std::int64_t nanoseconds(const Interface& interface, std::uint64_t time) const;
    template <typename Take>
    void each_option(Bytes options, Take take) const;
    template <typename T>
    [[nodiscard]] T number(const std::uint8_t* at) const;
    /// An error of the block that is being read.
    [[nodiscard]] Error damage(Error&& error) const;

    std::unique_ptr<ByteSource> source_;
    std::string name_;
    Buffer buffer_;
    std::size_t start_ = 0; ///< of what waits in the buffer
    std::size_t end_ = 0;
    std::endian order_ = std::endian::little;
    bool has_section_ = false;
    bool is_over_ = false;
    std::vector<Interface> interfaces_;
    std::vector<std::uint64_t> dropped_; ///< by interface of this section
    std::unordered_map<std::string, Conversation> conversations_;
    std::string known_name_; ///< the build that was looked up last
    const protocol::BuildInfo* known_build_ = nullptr;
    const protocol::BuildInfo* usual_build_ = nullptr;
    std::int64_t last_time_ = 0;
    std::shared_ptr<const Known> known_; ///< as of the last place; null when it has changed since
    CaptureFacts facts_;
};

} // namespace orbis::capture
