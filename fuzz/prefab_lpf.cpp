// Prefabs in the game's binary form: the input is a file. What can be read is written again, and the second
// time to the same bytes.

#include "bson/writer.hpp"
#include "jobs/prefab/json_format.hpp"
#include "jobs/prefab/lpf_format.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::jobs::prefab;

std::vector<Buffer> fuzz::seeds() {
    Prefab prefab;
    prefab.block_id_version = 11;
    prefab.anchor = {10, 5, -3};
    prefab.components.push_back(bson::empty_document());
    prefab.entities.push_back(bson::empty_document());
    prefab.blocks.push_back({{12, 7, -4}, prefab.keys.id_of("Chest"), 0, 0.5F, {31744}, {8}, 15});
    prefab.blocks.push_back({{12, 8, -4}, prefab.keys.id_of("Empty"), -1, {}, {}, {}, 0});
    prefab.fluids.push_back({{12, 7, -4}, prefab.keys.id_of("Water"), 8});
    std::vector<std::string> notes;
    return {write_lpf(prefab, notes).value(), write_lpf({}, notes).value()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Buffer input(data, data + size); // exactly as long, so that a read past the end is seen
    const auto prefab = read_lpf(input);
    if (!prefab) {
        fuzz::require(!prefab.error().problem.empty());
        return 0;
    }
    std::vector<std::string> notes;
    const auto written = write_lpf(*prefab, notes);
    if (!written) return 0; // an entity may be too far away
    const auto again = read_lpf(*written);
    fuzz::require(again.has_value() && again->blocks.size() == prefab->blocks.size());
    const auto twice = write_lpf(*again, notes);
    fuzz::require(twice.has_value() && *twice == *written);
    (void)write_json(*prefab, [](Bytes) -> Result<void> { return {}; });
    return 0;
}
