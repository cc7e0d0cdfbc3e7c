#include "chunk/light.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace orbis::chunk {

namespace {

/// Nodes at this level have single cells as children; below it there is nothing.
constexpr int k_last_level = 4;
constexpr std::size_t k_leaf_bytes = 17;

/// A node of the last level but one whose children with a set bit are leaves: where these are, and where it
/// ends. Most bytes of most trees are in such nodes.
struct LowNode {
    std::array<std::uint8_t, 8> leaves{};
    std::uint8_t count = 0;
    std::uint8_t size = 0;
};

constexpr std::array<LowNode, 256> low_nodes() {
    std::array<LowNode, 256> nodes{};
    for (std::size_t mask = 0; mask < nodes.size(); ++mask) {
        auto& node = nodes[mask];
        std::size_t at = 1;
        for (unsigned child = 0; child < 8; ++child) {
            const bool is_leaf = (mask >> child & 1) != 0;
            if (is_leaf) node.leaves[node.count++] = static_cast<std::uint8_t>(at);
            at += is_leaf ? k_leaf_bytes : 2;
        }
        node.size = static_cast<std::uint8_t>(at);
    }
    return nodes;
}

constexpr auto k_low_nodes = low_nodes();

/// The byte after such a node; nothing if it or a leaf is damaged.
const std::uint8_t* skip_low_node(const std::uint8_t* at, const std::uint8_t* end) {
    const auto& node = k_low_nodes[*at];
    if (end - at < node.size) return nullptr;
    unsigned masks = 0;
    for (unsigned i = 0; i < node.count; ++i) masks |= at[node.leaves[i]];
    return masks == 0 ? at + node.size : nullptr;
}

/// Checks the subtree at `at` and gives the byte after it, or nothing with `at` at the bad node.
template <int Level>
const std::uint8_t* skip_node(const std::uint8_t*& at, const std::uint8_t* end) {
    if (at == end) return nullptr;
    const auto mask = *at;
    if constexpr (Level == k_last_level) {
        if (mask != 0 || static_cast<std::size_t>(end - at) < k_leaf_bytes) return nullptr;
        return at + k_leaf_bytes;
    } else {
        if constexpr (Level + 1 == k_last_level)
            if (const auto* after = skip_low_node(at, end))
                return after; // else the place of the damage is found
        const auto* next = at + 1;
        int child = 0;
        for (unsigned bits = mask; bits != 0; bits &= bits - 1) {
            const int with_node = std::countr_zero(bits);
            const auto values = static_cast<std::ptrdiff_t>(with_node - child) * 2;
            if (end - next < values) return nullptr;
            next += values;
            const auto* after = skip_node<Level + 1>(next, end);
            if (after == nullptr) {
                at = next;
                return nullptr;
            }
            next = after;
            child = with_node + 1;
        }
        const auto values = static_cast<std::ptrdiff_t>(8 - child) * 2;
        return end - next < values ? nullptr : next + values;
    }
}

/// The child `wanted` of the node at `at`: its value, or its node to go on with.
struct Child {
    const std::uint8_t* at;
    bool is_node;
};

constexpr std::array<std::uint8_t, 2> k_dark{};

template <int Level>
Child child_of(const std::uint8_t* at, unsigned wanted, const std::uint8_t* end) {
    const unsigned mask = *at;
    const auto* next = at + 1;
    for (unsigned i = 0; i < wanted; ++i) {
        if ((mask >> i & 1) == 0) {
            next += 2;
        } else if constexpr (Level < k_last_level) {
            next = skip_node<Level + 1>(next, end);
            if (next == nullptr)
                return {k_dark.data(), false}; // never: the tree was checked when it was read
        }
    }
    return {next, (mask >> wanted & 1) != 0};
}

template <int Level>
const std::uint8_t* expand_node(const std::uint8_t* at, std::uint16_t* out) {
    constexpr std::size_t k_span = std::size_t{1} << (3 * (k_last_level - Level));
    const unsigned mask = *at++;
    for (unsigned i = 0; i < 8; ++i, out += k_span) {
        if ((mask >> i & 1) != 0) {
            if constexpr (Level < k_last_level) at = expand_node<Level + 1>(at, out);
        } else {
            std::fill_n(out, k_span, load_be<std::uint16_t>(at));
            at += 2;
        }
    }
    return at;
}

/// Room for every tree: all nodes of all levels, and a value for each cell.
using TreeRoom = std::array<std::uint8_t, 1 + 8 + 64 + 512 + 4096 + std::size_t{k_cells} * 2>;

/// Writes the node for `8 * span` values and returns where it ends: at `out`, with nothing written, where
/// they are all one value.
std::uint8_t* write_node(std::uint8_t* out, const std::uint16_t* values, std::size_t span) {
    bool equal = true;
    for (unsigned i = 1; i < 8; ++i) equal = equal && values[i * span] == values[0];
    if (span == 1 && equal) return out; // as most of the lowest ones are
    auto* at = out + 1;
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const auto* part = values + i * span;
        auto* const end = span == 1 ? at : write_node(at, part, span / 8);
        if (end != at) {
            mask |= 1U << i;
            at = end;
        } else {
            store_be(at, *part);
            at += 2;
        }
    }
    if (mask == 0 && equal) return out;
    *out = static_cast<std::uint8_t>(mask);
    return at;
}

} // namespace

