// Prefabs as JSON: the input is a file. What can be read is written again, as it was and from what is known
// of it, and is then the same prefab; what fits goes through the other format too.

#include "jobs/prefab/json_format.hpp"
#include "jobs/prefab/lpf_format.hpp"
#include "target.hpp"

#include <string>

using namespace orbis;
using namespace orbis::jobs::prefab;

namespace {

std::string written(const Prefab& prefab) {
    std::string out;
    const auto done = write_json(prefab, [&](Bytes piece) -> Result<void> {
        out += as_text(piece);
        return {};
    });
    fuzz::require(done.has_value());
    return out;
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    for (
        const std::string_view text :
        {R"({"version":8,"blockIdVersion":11,"anchorX":0,"anchorY":-1,"anchorZ":2,"blocks":[{"x":0,"y":0,"z":0,)"
         R"("name":"Chest","components":{"Components":{"a":{"$binary":"AQID","$type":"04"},"b":1.0E-5}},)"
         R"("support":15,"filler":31744,"rotation":8}],"fluids":[{"x":0,"y":0,"z":0,"name":"Water","level":8}],)"
         R"("entities":[{"Components":{"Transform":{"Position":{"X":1.5,"Y":2,"Z":3}}}}]})",
         R"({"version":1,"worldVersion":3,"anchorX":0,"anchorY":0,"anchorZ":0,"blocks":[{"x":0,"y":1,"z":0,)"
         R"("name":"Fluid_Water|FluidLevel=3","state":{}},{"x":0,"y":0,"z":0,)"
         R"("name":"A|Yaw=90|Roll=180|Filler=0,1,0|Deco|Fluid=Fluid_Lava"}],"entities":[{}]})"}) {
        const auto bytes = as_bytes(text);
        made.emplace_back(bytes.begin(), bytes.end());
    }
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Buffer input(data, data + size); // exactly as long, so that a read past the end is seen
    auto prefab = read_json(as_text(input));
    if (!prefab) {
        fuzz::require(!prefab.error().problem.empty());
        return 0;
    }
    if (prefab->version == k_json_version) fuzz::require(written(*prefab) == as_text(input));
    prefab->source.clear();
    const auto text = written(*prefab);
    auto again = read_json(text);
    fuzz::require(again.has_value());
    fuzz::require(again->blocks.size() == prefab->blocks.size()
                  && again->fluids.size() == prefab->fluids.size());
    again->source.clear();
    fuzz::require(written(*again) == text);
    std::vector<std::string> notes;
    if (const auto other = write_lpf(*prefab, notes)) {
        const auto back = read_lpf(*other);
        fuzz::require(back.has_value() && back->fluids.size() == prefab->fluids.size());
    }
    return 0;
}
