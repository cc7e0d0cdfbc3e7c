#include "chunk/environment.hpp"

#include "bytes/utf8.hpp"
#include "bytes/writer.hpp"
#include "chunk/environment_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace orbis::chunk {

namespace {

/// A column of one run with id 0.
constexpr std::size_t k_single_run_bytes = 8;
constexpr std::array<std::uint8_t, k_single_run_bytes * k_columns> k_no_columns{};

/// Up to this many mappings are searched one by one, which needs no table. Real chunks have fewer.
constexpr std::size_t k_few_mappings = 32;

bool fail_at(Error& problem, Error&& what, std::size_t offset) {
    problem = std::move(what).at(offset);
    return false;
}

} // namespace

void Environments::reset() {
    mappings_.clear();
    by_id_.clear();
    raw_ = {};
    columns_ = k_no_columns.data();
    uniform_ = true;
    changed_ = false;
    next_id_ = k_not_counted;
    if (!own_.empty()) own_.clear();
    if (!own_keys_.empty()) own_keys_.clear();
}

bool Environments::read(Reader& in, Error& problem) {
    reset();
    const auto before = in.rest();
    const auto start = in.position();
    const auto count = in.be<std::int32_t>();
    // An entry takes at least six bytes, which bounds the allocation.
    if (in.ok() && (count < 0 || static_cast<std::size_t>(count) > in.remaining() / 6))
        return fail_at(
            problem, error(Errc::out_of_range, "{} environments in {} bytes", count, in.remaining()), start);
    mappings_.reserve(static_cast<std::size_t>(std::max(count, 0)));
    for (std::int32_t i = 0; i < count && in.ok(); ++i) {
        const auto at = in.position();
        const auto id = in.be<std::int32_t>();
        const auto key = as_text(in.take(in.be<std::uint16_t>()));
        if (!is_utf8(key)) {
            reset();
            return fail_at(problem, error(Errc::bad_text, "the key of environment {} is not UTF-8", i), at);
        }
        mappings_.push_back({id, key});
    }
    if (!in.ok()) {
        reset();
        return fail_at(problem, error(Errc::truncated, "the environment mapping ends early"), in.position());
    }
    if (!read_columns(in, problem)) {
        reset();
        return false;
    }
    if (mappings_.size() > k_few_mappings) sort_mappings();
    raw_ = before.first(in.position() - start);
    return true;
}

void Environments::sort_mappings() {
    by_id_.reserve(mappings_.size());
    for (std::uint32_t i = 0; const auto& mapping : mappings_) by_id_.emplace_back(mapping.id, i++);
    std::ranges::sort(by_id_);
}

bool Environments::read_columns(Reader& in, Error& problem) {
    const auto bytes = in.rest();
    const auto start = in.position();
    columns_ = bytes.data();
    if (bytes.size() == k_no_columns.size()) { // exactly one run each, if all counts are zero
        std::uint32_t any = 0;
        for (std::size_t i = 0; i < k_columns; ++i)
            any |= load_le<std::uint32_t>(columns_ + i * k_single_run_bytes);
        if (any == 0) {
            in.skip(bytes.size());
            return true;
        }
    }
    uniform_ = false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < k_columns; ++i) {
        offsets_[i] = static_cast<std::uint32_t>(at);
        const auto left = bytes.size() - at;
        if (left < k_single_run_bytes)
            return fail_at(problem,
                           error(Errc::truncated, "environments end in {}", ColumnIndex(static_cast<int>(i))),
                           start + at);
        const auto count = load_be<std::int32_t>(columns_ + at);
        if (count < 0 || static_cast<std::size_t>(count) > (left - k_single_run_bytes) / 8)
            return fail_at(problem,
                           error(Errc::out_of_range, "{} has {} bounds in {} bytes",
                                 ColumnIndex(static_cast<int>(i)), count, left),
                           start + at);
        at += k_single_run_bytes + static_cast<std::size_t>(count) * 8;
    }
    in.skip(at);
    return true;
}

Environments::Column Environments::column(ColumnIndex index) const {
    const auto i = static_cast<std::size_t>(index.value);
    const auto* at = columns_ + (uniform_ ? i * k_single_run_bytes : offsets_[i]);
    if (changed_)
        if (const auto own = own_.find(index.value); own != own_.end()) at = own->second.data();
    return {at + 4, load_be<std::int32_t>(at)};
}

/// The last mapping of an id wins, as in a map that is filled in order.
const Environments::Mapping* Environments::find(std::int32_t id) const {
    if (!by_id_.empty()) {
        const auto after =
            std::ranges::upper_bound(by_id_, id, {}, &std::pair<std::int32_t, std::uint32_t>::first);
        if (after == by_id_.begin() || std::prev(after)->first != id) return nullptr;
        return &mappings_[std::prev(after)->second];
    }
    for (std::size_t i = mappings_.size(); i-- > 0;)
        if (mappings_[i].id == id) return &mappings_[i];
    return nullptr;
}

std::string_view Environments::name(std::int32_t id) const {
    const auto* mapping = find(id);
    return mapping == nullptr ? k_unknown_environment : mapping->key;
}

std::string_view Environments::at(ColumnIndex index, int y) const {
    const auto found = column(index);
    std::int32_t run = 0;
    while (run < found.count && y > found.bound(run)) ++run;
    return name(found.id(run));
}

std::vector<EnvironmentRun> Environments::runs(ColumnIndex index) const {
    const auto found = column(index);
    std::vector<EnvironmentRun> out;
    out.reserve(static_cast<std::size_t>(found.count) + 1);
    for (std::int32_t i = 0; i <= found.count; ++i)
        out.push_back({i < found.count ? found.bound(i) : EnvironmentRun::k_no_end, name(found.id(i))});
    return out;
}

