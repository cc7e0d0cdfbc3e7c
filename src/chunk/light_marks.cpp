#include "chunk/light_marks.hpp"

#include "bson/view.hpp"
#include "bytes/position.hpp"
#include "bytes/writer.hpp"

#include <string>

namespace orbis::chunk {

Result<void> mark_global_light(MutableBytes document, std::uint32_t sections) {
    TRY(const auto root, bson::Document::open(document));
    for (int y = 0; y < k_sections; ++y) {
        if ((sections >> y & 1) == 0) continue;
        const auto key = std::to_string(y);
        const auto found =
            root.find_path({"Components", "ChunkColumn", "Sections", key, "Components", "Block", "Data"});
        const auto blob = found ? found->binary() : std::nullopt;
        if (!blob || blob->data.size() < sizeof(std::uint16_t))
            return fail(Errc::not_found, "section {} has no Block", y);
        // The counter of the global light is the last of the section (docs/formats/section.md).
        const auto end = static_cast<std::size_t>(blob->data.data() - document.data()) + blob->data.size();
        auto* const counter = document.data() + end - sizeof(std::uint16_t);
        store_be(counter, static_cast<std::uint16_t>(load_be<std::uint16_t>(counter) + 1U));
    }
    return {};
}

} // namespace orbis::chunk
