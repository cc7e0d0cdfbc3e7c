#include "inspect/file_book.hpp"

#include <algorithm>

namespace orbis::inspect {

namespace {

/// What the places take, with what they know; what several share counts once.
std::size_t cost_of(const std::vector<capture::CaptureReader::Place>& places) {
    std::size_t cost = places.size() * sizeof(capture::CaptureReader::Place);
    const capture::CaptureReader::Known* last = nullptr;
    for (const auto& place : places)
        if (place.known.get() != last) {
            last = place.known.get();
            cost += last->bytes;
        }
    return cost;
}

} // namespace

Result<std::unique_ptr<FileBook>> FileBook::open(std::filesystem::path path, Settings settings) {
    {
        TRY(auto first, capture::CaptureReader::open(path));
        if (auto next = first.next(); !next && first.facts().bytes == 0) return fail(std::move(next).error());
    }
    TRY(auto reader, capture::CaptureReader::open(path));
    reader.set_usual_build(settings.build);
    auto made = std::unique_ptr<FileBook>(new FileBook(std::move(path), settings, std::move(reader)));
    made->spacing_ = std::max<std::uint64_t>(settings.spacing, 1);
    return made;
}

bool FileBook::advance(const Take& take) {
    for (;;) {
        auto next = reader_.next();
        if (!next || !*next) {
            const std::lock_guard lock(mutex_);
            extent_.is_complete = true;
            extent_.dropped = reader_.facts().dropped;
            if (!next) extent_.damage = std::move(next).error();
            return false;
        }
        auto& record = **next;
        const auto number = reader_.facts().records;
        {
            const std::lock_guard lock(mutex_);
            if (!extent_.start) extent_.start = record.time;
            extent_.bytes += record.length;
            if (number % spacing_ == 0) note_place();
            extent_.end = number + 1;
        }
        if (!settings_.keeps_personal) personal_.leave_out(record);
        if (!take(number, record)) return true;
    }
}

/// After the packet that was read last. Under the lock.
void FileBook::note_place() {
    places_.push_back(reader_.place());
    const bool is_shared = places_.size() > 1 && places_.back().known == places_[places_.size() - 2].known;
    place_bytes_ += sizeof(capture::CaptureReader::Place) + (is_shared ? 0 : places_.back().known->bytes);
    while (places_.size() > 1 && place_bytes_ > settings_.most_place_bytes) {
        // Every second place stays: those of multiples of the double spacing.
        std::size_t kept = 0;
        for (std::size_t at = 1; at < places_.size(); at += 2) places_[kept++] = std::move(places_[at]);
        places_.resize(kept);
        spacing_ *= 2;
        place_bytes_ = cost_of(places_);
    }
}

BookExtent FileBook::extent() const {
    const std::lock_guard lock(mutex_);
    return extent_;
}

std::uint64_t FileBook::spacing() const {
    const std::lock_guard lock(mutex_);
    return spacing_;
}

Result<void> FileBook::read(std::uint64_t from, const Take& take) const {
    from = std::max<std::uint64_t>(from, 1);
    std::optional<capture::CaptureReader::Place> place;
    std::uint64_t number = 1; // of the next record
    std::uint64_t end = 1;
    {
        const std::lock_guard lock(mutex_);
        end = extent_.end;
        if (const auto at = std::min<std::uint64_t>((from - 1) / spacing_, places_.size()); at > 0) {
            place = places_[at - 1];
            number = at * spacing_ + 1;
        }
    }
    if (from >= end) return {};
    TRY(auto reader,
        place ? capture::CaptureReader::open_at(path_, *place) : capture::CaptureReader::open(path_));
    reader.set_usual_build(settings_.build);
    capture::PersonalData personal;
    for (; number < end; ++number) {
        TRY(auto next, reader.next());
        if (!next)
            return fail(error(Errc::truncated, "the capture has become shorter").in_file(path_.string()));
        if (number < from) continue;
        if (!settings_.keeps_personal) personal.leave_out(*next);
        if (!take(number, *next)) return {};
    }
    return {};
}

} // namespace orbis::inspect
