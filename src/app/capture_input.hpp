#pragma once

#include "app/command.hpp"
#include "capture/capture_reader.hpp"
#include "capture/filter.hpp"

#include <functional>
#include <optional>

namespace orbis::app {

/// Which records of a capture are meant.
struct CaptureInput {
    std::filesystem::path file{};
    std::optional<capture::Filter> filter{};
    std::optional<std::uint64_t> limit{};
    const protocol::BuildInfo* build = nullptr; ///< of records that do not say any

    /// Calls `take` with each record and its number in the file, from 1 on, up to the end, the limit or the
    /// first damage. An error is one of `take` or of a file that is no capture at all.
    struct End {
        capture::CaptureFacts facts;
        std::uint64_t taken = 0;
        std::optional<Error> damage{}; ///< where it could not be read further
        [[nodiscard]] Outcome outcome() const { return damage ? Outcome::damage : Outcome::fine; }
    };
    using Take = std::function<Result<void>(std::uint64_t number, const capture::Record& record)>;
    [[nodiscard]] Result<End> read(const Take& take) const;
};

/// Seconds since the first record, to the microsecond: `12.345678`.
std::string since_text(std::int64_t time, std::int64_t start);
/// A time of a record: `2026-02-02 03:04:05.123456789`.
std::string capture_time_text(std::int64_t time);
/// `client → server`, in one letter each way: `→` to the server, `←` to the client, `?`.
std::string_view arrow_of(const capture::Record& record);

/// A record as one object of JSON, with the value of its packet or why there is none.
std::string capture_json(std::uint64_t number, const capture::Record& record,
                         capture::RecordDecoder& decoder);
/// The value alone, cut to some length: for people.
std::string short_value(const capture::Record& record, capture::RecordDecoder& decoder);

} // namespace orbis::app
