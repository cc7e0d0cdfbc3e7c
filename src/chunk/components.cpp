#include "chunk/components.hpp"

#include "bson/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orbis::chunk {

namespace {

/// Highest index: the top cell of the highest section.
constexpr std::int32_t k_index_end = 512 << 10;

/// The index that a key stands for; only its usual spelling counts, so that the key can be found again.
std::optional<BlockIndex> index_of(std::string_view key) {
    std::int32_t value = 0;
    const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), value);
    const bool whole = problem == std::errc{} && end == key.data() + key.size();
    if (!whole || value < 0 || value >= k_index_end || (key.size() > 1 && key.front() == '0'))
        return std::nullopt;
    return BlockIndex(value);
}

} // namespace

std::optional<bson::Document> component(const bson::Document& holder, std::string_view name) {
    const auto components = holder.document("Components");
    return components ? components->document(name) : std::nullopt;
}

std::vector<std::string_view> component_names(const bson::Document& holder) {
    std::vector<std::string_view> names;
    if (const auto components = holder.document("Components"))
        for (bson::Cursor at(*components); at.next();) names.push_back(at->key());
    return names;
}

void BlockComponents::reset() {
    entries_.clear();
    edits_.clear();
    own_.clear();
}

bool BlockComponents::read(const bson::Document& components, Error& problem) {
    reset();
    bson::Cursor at(components);
    bool sorted = true;
    while (at.next()) {
        const auto index = index_of(at->key());
        const auto holder = at->document();
        if (!index || !holder) {
            problem =
                (index ? error(Errc::bad_value, "the components of block {} are a {}, expected a document",
                               at->key(), bson::name(at->type()))
                       : error(Errc::bad_text, "'{}' is not the index of a block", at->key()))
                    .at(at->offset());
            reset();
            return false;
        }
        sorted = sorted && (entries_.empty() || entries_.back().index < *index);
        entries_.push_back({*index, *holder});
    }
    if (!at.ok()) {
        problem = at.error();
        reset();
        return false;
    }
    if (sorted) return true;
    std::ranges::sort(entries_, {}, &Entry::index);
    const auto twice = std::ranges::adjacent_find(entries_, std::ranges::equal_to{}, &Entry::index);
    if (twice == entries_.end()) return true;
    problem =
        error(Errc::overlap, "block {} has components twice", twice->index.value).at(twice->holder.offset());
    reset();
    return false;
}

std::vector<BlockComponents::Entry>::iterator BlockComponents::place(BlockIndex index) {
    return std::ranges::lower_bound(entries_, index, {}, &Entry::index);
}

std::optional<bson::Document> BlockComponents::find(BlockIndex index) const {
    const auto found = std::ranges::lower_bound(entries_, index, {}, &Entry::index);
    if (found == entries_.end() || found->index != index) return std::nullopt;
    return found->holder;
}

Result<void> BlockComponents::set(BlockIndex index, Buffer holder) {
    if (index.value < 0 || index.value >= k_index_end)
        return fail(Errc::out_of_range, "{} is not the index of a block", index.value);
    const auto& kept = own_.emplace_back(std::move(holder));
    TRY(const auto document, bson::open_validated(kept));
    const auto found = place(index);
    if (found != entries_.end() && found->index == index)
        found->holder = document;
    else
        entries_.insert(found, Entry{index, document});
    edits_[index] = Bytes(kept);
    return {};
}

bool BlockComponents::remove(BlockIndex index) {
    const auto found = place(index);
    if (found == entries_.end() || found->index != index) return false;
    entries_.erase(found);
    edits_[index] = std::nullopt;
    return true;
}

void Entities::reset() {
    holders_.clear();
    own_.clear();
    changed_ = false;
}

bool Entities::read(const bson::Document& array, Error& problem) {
    reset();
    bson::Cursor at(array);
    while (at.next()) {
        const auto holder = at->document();
        if (!holder) {
            problem = error(Errc::bad_value, "entity {} is a {}, expected a document", at->key(),
                            bson::name(at->type()))
                          .at(at->offset());
            reset();
            return false;
        }
        holders_.push_back(*holder);
    }
    if (at.ok()) return true;
    problem = at.error();
    reset();
    return false;
}

Result<void> Entities::add(Buffer holder) {
    const auto& kept = own_.emplace_back(std::move(holder));
    TRY(const auto document, bson::open_validated(kept));
    holders_.push_back(document);
    changed_ = true;
    return {};
}

Result<void> Entities::replace(std::size_t index, Buffer holder) {
    if (index >= holders_.size())
        return fail(Errc::out_of_range, "there is no entity {}; the chunk has {}", index, holders_.size());
    const auto& kept = own_.emplace_back(std::move(holder));
    TRY(const auto document, bson::open_validated(kept));
    holders_[index] = document;
    changed_ = true;
    return {};
}

bool Entities::remove(std::size_t index) {
    if (index >= holders_.size()) return false;
    holders_.erase(holders_.begin() + static_cast<std::ptrdiff_t>(index));
    changed_ = true;
    return true;
}

void Entities::append_to(Buffer& out) const {
    bson::Writer array(out);
    for (std::size_t i = 0; i < holders_.size(); ++i) array.document(bson::index_key(i), holders_[i].bytes());
    array.finish();
}

} // namespace orbis::chunk
