// BSON: the input is a document. What passes the check can be walked, printed, read back from its JSON text,
// and patched; a patch changes nothing but its element.

#include "bson/extended_json.hpp"
#include "bson/patch.hpp"
#include "bson/view.hpp"
#include "bson/writer.hpp"
#include "target.hpp"

#include <algorithm>
#include <string>

using namespace orbis;
using namespace orbis::bson;

namespace {

/// Every element copied one by one is the document again.
void copy(const Document& document) {
    Buffer again;
    bson::Writer writer(again);
    for (Cursor at(document); at.next();) writer.element(at.element());
    writer.finish();
    fuzz::require(std::ranges::equal(again, document.bytes()));
}

void patch(const Document& document) {
    for (Cursor at(document); at.next();) {
        Patch change(document);
        const std::string_view key = at->key();
        fuzz::require(change.set({key}, Value::int32(7)).has_value());
        Buffer changed;
        fuzz::require(change.apply(changed).has_value());
        const auto again = open_validated(changed);
        fuzz::require(again.has_value() && again->find(key)->int32() == 7);
    }
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    Buffer rich;
    bson::Writer writer(rich);
    writer.int32("a", 1)
        .string("text", "grün")
        .real("r", 0.5)
        .boolean("b", true)
        .null("n")
        .int64("l", 1LL << 40);
    writer.uuid("id", {1, 2, 3}).document("d").array("list").int32("0", 1).string("1", "x").end().end();
    writer.value("oid", Type::object_id, Buffer(12, 7))
        .datetime("when", 5)
        .value("re", Type::regex, Buffer(2, 0));
    writer.value("dec", Type::decimal128, Buffer(16, 1)).value("min", Type::min_key, {}).finish();
    return {rich, empty_document()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Buffer input(data, data + size); // exactly as long, so that a read past the end is seen
    (void)from_extended_json(as_text(input));
    const auto unchecked = Document::open(input);
    if (unchecked) (void)to_extended_json(*unchecked);
    const auto document = open_validated(input);
    if (!document) return 0;
    copy(*document);
    if (size < 2000) patch(*document);
    const auto text = to_extended_json(*document, {.indent = 2});
    if (text) (void)from_extended_json(*text);
    return 0;
}
