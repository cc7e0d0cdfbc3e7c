// Filters. Any text is a filter or an error that names a column; a filter answers for any record, and its
// opposite says the opposite.

#include "capture/filter.hpp"

#include "capture/made_records_test.hpp"
#include "target.hpp"

#include <string>

using namespace orbis;
using namespace orbis::capture;

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    for (const std::string_view text :
         {R"(ChatMessage.message ~ "hello" and to server)", "packet = EntityUpdates or channel = chunks",
          "not (player = 3) && size >= 10", "EntityUpdates.updates[].networkId = 5", "*.username ~ a*b?",
          "SendWindowAction.action.$type != SelectSlotAction", "SetChunk.localLight = null or build = 0.5.1",
          "ServerTags.tags[red] < 4 || category ~ auth", "from client"}) {
        const auto bytes = as_bytes(text);
        made.emplace_back(bytes.begin(), bytes.end());
    }
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto visit = made::visit();
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto filter = Filter::parse(text);
    if (!filter) {
        fuzz::require(filter.error().code == Errc::usage);
        return 0;
    }
    const auto opposite = Filter::parse("not (" + text + ")");
    if (!opposite) return 0; // nested too deeply by one
    Matcher yes(*filter);
    Matcher no(*opposite);
    for (const auto& record : visit.all()) fuzz::require(yes.matches(record) != no.matches(record));
    return 0;
}
