#include "query/block_runs.hpp"

#include <bit>

namespace orbis::query {

bool WantedKeys::contains(std::string_view key) {
    if (is_short_) return filter_.admits_key(key);
    constexpr std::size_t k_most_known = 65'536;
    if (known_.size() > k_most_known) {
        keys_ = {};
        known_.clear();
    }
    const auto number = keys_.of(key);
    if (number == known_.size()) known_.push_back(filter_.admits_key(key));
    return known_[number];
}

void BlockRuns::add(const chunk::Section& section, int y, std::vector<Run>& out) {
    const auto entries = section.blocks.entries().size();
    bool is_any = false;
    wanted_.resize(entries + 1);
    for (std::size_t entry = 0; entry <= entries; ++entry) {
        wanted_[entry] = keys_.of_blocks(section.block_key(entry));
        is_any = is_any || wanted_[entry];
    }
    if (!is_any) return;
    if (wanted_[entries] || section.blocks.kind() == chunk::PaletteKind::wide) {
        section.blocks.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
            if (wanted_[entry]) out.push_back({y, first.value, end.value, section.block_key(entry)});
        });
        return;
    }
    Labels labels(section.blocks.kind());
    for (std::size_t entry = 0; entry < entries; ++entry)
        if (wanted_[entry])
            want(labels, static_cast<std::uint8_t>(section.blocks.entries()[entry].id),
                 section.block_key(entry));
    add_members(labels, section.blocks.stored_cells().data(), y, out);
}

void BlockRuns::add(const chunk::BlockPalettes::Section& section, int y, std::vector<Run>& out) {
    Labels labels(section.kind);
    for (const auto& entry : section.entries)
        if (keys_.of_blocks(entry.key)) want(labels, entry.id, entry.key);
    if (labels.count > 0) add_members(labels, section.cells, y, out);
}

void BlockRuns::want(Labels& labels, std::uint8_t label, std::string_view key) {
    labels.set.insert(label);
    ++labels.count;
    key_of_label_[label] = key;
}

/// 64 cells at a time: much faster than run by run where few cells hold what is wanted.
void BlockRuns::add_members(const Labels& labels, const std::uint8_t* cells, int y, std::vector<Run>& out) {
    members_.fill(~std::uint64_t{0});
    labels.set.keep_members(cells, members_);
    const auto label_at = [&](int cell) {
        return static_cast<std::uint8_t>(labels.half ? cells[cell >> 1] >> ((~cell & 1) * 4) & 15
                                                     : cells[cell]);
    };
    for (std::size_t word = 0; word < members_.size(); ++word) {
        const auto bits = members_[word];
        const int cell = static_cast<int>(word) * 64;
        auto lasts = bits & ~(bits >> 1);
        for (auto firsts = bits & ~(bits << 1); firsts != 0; firsts &= firsts - 1, lasts &= lasts - 1) {
            int first = cell + std::countr_zero(firsts);
            const int end = cell + std::countr_zero(lasts) + 1;
            auto label = label_at(first);
            for (int at = first + 1; labels.count > 1 && at < end; ++at) {
                const auto next = label_at(at);
                if (next == label) continue;
                out.push_back({y, first, at, key_of_label_[label]});
                first = at;
                label = next;
            }
            out.push_back({y, first, end, key_of_label_[label]});
        }
    }
}

} // namespace orbis::query
