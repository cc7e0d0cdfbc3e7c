#include "capture/recorder.hpp"

#include "capture/growing_file.hpp"
#include "capture/pcapng.hpp"
#include "capture/personal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <type_traits>

namespace orbis::capture {

namespace {

using namespace std::chrono_literals;

constexpr auto k_write_every = 250ms;
constexpr std::size_t k_write_at_once = 1 << 20; ///< wakes the thread before its time
constexpr std::size_t k_longest_kept_name = 80;

/// A record as it waits: this, the name of its build, its frame.
struct Waiting {
    Record record;
    std::uint32_t name_size;
    std::uint32_t frame_size;
};
static_assert(std::is_trivially_copyable_v<Waiting>);

std::filesystem::path numbered(const std::filesystem::path& file, std::uint64_t number) {
    auto made = file;
    made.replace_filename(fmt::format("{}-{:06}{}", file.stem().string(), number, file.extension().string()));
    return made;
}

/// The number after the highest that is there.
std::uint64_t next_number(const std::filesystem::path& file) {
    const auto start = file.stem().string() + "-";
    const auto end = file.extension().string();
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    std::uint64_t highest = 0;
    std::error_code failure;
    for (std::filesystem::directory_iterator at(folder, failure), none; !failure && at != none;
         at.increment(failure)) {
        const auto name = at->path().filename().string();
        if (name.size() <= start.size() + end.size() || !name.starts_with(start) || !name.ends_with(end))
            continue;
        const auto digits =
            std::string_view(name).substr(start.size(), name.size() - start.size() - end.size());
        std::uint64_t number = 0;
        const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (fault == std::errc() && stop == digits.data() + digits.size())
            highest = std::max(highest, number);
    }
    return highest + 1;
}

} // namespace

struct Recorder::State {
    explicit State(RecorderSettings wanted) : settings(std::move(wanted)) {}

    Result<void> begin_file();
    void run(const std::stop_token& stop);
    void write_batch(Buffer& batch, std::uint64_t lost);
    /// Writes what is in `out`, records of the number `in_out`; counts them as dropped where that fails.
    bool write_out();
    void write_counts();
    [[nodiscard]] bool is_full() const;

    const RecorderSettings settings;

    mutable std::mutex guard;
    std::condition_variable_any wake;
    Buffer filling;          ///< what came since the thread took the last batch
    std::size_t writing = 0; ///< bytes of the batch that the thread has
    std::uint64_t lost = 0;  ///< records that found no room since then
    std::uint64_t sessions = 0;
    RecorderCounts counts;
    std::optional<Error> failure;
    std::jthread thread;

