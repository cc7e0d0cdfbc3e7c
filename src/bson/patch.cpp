#include "bson/patch.hpp"

#include "bytes/joined.hpp"
#include "bytes/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

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

Result<Patch::Target> Patch::locate(Path path) const {
    if (path.empty()) return fail(Errc::bad_value, "the path to change is empty");
    Target place;
    Document here = document_;
    for (std::size_t depth = 0;; ++depth) {
        place.around.push_back(here.offset() - document_.offset());
        std::optional<Element> found;
        Cursor at(here);
        while (!found && at.next())
            if (at->key() == path[depth]) found = at.element();
        if (!at.ok()) return fail(at.error());
        if (depth + 1 == path.size()) {
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
        here = *nested;
    }
}

Result<void> Patch::set(Path path, Value value) {
    TRY(auto place, locate(path));
    Edit edit;
    edit.around = std::move(place.around);
    edit.begin = edit.end = place.append_at;
    if (place.element) {
        edit.begin = place.element->offset() - document_.offset();
        edit.end = edit.begin + place.element->raw().size();
    }
    edit.bytes.reserve(path.back().size() + 2 + value.bytes.size());
    orbis::Writer out(edit.bytes);
    out.u8(static_cast<std::uint8_t>(value.type));
    out.bytes(as_bytes(path.back()));
    out.u8(0);
    out.bytes(value.bytes);
    edits_.push_back(std::move(edit));
    return {};
}

Result<void> Patch::remove(Path path) {
    TRY(auto place, locate(path));
    if (!place.element) return fail(Errc::not_found, "no '{}' in the document", joined(path, "."));
    Edit edit;
    edit.around = std::move(place.around);
    edit.begin = place.element->offset() - document_.offset();
    edit.end = edit.begin + place.element->raw().size();
    edits_.push_back(std::move(edit));
    return {};
}

Result<void> Patch::apply(Buffer& out) const {
    std::vector<const Edit*> sorted;
    for (const auto& edit : edits_) sorted.push_back(&edit);
    // Changes at one place are all appended elements; they stay in the order in which they were made.
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end != b->end ? a->end < b->end : a < b;
    });

    const auto bytes = document_.bytes();
    const auto start = out.size();
    std::int64_t growth = 0;
    for (const auto* edit : sorted)
        growth += static_cast<std::int64_t>(edit->bytes.size())
                  - static_cast<std::int64_t>(edit->end - edit->begin);
    const auto total = static_cast<std::int64_t>(bytes.size()) + growth;
    if (total > std::numeric_limits<std::int32_t>::max())
        return fail(Errc::too_large, "the changed document would have {} bytes", total);
    out.reserve(start + static_cast<std::size_t>(total));

    // How much each document grows, and how far each start has moved when it was copied.
    std::map<std::size_t, std::int64_t> grown;
    for (const auto* edit : sorted)
        for (const auto around : edit->around)
            grown[around] += static_cast<std::int64_t>(edit->bytes.size())
                             - static_cast<std::int64_t>(edit->end - edit->begin);

    orbis::Writer writer(out);
    std::size_t copied = 0;
    auto next_length = grown.begin();
    const auto copy_to = [&](std::size_t end) {
        const auto moved = static_cast<std::int64_t>(out.size()) - static_cast<std::int64_t>(copied);
        writer.bytes(bytes.subspan(copied, end - copied));
        for (; next_length != grown.end() && next_length->first < end; ++next_length) {
            const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(next_length->first) + moved);
            const auto length = load_le<std::int32_t>(out.data() + at) + next_length->second;
            store_le(out.data() + at, static_cast<std::int32_t>(length));
        }
        copied = end;
    };
    for (const auto* edit : sorted) {
        if (edit->begin < copied)
            return fail(Errc::overlap, "two changes touch the same element at offset {}", edit->begin);
        copy_to(edit->begin);
        writer.bytes(edit->bytes);
        copied = edit->end;
    }
    copy_to(bytes.size());
    return {};
}

} // namespace orbis::bson
