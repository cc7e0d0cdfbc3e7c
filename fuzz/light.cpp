// Light trees: the input is a stored light. What can be read gives the same value by cell and expanded, and
// its rebuilt tree is never larger and expands to the same.

#include "chunk/light.hpp"

#include "support/chunk_images.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::chunk;

std::vector<Buffer> fuzz::seeds() {
    std::vector<std::uint16_t> values(test::k_image_cells, 0xF000);
    const auto plain = test::light_image(values, 3);
    for (std::size_t i = 0; i < 40; ++i) values[i * i * 20] = static_cast<std::uint16_t>(i);
    return {plain, test::light_image(values, -1), test::light_image(std::nullopt, 0)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Buffer input(data, data + size);
    Light light;
    Error problem;
    Reader in(input);
    if (!light.read(in, problem)) {
        fuzz::require(!problem.problem.empty() && problem.offset.has_value());
        return 0;
    }
    std::vector<std::uint16_t> values(k_cells);
    light.expand(Light::Expanded(values));
    for (int i = 0; i < k_cells; i += 3)
        fuzz::require(light.at(CellIndex(i)).packed == values[static_cast<std::size_t>(i)]);
    Light rebuilt;
    rebuilt.set(Light::ConstExpanded(values), light.change_id());
    if (light.present()) fuzz::require(rebuilt.tree().size() <= light.tree().size());
    std::vector<std::uint16_t> again(k_cells);
    rebuilt.expand(Light::Expanded(again));
    fuzz::require(again == values);
    return 0;
}
