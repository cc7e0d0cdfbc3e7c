#include "query/chunk_rows.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

namespace orbis::query {
namespace {

/// A chunk to read. Worlds have numbers so that a list of many chunks stays small.
struct Wanted {
    std::uint32_t world;
    ChunkPos pos;
};

/// While more than this waits to be handed out, only the next chunk is read.
constexpr std::size_t k_most_held = 16 << 20;

/// Below this, asking the store for each position is quicker than to go through its index.
constexpr std::int64_t k_few_positions = 4096;

/// What of a range can be a coordinate.
Range possible(Range range) {
    range.at_least(std::numeric_limits<std::int32_t>::min());
    range.at_most(std::numeric_limits<std::int32_t>::max());
    return range;
}

std::int64_t count(Range range) { return range.is_empty() ? 0 : range.most - range.least + 1; }

void list_chunks(Session& session, const Filter& filter, const OpenWorld& open, std::uint32_t world,
                 std::vector<Wanted>& out) {
    const auto& store = *open.store;
    const auto is_wanted = [&](ChunkPos pos) { return !filter.only || filter.only(open.world, pos); };
    const auto xs = possible(filter.chunks_x());
    const auto zs = possible(filter.chunks_z());
    if (count(xs) == 0 || count(zs) == 0) return;
    if (count(xs) <= k_few_positions && count(zs) <= k_few_positions / count(xs)) {
        for (auto x = xs.least; x <= xs.most; ++x) {
            for (auto z = zs.least; z <= zs.most; ++z) {
                const ChunkPos pos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)};
                const auto is_there = store.contains(pos);
                if (!is_there) session.problem(is_there.error());
                if (is_there && *is_there && is_wanted(pos)) out.push_back({world, pos});
            }
        }
        return;
    }
    const auto cursor = store.chunks();
    while (true) {
        const auto next = cursor->next();
        if (!next)
            session.problem(next.error());
        else if (!*next)
            return;
        else if (filter.admits_chunk(**next) && is_wanted(**next))
            out.push_back({world, **next});
    }
}

class ChunkRows final : public ChunkScan {
public:
    ChunkRows(Session& session, const std::vector<OpenWorld>& worlds, std::vector<Wanted> wanted,
              const MakeBatch& make)
        : session_(session), worlds_(worlds), wanted_(std::move(wanted)), make_(make) {
        // A scan of a few chunks is over before threads have begun.
        constexpr std::size_t k_worth_threads = 16;
        const auto threads = wanted_.size() < k_worth_threads ? 1 : session.threads();
        for (std::size_t i = 0; i < (threads == 1 ? 1 : threads * 4); ++i)
            slots_.push_back(std::make_unique<Slot>(make(), session.take_reader()));
        if (threads > 1)
            for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { read_ahead(); });
    }
    ~ChunkRows() override {
        {
            const std::lock_guard lock(mutex_);
            is_ending_ = true;
        }
        changed_.notify_all();
        end_slots();
    }

    Result<bool> next() override {
        while (true) {
            if (current_ != nullptr) {
                if (current_->batch->next()) return true;
                release();
            }
            if (session_.is_stopped()) return false;
            if (taken_ == wanted_.size()) {
                end_slots(); // a statement may keep its tables for long
                return false;
            }
            take();
            session_.progress(taken_, wanted_.size());
        }
    }
    void column(std::size_t index, Cell cell) const override { current_->batch->column(index, cell); }
    [[nodiscard]] const ChunkBatch& batch() const override { return *current_->batch; }

