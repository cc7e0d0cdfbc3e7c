#include "bson/compare.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace orbis::bson {
namespace {

/// The elements by key; equal keys stay in their order.
std::optional<std::vector<Element>> sorted_elements(const Document& document) {
    std::vector<Element> elements;
    Cursor at(document);
    while (at.next()) elements.push_back(at.element());
    if (!at.ok()) return std::nullopt;
    std::ranges::stable_sort(elements, {}, [](const Element& element) { return element.key(); });
    return elements;
}

bool same_at_depth(const Document& a, const Document& b, int depth) {
    if (std::ranges::equal(a.bytes(), b.bytes())) return true;
    // The same elements in another order take the same room.
    if (a.bytes().size() != b.bytes().size() || depth >= k_max_depth) return false;
    const auto left = sorted_elements(a);
    const auto right = sorted_elements(b);
    if (!left || !right || left->size() != right->size()) return false;
    return std::ranges::equal(*left, *right, [depth](const Element& x, const Element& y) {
        if (x.key() != y.key() || x.type() != y.type()) return false;
        if (x.document()) return same_at_depth(*x.document(), *y.document(), depth + 1);
        if (x.array()) return same_at_depth(*x.array(), *y.array(), depth + 1);
        return std::ranges::equal(x.value(), y.value());
    });
}

} // namespace

bool same_content(const Document& a, const Document& b) { return same_at_depth(a, b, 0); }

} // namespace orbis::bson