    // Of the thread alone.
    GrowingFile file;
    std::uint64_t number = 0;
    std::chrono::steady_clock::time_point opened;
    std::uint64_t in_file = 0;
    std::uint64_t dropped_in_file = 0;
    std::uint64_t dropped_told = 0;
    Buffer out;
    std::uint64_t in_out = 0;
    PersonalData personal;
};

Result<void> Recorder::State::begin_file() {
    auto path = settings.file;
    if (settings.rotates()) {
        if (number == 0) number = next_number(settings.file);
        path = numbered(settings.file, number);
    }
    TRY_DO(file.create(std::move(path)));
    ++number;
    opened = std::chrono::steady_clock::now();
    in_file = dropped_in_file = dropped_told = 0;
    Buffer start;
    append_file_start(start, settings.program);
    TRY_DO(file.append(start));
    const std::lock_guard lock(guard);
    ++counts.files;
    counts.bytes += start.size();
    return {};
}

bool Recorder::State::is_full() const {
    if (settings.rotate_size > 0 && file.size() + out.size() >= settings.rotate_size && in_file + in_out > 0)
        return true;
    return settings.rotate_every.count() > 0
           && std::chrono::steady_clock::now() - opened >= settings.rotate_every;
}

bool Recorder::State::write_out() {
    if (out.empty()) return true;
    bool is_done = false;
    std::optional<Error> problem;
    if (file.is_open()) { // else the failure to make one is known
        auto done = file.append(out);
        is_done = done.has_value();
        if (!is_done) problem = std::move(done).error();
    }
    {
        const std::lock_guard lock(guard);
        (is_done ? counts.records : counts.dropped) += in_out;
        if (is_done) counts.bytes += out.size();
        if (problem || (is_done && in_out > 0)) failure = problem; // counts alone may find room
    }
    (is_done ? in_file : dropped_in_file) += in_out;
    out.clear();
    in_out = 0;
    return is_done;
}

void Recorder::State::write_counts() {
    if (dropped_in_file == dropped_told) return;
    append_counts(out, now_in_nanoseconds(), in_file + dropped_in_file, dropped_in_file);
    if (write_out()) dropped_told = dropped_in_file;
}

void Recorder::State::write_batch(Buffer& batch, std::uint64_t lost_now) {
    dropped_in_file += lost_now;
    bool may_try = true; // a folder that takes no new file is asked once per batch
    std::size_t at = 0;
    while (at < batch.size()) {
        Waiting waiting;
        std::memcpy(&waiting, batch.data() + at, sizeof waiting);
        at += sizeof waiting;
        auto record = waiting.record;
        record.build_name = as_text(Bytes(batch).subspan(at, waiting.name_size));
        at += waiting.name_size;
        record.frame = Bytes(batch).subspan(at, waiting.frame_size);
        at += waiting.frame_size;
        if (settings.rotates() && may_try && (!file.is_open() || is_full())) {
            write_out();
            write_counts();
            file.close();
            if (const auto made = begin_file(); !made) {
                may_try = false;
                const std::lock_guard lock(guard);
                failure = made.error();
            }
        }
        if (!settings.keeps_personal) personal.leave_out(record);
        append_record(out, record);
        ++in_out;
        if (out.size() >= k_write_at_once) write_out();
    }
    write_out();
    write_counts();
    batch.clear();
    if (batch.capacity() > 4 * k_write_at_once) batch.shrink_to_fit();
    if (out.capacity() > 4 * k_write_at_once) out.shrink_to_fit();
}

void Recorder::State::run(const std::stop_token& stop) {
    Buffer batch;
    for (bool is_last = false; !is_last;) {
        std::uint64_t lost_now = 0;
        {
            std::unique_lock lock(guard);
            wake.wait_for(lock, stop, k_write_every, [this] { return filling.size() >= k_write_at_once; });
            is_last = stop.stop_requested();
            std::swap(batch, filling);
            writing = batch.size();
            lost_now = std::exchange(lost, 0);
        }
        write_batch(batch, lost_now);
        const std::lock_guard lock(guard);
        writing = 0;
    }
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Recorder>> Recorder::start(RecorderSettings settings) {
    auto state = std::make_unique<State>(std::move(settings));
    TRY_DO(state->begin_file());
    state->thread = std::jthread([at = state.get()](const std::stop_token& stop) { at->run(stop); });
    return std::unique_ptr<Recorder>(new Recorder(std::move(state)));
}

Recorder::~Recorder() { (void)finish(); }

std::uint64_t Recorder::begin_session() {
    const std::lock_guard lock(state_->guard);
    return ++state_->sessions;
}

void Recorder::record(const Record& record) {
    const auto name = record.build_name.substr(0, k_longest_kept_name);
    Waiting waiting{record, static_cast<std::uint32_t>(name.size()),
                    static_cast<std::uint32_t>(record.frame.size())};
    waiting.record.build_name = {};
    waiting.record.frame = {};
    waiting.record.length = std::max(record.length, record.frame.size());
    const auto size = sizeof waiting + name.size() + record.frame.size();
    bool wakes = false;
    {
        auto& state = *state_;
        const std::lock_guard lock(state.guard);
        if (record.frame.size() > k_largest_block / 2
            || state.filling.size() + state.writing + size > state.settings.most_waiting) {
            ++state.lost;
            ++state.counts.dropped;
            return;
        }
        auto& out = state.filling;
        const auto at = out.size();
        out.resize(at + size);
        std::memcpy(out.data() + at, &waiting, sizeof waiting);
        if (!name.empty()) std::memcpy(out.data() + at + sizeof waiting, name.data(), name.size());
        if (!record.frame.empty())
            std::memcpy(out.data() + at + sizeof waiting + name.size(), record.frame.data(),
                        record.frame.size());
        wakes = at < k_write_at_once && out.size() >= k_write_at_once;
    }
    if (wakes) state_->wake.notify_one();
}

RecorderCounts Recorder::counts() const {
    const std::lock_guard lock(state_->guard);
    return state_->counts;
}

std::optional<Error> Recorder::failure() const {
    const std::lock_guard lock(state_->guard);
    return state_->failure;
}

Result<RecorderCounts> Recorder::finish() {
    if (state_->thread.joinable()) {
        state_->thread.request_stop();
        state_->thread.join();
    }
    state_->file.close();
    const std::lock_guard lock(state_->guard);
    if (state_->failure) return fail(Error(*state_->failure));
    return state_->counts;
}

void Recorder::discard() {
    const auto counts = finish();
    if (counts && counts->records == 0) state_->file.remove();
}

} // namespace orbis::capture