private:
    struct Slot {
        Slot(std::unique_ptr<ChunkBatch> made, std::unique_ptr<chunk::ChunkReader> taken)
            : batch(std::move(made)), reader(std::move(taken)) {}
        std::unique_ptr<ChunkBatch> batch;
        std::unique_ptr<chunk::ChunkReader> reader;
        bool is_ready = false; ///< filled, and not yet done with
        bool has_rows = false;
        std::size_t memory = 0;
    };

    /// Waits for the threads, and gives the readers back.
    void end_slots() {
        threads_.clear();
        for (auto& slot : slots_) {
            slot->batch.reset();
            session_.keep_reader(std::move(slot->reader));
        }
        slots_.clear();
    }

    /// Goes to the next chunk that was read.
    void take() {
        auto& slot = *slots_[taken_ % slots_.size()];
        if (threads_.empty()) {
            begun_ = taken_ + 1;
            fill(slot, wanted_[taken_]);
            held_ = slot.memory;
        } else {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&slot] { return slot.is_ready; });
        }
        ++taken_;
        current_ = &slot;
        if (!slot.has_rows) release();
    }
    void release() {
        if (current_->memory > k_large_memory) {
            *current_->reader = {};
            current_->batch = make_();
        }
        {
            const std::lock_guard lock(mutex_);
            current_->is_ready = false;
            held_ -= current_->memory;
            ++released_;
        }
        current_ = nullptr;
        if (!threads_.empty()) changed_.notify_all();
    }

    void fill(Slot& slot, const Wanted& wanted) {
        const auto filled = slot.batch->fill(worlds_[wanted.world], wanted.pos, *slot.reader);
        slot.has_rows = filled.has_value();
        slot.memory = slot.batch->memory();
        if (filled) return;
        session_.problem(filled.error());
        *slot.reader = {}; // whatever was claimed to be there
    }

    void read_ahead() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] {
                return is_ending_ || begun_ == wanted_.size()
                       || (begun_ < released_ + slots_.size()
                           && (held_ < k_most_held || begun_ == released_));
            });
            if (is_ending_ || begun_ == wanted_.size()) return;
            const auto number = begun_++;
            auto& slot = *slots_[number % slots_.size()];
            lock.unlock();
            fill(slot, wanted_[number]);
            lock.lock();
            slot.is_ready = true;
            held_ += slot.memory;
            changed_.notify_all();
        }
    }

    Session& session_;
    const std::vector<OpenWorld>& worlds_;
    const std::vector<Wanted> wanted_;
    const MakeBatch make_;
    std::vector<std::unique_ptr<Slot>> slots_;
    Slot* current_ = nullptr;
    std::size_t taken_ = 0; ///< chunks that rows were handed out of, with the current one

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t begun_ = 0;    ///< chunks that somebody reads or has read
    std::size_t released_ = 0; ///< whose slots are free again
    std::size_t held_ = 0;     ///< the memory of those that are ready
    bool is_ending_ = false;
    std::vector<std::jthread> threads_; ///< the last, so that they end before what they use
};

class ReadyRows final : public Rows {
public:
    explicit ReadyRows(std::vector<Row> rows) : rows_(std::move(rows)) {}
    Result<bool> next() override { return at_++ < rows_.size(); }
    void column(std::size_t index, Cell cell) const override { give(rows_[at_ - 1][index], cell); }

private:
    std::vector<Row> rows_;
    std::size_t at_ = 0;
};

} // namespace

Result<std::unique_ptr<ChunkScan>> chunk_rows(Session& session, const Filter& filter, const MakeBatch& make) {
    TRY(const auto* worlds, session.worlds(filter.path));
    std::vector<Wanted> wanted;
    for (std::uint32_t i = 0; i < worlds->size(); ++i) {
        const auto& world = (*worlds)[i];
        if (filter.admits_world(world.world.name)) list_chunks(session, filter, world, i, wanted);
    }
    if (filter.in_order)
        std::ranges::sort(wanted, {},
                          [](const Wanted& one) { return std::tuple(one.world, one.pos.x, one.pos.z); });
    return std::make_unique<ChunkRows>(session, *worlds, std::move(wanted), make);
}

void give(const Value& value, Cell cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) cell.integer(*integer);
    if (const auto* real = std::get_if<double>(&value)) cell.real(*real);
    if (const auto* text = std::get_if<std::string>(&value)) cell.text(*text);
}

Result<void> RowBatch::fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) {
    rows_.clear();
    at_ = static_cast<std::size_t>(-1);
    auto added = add_rows(world, pos, reader, rows_);
    if (reader.chunk().document().size() > k_large_memory) reader = {}; // rows have what they need
    memory_ = 0;
    for (const auto& row : rows_)
        for (const auto& value : row)
            if (const auto* text = std::get_if<std::string>(&value)) memory_ += text->size();
    return added;
}

std::unique_ptr<Rows> ready_rows(std::vector<Row> rows) {
    return std::make_unique<ReadyRows>(std::move(rows));
}

} // namespace orbis::query
