#include "inspect/inbox.hpp"

#include <utility>

namespace orbis::inspect {

namespace {

constexpr std::size_t k_letter_cost = sizeof(Inbox::Letter) + 32;
constexpr std::size_t k_most_trips = 65'536;

} // namespace

void Inbox::add(const capture::Record& record) {
    Letter letter{record, {}, {}};
    const auto cost = record.frame.size() + k_letter_cost;
    {
        const std::lock_guard lock(mutex_);
        if (bytes_ + cost > most_bytes_) {
            ++waiting_.dropped;
            return;
        }
        bytes_ += cost; // the place is taken before the copy, which needs no lock
    }
    letter.frame.assign(record.frame.begin(), record.frame.end());
    letter.build_name = record.build_name;
    const std::lock_guard lock(mutex_);
    waiting_.letters.push_back(std::move(letter));
}

void Inbox::add(const Trip& trip) {
    const std::lock_guard lock(mutex_);
    if (waiting_.trips.size() < k_most_trips) waiting_.trips.push_back(trip);
}

Inbox::Batch Inbox::take() {
    Batch taken;
    {
        const std::lock_guard lock(mutex_);
        taken = std::exchange(waiting_, {});
        for (const auto& letter : taken.letters) bytes_ -= letter.frame.size() + k_letter_cost;
    }
    for (auto& letter : taken.letters) {
        letter.record.frame = letter.frame;
        letter.record.build_name = letter.build_name;
    }
    return taken;
}

} // namespace orbis::inspect