std::int32_t Environments::id_of(std::string_view key) {
    for (const auto& mapping : mappings_)
        if (mapping.key == key && name(mapping.id) == key) return mapping.id;
    const auto next = free_id();
    if (!by_id_.empty()) {
        const std::pair entry(next, static_cast<std::uint32_t>(mappings_.size()));
        by_id_.insert(std::ranges::upper_bound(by_id_, entry), entry);
    }
    mappings_.push_back({next, own_keys_.emplace_back(key)});
    return next;
}

/// Above the ids of all mappings and columns. Columns may have ids without a mapping, which must not get the
/// name of a new key.
std::int32_t Environments::free_id() {
    if (next_id_ == k_not_counted) {
        next_id_ = 0;
        const auto count = [this](std::int32_t id) {
            if (id >= next_id_ && id < EnvironmentRun::k_no_end) next_id_ = id + 1;
        };
        for (const auto& mapping : mappings_) count(mapping.id);
        for (int i = 0; i < k_columns; ++i) {
            const auto found = column(ColumnIndex(i));
            for (std::int32_t run = 0; run <= found.count; ++run) count(found.id(run));
        }
    }
    return next_id_ < EnvironmentRun::k_no_end ? next_id_++ : next_id_;
}

void Environments::set_runs(ColumnIndex index, std::span<const EnvironmentRun> runs) {
    if (runs.empty() || runs.size() > k_world_height) return;
    Buffer bytes;
    Writer out(bytes);
    out.be(static_cast<std::int32_t>(runs.size() - 1));
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) out.be(runs[i].max_y);
    for (const auto& run : runs) out.be(id_of(run.key));
    own_[index.value] = std::move(bytes);
    changed_ = true;
}

void Environments::fill(std::string_view key) {
    if (mappings_.empty()) { // no column keeps what it has
        mappings_.push_back({0, own_keys_.emplace_back(key)});
        next_id_ = 1;
    }
    const EnvironmentRun run{EnvironmentRun::k_no_end, key};
    for (int i = 0; i < k_columns; ++i) set_runs(ColumnIndex(i), {&run, 1});
}

bool Environments::surely_right() const {
    if (changed_ || raw_.empty()) return false;
    const Bytes stored(columns_, static_cast<std::size_t>(raw_.data() + raw_.size() - columns_));
    if (stored.size() > EnvironmentWords::k_most_words * 4) return false;
    const auto same_as_next = [&] {
        return std::memcmp(columns_, columns_ + k_single_run_bytes, stored.size() - k_single_run_bytes) == 0;
    };
    if (uniform_ && same_as_next()) { // one environment everywhere
        const auto id = column(ColumnIndex(0)).id(0);
        return id == 0 || find(id) != nullptr;
    }
    EnvironmentWords::Ids ids;
    for (const auto& mapping : mappings_) {
        if (mapping.id < 0 || mapping.id > EnvironmentWords::k_highest_id) return false;
        ids.insert(mapping.id);
    }
    const EnvironmentWords words(stored, ids);
    bool right = true;
    for (int i = 0; i < k_columns; ++i) {
        const auto found = column(ColumnIndex(i));
        const auto bounds = static_cast<std::size_t>(found.count);
        if (bounds >= EnvironmentWords::k_most_bits) return false;
        const auto first = static_cast<std::size_t>(found.bounds - columns_) / 4;
        right &= words.ascend(first, bounds - (bounds > 0 ? 1 : 0));
        right &= words.are_ids(first + bounds, bounds + 1);
    }
    return right;
}

Result<void> Environments::check() const {
    if (surely_right()) return {};
    std::int32_t good = 0; // the id that was found last; 0 is the environment `Unknown`
    for (int i = 0; i < k_columns; ++i) {
        const auto found = column(ColumnIndex(i));
        for (std::int32_t run = 1; run < found.count; ++run)
            if (found.bound(run) <= found.bound(run - 1))
                return fail(Errc::bad_value, "bounds of {} do not ascend: {} after {}", ColumnIndex(i),
                            found.bound(run), found.bound(run - 1));
        for (std::int32_t run = 0; run <= found.count; ++run) {
            const auto id = found.id(run);
            if (id == good || id == 0) continue;
            if (find(id) == nullptr)
                return fail(Errc::not_found, "{} uses the environment id {}, which has no key",
                            ColumnIndex(i), id);
            good = id;
        }
    }
    return {};
}

Bytes Environments::stored(Buffer& memory) const {
    if (!changed_ && !raw_.empty()) return raw_;
    memory.clear();
    append_to(memory);
    return memory;
}

void Environments::append_to(Buffer& buffer) const {
    Writer out(buffer);
    if (!changed_ && !raw_.empty()) return out.bytes(raw_);
    // Mappings that no column uses any more are left out.
    std::set<std::int32_t> used;
    for (int i = 0; i < k_columns; ++i) {
        const auto found = column(ColumnIndex(i));
        for (std::int32_t run = 0; run <= found.count; ++run) used.insert(found.id(run));
    }
    const auto kept = [&](const Mapping& mapping) { return used.contains(mapping.id); };
    out.be(static_cast<std::int32_t>(std::ranges::count_if(mappings_, kept)));
    for (const auto& mapping : mappings_) {
        if (!kept(mapping)) continue;
        out.be(mapping.id);
        out.be(static_cast<std::uint16_t>(mapping.key.size()));
        out.bytes(as_bytes(mapping.key));
    }
    for (int i = 0; i < k_columns; ++i) {
        const auto found = column(ColumnIndex(i));
        out.bytes({found.bounds - 4, found.size() + 4});
    }
}

} // namespace orbis::chunk
