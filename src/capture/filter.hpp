#pragma once

#include "capture/record.hpp"
#include "capture/record_decoder.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace orbis::capture {

struct FilterNode;
struct FilterTest;

/// A condition on frames, such as `ChatMessage.message ~ "hello" and to server` (docs/capture.md). Read once,
/// then shared by any number of threads.
class Filter {
public:
    /// An error names the column and what is possible there.
    static Result<Filter> parse(std::string_view text);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const FilterNode& root() const { return *root_; }

private:
    std::string text_;
    std::shared_ptr<const FilterNode> root_;
};

/// Asks a filter about records. Payloads are opened only where the header and the name of the packet leave
/// the answer open. Keeps its memory: one per thread.
class Matcher {
public:
    explicit Matcher(Filter filter) : filter_(std::move(filter)) {}
    /// Does not open contents above `largest` bytes: tests of their fields are false.
    Matcher(Filter filter, std::uint32_t largest) : filter_(std::move(filter)), decoder_(largest) {}

    [[nodiscard]] bool matches(const Record& record);
    [[nodiscard]] const Filter& filter() const { return filter_; }
    /// How many records had to be decoded so far.
    [[nodiscard]] std::uint64_t decoded() const { return decoded_; }

private:
    Filter filter_;
    RecordDecoder decoder_;
    /// Which kinds of packets have the field of a test.
    std::map<std::pair<const FilterTest*, const protocol::PacketInfo*>, bool> has_path_;
    std::uint64_t decoded_ = 0;
};

} // namespace orbis::capture
