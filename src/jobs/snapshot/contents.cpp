#include "jobs/snapshot/contents.hpp"

#include "bytes/shell_quote.hpp"
#include "bytes/system_error.hpp"
#include "storage/tree.hpp"

#include <algorithm>

namespace orbis::jobs::snapshot {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t k_budget = 8 << 20;
/// Where others remove packs while they are opened, so often it is tried again.
constexpr int k_open_tries = 5;

} // namespace

Result<std::unique_ptr<Contents>> Contents::open(const fs::path& folder, std::vector<Error>& problems) {
    const auto tree = storage::open_disk_tree(folder);
    for (int tries = 1;; ++tries) {
        const auto budget = make_mapping_budget(k_budget);
        std::unique_ptr<Contents> contents(new Contents());
        contents->advice_ = fmt::format("orbis snapshots {} --verify shows what is affected",
                                        shell_quoted(folder.parent_path().string()));
        std::vector<Error> found;
        bool is_gone = false;
        TRY(const auto entries, tree->list({}));
        for (const auto& entry : entries) {
            if (entry.is_folder || !entry.name.ends_with(".pack")) continue;
            auto file = open_file(folder / entry.name, FileMode::read, budget);
            auto pack = file ? Pack::open(*std::move(file)) : std::unexpected(std::move(file).error());
            if (pack) {
                contents->packs_.push_back(*std::move(pack));
            } else {
                is_gone = is_gone || pack.error().code == Errc::not_found;
                found.push_back(std::move(pack).error().advise(contents->advice_));
            }
        }
        // A run that frees space replaces packs by others: the new ones were there before the old ones went.
        if (is_gone && tries < k_open_tries) continue;
        problems.insert(problems.end(), found.begin(), found.end());
        std::size_t count = 0;
        for (const auto& pack : contents->packs_) count += pack->header().contents;
        contents->slots_.reserve(count);
        for (std::uint32_t p = 0; p < contents->packs_.size(); ++p)
            for (std::uint32_t c = 0; c < contents->packs_[p]->header().contents; ++c)
                contents->slots_.push_back({contents->packs_[p]->key(c).prefix(), {p, c}});
        std::ranges::sort(contents->slots_, {}, &Slot::prefix);
        return contents;
    }
}

std::span<const Contents::Slot> Contents::candidates(const Key& key) const {
    const auto range = std::ranges::equal_range(slots_, key.prefix(), {}, &Slot::prefix);
    return {range.begin(), range.end()};
}

bool Contents::is_sound(ContentRef place, int depth) const {
    const auto& pack = *packs_[place.pack];
    const auto content = pack.content(place.content);
    if (!content) return false;
    const auto block = pack.block(content->block);
    if (!block || block->base.empty()) return block.has_value();
    return depth == 0 && std::ranges::any_of(candidates(block->base), [&](const Slot& slot) {
               return packs_[slot.place.pack]->key(slot.place.content) == block->base
                      && is_sound(slot.place, depth + 1);
           });
}

std::optional<Contents::ContentRef> Contents::find(const Key& key) const {
    for (const auto& slot : candidates(key))
        if (packs_[slot.place.pack]->key(slot.place.content) == key && is_sound(slot.place, 0))
            return slot.place;
    return std::nullopt;
}

std::vector<Contents::ContentRef> Contents::places(const Key& key) const {
    std::vector<ContentRef> found;
    for (const auto& slot : candidates(key))
        if (packs_[slot.place.pack]->key(slot.place.content) == key) found.push_back(slot.place);
    return found;
}

std::optional<Key> Contents::base_for(const Key& key) const {
    const auto place = find(key);
    if (!place) return std::nullopt;
    const auto& pack = *packs_[place->pack];
    const auto base = pack.block(pack.content(place->content)->block)->base; // sound, says find
    return base.empty() ? key : base;
}

Result<std::shared_ptr<const Buffer>> Contents::decompress(const Pack& pack, const BlockEntry& block,
                                                           Bytes base, Decompressor& decompressor) const {
    TRY(const auto frame, pack.frame(block));
    auto content = decompressor.decompress_against(base, frame.bytes(), block.size, k_largest_block);
    if (auto delivered = pack.check(frame); !delivered) return std::unexpected(std::move(delivered).error());
    if (!content) {
        auto problem = std::move(content).error();
        problem.offset = block.offset + problem.offset.value_or(0);
        return fail(std::move(problem).in_file(pack.name()).advise(advice_));
    }
    return std::make_shared<const Buffer>(content->begin(), content->end());
}

Result<Content> Contents::read_at(ContentRef place, Decompressor& decompressor, int depth) const {
    const auto& pack = *packs_[place.pack];
    TRY(const auto entry, pack.content(place.content));
    TRY(const auto block, pack.block(entry.block));
    std::shared_ptr<const Buffer> bytes;
    if (block.base.empty()) {
        const auto number = std::uint64_t{place.pack} << 32 | entry.block;
        TRY(bytes, cache_.get(number, block.size, [&] { return decompress(pack, block, {}, decompressor); }));
    } else {
        if (depth > 0)
            return fail(error(Errc::bad_value, "expected a base that needs no other, found one that does")
                            .in_file(pack.name())
                            .at(block.offset));
        TRY(const auto base, read_any(block.base, decompressor, depth + 1));
        TRY(bytes, decompress(pack, block, base.bytes, decompressor));
    }
    const auto content = Bytes(*bytes).subspan(entry.offset, entry.size);
    if (key_of(content) != entry.key)
        return fail(
            error(Errc::mismatch, "expected a content with the key {}, found another", entry.key.hex())
                .in_file(pack.name())
                .at(block.offset)
                .advise(advice_));
    return Content{std::move(bytes), content};
}

Result<Content> Contents::read_any(const Key& key, Decompressor& decompressor, int depth) const {
    std::optional<Error> problem;
    for (const auto& slot : candidates(key)) {
        if (packs_[slot.place.pack]->key(slot.place.content) != key) continue;
        auto content = read_at(slot.place, decompressor, depth);
        if (content) return content;
        if (!problem) problem = std::move(content).error();
    }
    if (problem) return std::unexpected(*std::move(problem));
    return fail(error(Errc::not_found, "no pack has the content {}", key.hex()).advise(advice_));
}

Result<Content> Contents::read(const Key& key, Decompressor& decompressor) const {
    return read_any(key, decompressor, 0);
}

Result<Content> Contents::read(ContentRef place, Decompressor& decompressor) const {
    return read_at(place, decompressor, 0);
}

} // namespace orbis::jobs::snapshot
