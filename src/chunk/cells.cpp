#include "chunk/cells.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace orbis::chunk {

namespace {

constexpr std::size_t k_nibble_bytes = k_cells / 2;

} // namespace

template <NibbleOrder Order>
void Nibbles<Order>::reset() {
    cells_ = nullptr;
    changed_ = false;
}

template <NibbleOrder Order>
bool Nibbles<Order>::read(Reader& in, Error& problem) {
    reset();
    const auto start = in.position();
    const auto present = in.u8();
    if (in.ok() && present > 1) {
        problem =
            error(Errc::bad_value, "the flag before the cells is {}, expected 0 or 1", present).at(start);
        return false;
    }
    if (present == 1) {
        const auto cells = in.take(k_nibble_bytes);
        if (in.ok()) cells_ = cells.data();
    }
    if (!in.ok()) {
        problem = error(Errc::truncated, "the cells take {} bytes, found {}", k_nibble_bytes, in.remaining())
                      .at(in.position());
        return false;
    }
    return true;
}

template <NibbleOrder Order>
bool Nibbles<Order>::set(CellIndex cell, std::uint8_t value) {
    value &= 15;
    if (at(cell) == value) return false;
    if (!changed_) {
        if (cells_ == nullptr)
            own_.assign(k_nibble_bytes, 0);
        else
            own_.assign(cells_, cells_ + k_nibble_bytes);
        cells_ = own_.data();
        changed_ = true;
    }
    const auto i = static_cast<std::size_t>(cell.value);
    const bool high = ((i & 1) == 0) == (Order == NibbleOrder::high_first);
    auto& pair = own_[i >> 1];
    pair = static_cast<std::uint8_t>(high ? value << 4 | (pair & 15) : (pair & 0xF0) | value);
    return true;
}

template <NibbleOrder Order>
template <typename IsFound>
bool Nibbles<Order>::any(CellIndex begin, CellIndex end, IsFound is_found) const {
    auto i = begin.value;
    for (; i < end.value && (i & 15) != 0; ++i)
        if (is_found(at(CellIndex(i)) * 0x1111'1111'1111'1111U)) return true;
    for (; i + 64 <= end.value; i += 64) {
        std::array<std::uint64_t, 4> words;
        std::memcpy(words.data(), cells_ + (i >> 1), sizeof words);
        if (is_found(words[0]) || is_found(words[1]) || is_found(words[2]) || is_found(words[3])) return true;
    }
    for (; i + 16 <= end.value; i += 16) {
        std::uint64_t word = 0;
        std::memcpy(&word, cells_ + (i >> 1), sizeof word);
        if (is_found(word)) return true;
    }
    for (; i < end.value; ++i)
        if (is_found(at(CellIndex(i)) * 0x1111'1111'1111'1111U)) return true;
    return false;
}

template <NibbleOrder Order>
bool Nibbles<Order>::any_zero(CellIndex begin, CellIndex end) const {
    if (cells_ == nullptr) return begin < end;
    return any(begin, end, [](std::uint64_t word) {
        return ((word - 0x1111'1111'1111'1111U) & ~word & 0x8888'8888'8888'8888U) != 0;
    });
}

template <NibbleOrder Order>
bool Nibbles<Order>::any_nonzero(CellIndex begin, CellIndex end) const {
    return cells_ != nullptr && any(begin, end, [](std::uint64_t word) { return word != 0; });
}

template <NibbleOrder Order>
std::size_t Nibbles<Order>::count_nonzero() const {
    std::size_t count = 0;
    if (cells_ != nullptr)
        for (std::size_t i = 0; i < k_nibble_bytes; ++i)
            count += static_cast<std::size_t>(cells_[i] >> 4 != 0)
                     + static_cast<std::size_t>((cells_[i] & 15) != 0);
    return count;
}

template <NibbleOrder Order>
void Nibbles<Order>::append_to(Buffer& buffer) const {
    Writer out(buffer);
    const bool keep = cells_ != nullptr && (!changed_ || count_nonzero() > 0);
    out.u8(keep ? 1 : 0);
    if (keep) out.bytes({cells_, k_nibble_bytes});
}

template class Nibbles<NibbleOrder::high_first>;
template class Nibbles<NibbleOrder::low_first>;

void TickingSet::reset() {
    data_ = nullptr;
    words_ = 0;
    stored_count_ = 0;
    changed_ = false;
    raw_ = {};
}

bool TickingSet::read(Reader& in, Error& problem) {
    reset();
    const auto start = in.position();
    const auto before = in.rest();
    const auto count = in.be<std::uint16_t>();
    const auto words = in.be<std::uint16_t>();
    if (in.ok() && words > k_words) {
        problem = error(Errc::out_of_range, "{} words of ticking cells, expected at most {}", words, k_words)
                      .at(start + 2);
        return false;
    }
    const auto data = in.take(std::size_t{words} * 8);
    if (!in.ok()) {
        problem = error(Errc::truncated, "the ticking cells end early; {} words are stated", words).at(start);
        return false;
    }
    stored_count_ = count;
    words_ = words;
    data_ = data.data();
    raw_ = before.first(in.position() - start);
    return true;
}

std::size_t TickingSet::count() const {
    std::size_t bits = 0;
    for (std::size_t w = 0; w < words_; ++w)
        bits += static_cast<std::size_t>(std::popcount(load_be<std::uint64_t>(data_ + w * 8)));
    return bits;
}

void TickingSet::own() {
    if (changed_) return;
    Buffer all(k_words * 8, 0);
    if (words_ > 0) std::copy_n(data_, words_ * 8, all.begin());
    own_ = std::move(all);
    data_ = own_.data();
    words_ = k_words;
    changed_ = true;
}

bool TickingSet::set(CellIndex cell, bool ticks) {
    if (contains(cell) == ticks) return false;
    own();
    auto* word = own_.data() + static_cast<std::size_t>(cell.value) / 64 * 8;
    store_be(word, load_be<std::uint64_t>(word) ^ std::uint64_t{1} << (cell.value & 63));
    return true;
}

void TickingSet::clear() {
    if (count() == 0) return;
    own();
    std::ranges::fill(own_, std::uint8_t{0});
}

void TickingSet::append_to(Buffer& buffer) const {
    Writer out(buffer);
    if (!changed_ && !raw_.empty()) return out.bytes(raw_);
    std::size_t words = words_;
    while (words > 0 && load_be<std::uint64_t>(data_ + (words - 1) * 8) == 0) --words;
    out.be(static_cast<std::uint16_t>(count()));
    out.be(static_cast<std::uint16_t>(words));
    if (words > 0) out.bytes({data_, words * 8});
}

} // namespace orbis::chunk
