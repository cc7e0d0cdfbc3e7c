#include "bson/patch.hpp"

#include "bytes/joined.hpp"
#include "bytes/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace orbis::bson {

Value Value::int32(std::int32_t value) {
    Value made{Type::int32, {}};
    orbis::Writer(made.bytes).le(value);
    return made;
}

Value Value::string(std::string_view text) {
    Value made{Type::string, {}};
    orbis::Writer out(made.bytes);
    out.le(static_cast<std::int32_t>(text.size() + 1));
    out.bytes(as_bytes(text));
    out.u8(0);
    return made;
}

Value Value::binary(Bytes data, std::uint8_t subtype) {
    Value made{Type::binary, {}};
    made.bytes.reserve(data.size() + 5);
    orbis::Writer out(made.bytes);
    out.le(static_cast<std::int32_t>(data.size()));
    out.u8(subtype);
    out.bytes(data);
    return made;
}

Value Value::document(Buffer document, Type type) { return {type, std::move(document)}; }

Result<Patch::Target> Patch::locate(Path path) {
    if (path.empty()) return fail(Errc::bad_value, "the path to change is empty");
    Target place;
    place.around.reserve(path.size());
    std::size_t depth = 0;
    Document here = document_;
    const auto step_into = [&](const Document& document) {
        place.around.push_back(here.offset() - document_.offset());
        here = document;
        ++depth;
    };
    while (depth < steps_.size() && depth + 1 < path.size() && steps_[depth].key == path[depth])
        step_into(steps_[depth].document);
    steps_.resize(depth);
    for (;;) {
        std::optional<Element> found;
        Cursor at(here);
        while (!found && at.next())
            if (at->key() == path[depth]) found = at.element();
        if (!at.ok()) return fail(at.error());
        if (depth + 1 == path.size()) {
            place.around.push_back(here.offset() - document_.offset());
            place.element = found;
            place.append_at = place.around.back() + here.bytes().size() - 1;
            return place;
        }
        if (!found)
            return fail(Errc::not_found, "no '{}' in the document", joined(path.first(depth + 1), "."));
        const auto nested = found->type() == Type::array ? found->array() : found->document();
        if (!nested)
            return fail(error(Errc::bad_value, "'{}' is not a document but a {}",
                              joined(path.first(depth + 1), "."), name(found->type()))
                            .at(found->offset()));
        steps_.push_back({found->key(), *nested});
        step_into(*nested);
    }
}

Patch::Edit& Patch::add_edit(std::span<const std::size_t> around) {
    constexpr std::size_t k_usual = 12; // as many as there are sections, and some more
    if (edits_.empty()) {
        edits_.reserve(k_usual);
        around_.reserve(k_usual * around.size());
    }
    auto& edit = edits_.emplace_back();
    edit.first_around = around_.size();
    edit.around = around.size();
    around_.insert(around_.end(), around.begin(), around.end());
    return edit;
}

Result<Patch::Edit*> Patch::place(Path path, Type type) {
    TRY(auto place, locate(path));
    auto& edit = add_edit(place.around);
    edit.begin = edit.end = place.append_at;
    if (place.element) {
        edit.begin = place.element->offset() - document_.offset();
        edit.end = edit.begin + place.element->raw().size();
    }
    edit.head.reserve(path.back().size() + 2);
    orbis::Writer out(edit.head);
    out.u8(static_cast<std::uint8_t>(type));
    out.bytes(as_bytes(path.back()));
    out.u8(0);
    return &edit;
}

Result<void> Patch::set(Path path, Value value) {
    TRY(auto* edit, place(path, value.type));
    edit->value = std::move(value.bytes);
    return {};
}

void Patch::set_binary(const Place& place, std::size_t size, std::function<void(Buffer&)> append) {
    auto& edit = add_edit(place.around);
    edit.begin = place.value;
    edit.end = place.value + place.size;
    edit.later = size + k_binary_head;
    edit.append = std::move(append);
}

Result<void> Patch::remove(Path path) {
    TRY(auto place, locate(path));
    if (!place.element) return fail(Errc::not_found, "no '{}' in the document", joined(path, "."));
    auto& edit = add_edit(place.around);
    edit.begin = place.element->offset() - document_.offset();
    edit.end = edit.begin + place.element->raw().size();
    return {};
}

Result<void> Patch::apply(Buffer& out) const {
    std::vector<const Edit*> sorted;
    sorted.reserve(edits_.size());
    for (const auto& edit : edits_) sorted.push_back(&edit);
    // Changes at one place are all appended elements; they stay in the order in which they were made.
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end != b->end ? a->end < b->end : a < b;
    });

    const auto bytes = document_.bytes();
    auto room = bytes.size();
    for (const auto* edit : sorted) {
        room += edit->head.size() + edit->value.size() + edit->later;
        room -= std::min(room, edit->end - edit->begin);
    }
    const auto start = out.size();
    // A buffer that is reused gets more than it needs now, so that it seldom has to grow.
    if (out.capacity() < start + room) out.reserve(start + room + room / 4);

    // Where the documents around changes begin now, and by how much they grow.
    struct Around {
        std::size_t stored = 0; ///< where it begins in the document as it was
        std::size_t begin = 0;
        std::int64_t growth = 0;
    };
    std::vector<Around> documents;
    documents.reserve(around_.size());
    for (const auto stored : around_) documents.push_back({stored});
    std::ranges::sort(documents, {}, &Around::stored);
    const auto twice = std::ranges::unique(documents, {}, &Around::stored);
    documents.erase(twice.begin(), twice.end());

    std::size_t copied = 0;
    auto next_around = documents.begin();
    const auto copy_to = [&](std::size_t end) {
        for (; next_around != documents.end() && next_around->stored < end; ++next_around)
            next_around->begin = out.size() + (next_around->stored - copied);
        out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(copied),
                   bytes.begin() + static_cast<std::ptrdiff_t>(end));
        copied = end;
    };
    for (const auto* edit : sorted) {
        if (edit->begin < copied)
            return fail(Errc::overlap, "two changes touch the same element at offset {}", edit->begin);
        copy_to(edit->begin);
        const auto before = out.size();
        append_new(*edit, out);
        const auto growth = static_cast<std::int64_t>(out.size() - before)
                            - static_cast<std::int64_t>(edit->end - edit->begin);
        for (const auto stored : around(*edit))
            std::ranges::lower_bound(documents, stored, {}, &Around::stored)->growth += growth;
        copied = edit->end;
    }
    copy_to(bytes.size());
    if (out.size() - start > std::numeric_limits<std::int32_t>::max())
        return fail(Errc::too_large, "the changed document would have {} bytes", out.size() - start);
    for (const auto& moved : documents) {
        auto* const length = out.data() + moved.begin;
        store_le(length, static_cast<std::int32_t>(load_le<std::int32_t>(length) + moved.growth));
    }
    return {};
}

void Patch::append_new(const Edit& edit, Buffer& out) {
    out.insert(out.end(), edit.head.begin(), edit.head.end());
    out.insert(out.end(), edit.value.begin(), edit.value.end());
    if (!edit.append) return;
    const auto begin = out.size();
    out.resize(begin + k_binary_head);
    edit.append(out);
    store_le(out.data() + begin, static_cast<std::int32_t>(out.size() - begin - k_binary_head));
    out[begin + k_binary_head - 1] = k_subtype_generic;
}

} // namespace orbis::bson
