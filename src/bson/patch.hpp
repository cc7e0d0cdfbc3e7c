#pragma once

#include "bson/view.hpp"
#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace orbis::bson {

/// A value with its type, as it is stored.
struct Value {
    Type type = Type::null;
    Buffer bytes;

    static Value int32(std::int32_t value);
    static Value string(std::string_view text);
    static Value binary(Bytes data, std::uint8_t subtype = k_subtype_generic);
    /// A whole document, or with `Type::array` a whole array.
    static Value document(Buffer document, Type type = Type::document);
};

/// Changes single elements of a document and leaves every other byte as it is; the lengths of the documents
/// around a change are corrected. Changes are collected first and applied in one pass. A path may not be
/// changed twice, nor something inside an element that is replaced or removed. Keys of array elements that
/// follow a removed one stay as they are.
class Patch {
public:
    using Path = std::span<const std::string_view>;

    /// `document` is borrowed until `apply`.
    explicit Patch(const Document& document) : document_(document) {}

    /// Replaces the element in its place, or appends it to its document, which must be there.
    Result<void> set(Path path, Value value);
    Result<void> set(std::initializer_list<std::string_view> path, Value value) {
        return set(Path(path.begin(), path.size()), std::move(value));
    }
    /// Where a binary value is.
    struct Place {
        std::size_t value = 0;               ///< where it begins in the document, at its length
        std::size_t size = 0;                ///< with its length and subtype
        std::span<const std::size_t> around; ///< starts of the documents around it, the outermost first
    };
    /// Replaces a binary value by one that `append` puts at the end of the buffer when the patch is applied.
    /// It has about `size` bytes.
    void set_binary(const Place& place, std::size_t size, std::function<void(Buffer&)> append);
    /// Takes the element out; an element that is not there is an error.
    Result<void> remove(Path path);
    Result<void> remove(std::initializer_list<std::string_view> path) {
        return remove(Path(path.begin(), path.size()));
    }

    [[nodiscard]] bool empty() const { return edits_.empty(); }

    /// The changed document, appended to `out`.
    Result<void> apply(Buffer& out) const;

private:
    struct Edit {
        std::size_t begin = 0; ///< bytes [begin, end) of the document give way to the new ones
        std::size_t end = 0;
        Buffer head;           ///< type and key of the new element
        Buffer value;          ///< and its value
        std::size_t later = 0; ///< about the size of what `append` adds
        std::function<void(Buffer&)> append;
        std::size_t first_around = 0; ///< in `around_`, of the documents around it
        std::size_t around = 0;       ///< how many there are
    };
    struct Target {
        std::optional<Element> element;
        std::size_t append_at = 0;
        std::vector<std::size_t> around;
    };
    /// A document on the way of a path.
    struct Step {
        std::string_view key; ///< lives as long as the document
        Document document;
    };
    Result<Target> locate(Path path);
    Result<Edit*> place(Path path, Type type);
    Edit& add_edit(std::span<const std::size_t> around);
    [[nodiscard]] std::span<const std::size_t> around(const Edit& edit) const {
        return std::span(around_).subspan(edit.first_around, edit.around);
    }
    static void append_new(const Edit& edit, Buffer& out);

    Document document_;
    std::vector<Edit> edits_;
    std::vector<std::size_t> around_; ///< starts of the documents around each, the outermost first
    std::vector<Step> steps_;         ///< of the last path: the next one often begins like it
};

} // namespace orbis::bson