Buffer build_light_tree(Light::ConstExpanded values) {
    TreeRoom room; // not zeroed: what is used of it is written
    auto* end = write_node(room.data(), values.data(), k_cells / 8);
    if (end == room.data()) { // the root is always written
        *end++ = 0;
        for (int i = 0; i < 8; ++i, end += 2) store_be(end, values[0]);
    }
    return {room.data(), end};
}

void Light::reset() {
    tree_ = {};
    change_id_ = 0;
    present_ = false;
    changed_ = false;
}

bool Light::read(Reader& in, Error& problem, const Light* checked) {
    reset();
    const auto start = in.position();
    const auto id = in.be<std::int16_t>();
    const auto has = in.u8();
    const auto length = has == 1 ? in.be<std::int32_t>() : 0;
    if (!in.ok()) {
        problem = error(Errc::truncated, "the light ends before its tree").at(start);
        return false;
    }
    if (has > 1) {
        problem = error(Errc::bad_value, "the flag of the light is {}, expected 0 or 1", has).at(start + 2);
        return false;
    }
    if (has == 1) {
        if (length < 0 || static_cast<std::size_t>(length) > in.remaining()) {
            problem = error(Errc::truncated, "a light tree of {} bytes, found {}", length, in.remaining())
                          .at(start + 3);
            return false;
        }
        tree_ = in.take(static_cast<std::size_t>(length));
        if (checked != nullptr && has_tree_of(*checked)) {
            blocks_ = checked->blocks_;
        } else if (!index_tree(problem, start + 7)) {
            reset();
            return false;
        }
    }
    change_id_ = id;
    present_ = has == 1;
    return true;
}

bool Light::has_tree_of(const Light& other) const {
    return other.present_ && !other.changed_ && as_text(tree_) == as_text(other.tree_);
}

/// Walks the two upper levels by hand to note the nodes of blocks; `skip_node` checks all below.
bool Light::index_tree(Error& problem, std::size_t offset) {
    const auto* begin = tree_.data();
    const auto* end = begin + tree_.size();
    const auto bad = [&](const std::uint8_t* at) {
        const bool deep = at != end && end - at >= static_cast<std::ptrdiff_t>(k_leaf_bytes);
        auto found = deep ? error(Errc::too_deep, "a node of the light tree lies below the fifth level")
                          : error(Errc::truncated,
                                  "a node of the light tree overruns the {} bytes of the tree", tree_.size());
        problem = std::move(found).at(offset + static_cast<std::size_t>(at - begin));
        return false;
    };
    const auto* at = begin;
    if (at == end) return bad(at);
    const unsigned root = *at++;
    for (unsigned i = 0; i < 8; ++i) {
        if ((root >> i & 1) == 0) {
            if (end - at < 2) return bad(at);
            std::fill_n(blocks_.begin() + static_cast<std::ptrdiff_t>(i) * 8, 8,
                        k_value | load_be<std::uint16_t>(at));
            at += 2;
            continue;
        }
        if (at == end) return bad(at);
        const unsigned node = *at++;
        for (unsigned k = 0; k < 8; ++k) {
            auto& block = blocks_[i * 8 + k];
            if ((node >> k & 1) == 0) {
                if (end - at < 2) return bad(at);
                block = k_value | load_be<std::uint16_t>(at);
                at += 2;
                continue;
            }
            block = static_cast<std::uint32_t>(at - begin);
            const auto* next = skip_node<2>(at, end);
            if (next == nullptr) return bad(at);
            at = next;
        }
    }
    if (at != end) {
        problem =
            error(Errc::bad_value, "the light tree takes {} bytes; {} are stated", at - begin, tree_.size())
                .at(offset + static_cast<std::size_t>(at - begin));
        return false;
    }
    return true;
}

LightValue Light::at(CellIndex cell) const {
    if (!present_) return {};
    const auto i = static_cast<unsigned>(cell.value);
    const auto block = blocks_[i >> 9 & 63];
    if ((block & k_value) != 0) return {static_cast<std::uint16_t>(block)};
    const auto* end = tree_.data() + tree_.size();
    auto child = child_of<2>(tree_.data() + block, i >> 6 & 7, end);
    if (child.is_node) child = child_of<3>(child.at, i >> 3 & 7, end);
    if (child.is_node) child = child_of<4>(child.at, i & 7, end);
    return {load_be<std::uint16_t>(child.at)};
}

void Light::expand(Expanded out) const {
    if (present_)
        expand_node<0>(tree_.data(), out.data());
    else
        std::ranges::fill(out, std::uint16_t{0});
}

void Light::set(ConstExpanded values, std::int16_t change_id) {
    own_ = build_light_tree(values);
    tree_ = own_;
    change_id_ = change_id;
    present_ = true;
    changed_ = true;
    Error ignored; // a tree that was just built is whole
    (void)index_tree(ignored, 0);
}

void Light::clear(std::int16_t change_id) {
    tree_ = {};
    change_id_ = change_id;
    present_ = false;
    changed_ = true;
}

void Light::append_to(Buffer& buffer) const {
    Writer out(buffer);
    out.be(change_id_);
    out.u8(present_ ? 1 : 0);
    if (!present_) return;
    out.be(static_cast<std::int32_t>(tree_.size()));
    buffer.insert(buffer.end(), tree_.begin(), tree_.end());
}

} // namespace orbis::chunk
