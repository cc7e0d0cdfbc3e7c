// Sections: the first byte chooses version and blob, the rest is the blob. What can be read is used, changed,
// written and read again.

#include "chunk/section.hpp"

#include "support/chunk_images.hpp"
#include "target.hpp"

#include <algorithm>

using namespace orbis;
using namespace orbis::chunk;

namespace {

constexpr unsigned k_versions = 7;

void use_block(Bytes input, int version) {
    Section section;
    Error problem;
    if (!section.read_block(input, version, k_everything, problem)) {
        fuzz::require(!problem.problem.empty());
        return;
    }
    (void)section.check();
    if (version == Section::k_version) {
        Buffer same;
        section.append_block(same);
        fuzz::require(std::ranges::equal(same, input));
    }
    std::vector<BlockState> before;
    for (int i = 0; i < k_cells; i += 101) before.push_back(section.block_at(CellIndex(i)));
    std::vector<std::string> keys;
    for (const auto& state : before) keys.emplace_back(state.key);
    section.modernise(nullptr);
    section.blocks.set(CellIndex(1), "Fuzzed");
    section.invalidate_light();
    Buffer changed;
    section.append_block(changed);
    Section again;
    fuzz::require(again.read_block(Bytes(changed), Section::k_version, k_everything, problem));
    fuzz::require(again.blocks.at(CellIndex(1)) == "Fuzzed" && again.blocks.check().has_value());
    std::size_t next = 0;
    for (int i = 0; i < k_cells; i += 101, ++next) {
        const auto now = again.block_at(CellIndex(i));
        fuzz::require(now.key == keys[next] && now.rotation == before[next].rotation
                      && now.filler == before[next].filler);
    }
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> out;
    for (unsigned version = 0; version < k_versions; ++version) {
        test::SectionImage image;
        image.version = static_cast<int>(version);
        image.blocks.assign(test::k_image_cells, "Rock");
        image.blocks[0] = version <= 4 ? "A|Yaw=90|Fluid=Fluid_Water|FluidLevel=2" : "A";
        image.ticking = {0, 70};
        image.local_light.emplace(test::k_image_cells, std::uint16_t{5});
        for (const bool empty : {false, true}) {
            if (empty) image.blocks.clear();
            auto blob = test::section_image(image);
            blob.insert(blob.begin(), static_cast<std::uint8_t>(version));
            out.push_back(std::move(blob));
        }
    }
    auto fluid = test::fluid_image({}, {});
    fluid.insert(fluid.begin(), k_versions);
    auto physics = test::physics_image({});
    physics.insert(physics.begin(), k_versions + 1);
    out.push_back(std::move(fluid));
    out.push_back(std::move(physics));
    return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Buffer input(data + 1, data + size);
    const auto choice = data[0] % (k_versions + 2);
    Section section;
    Error problem;
    if (choice < k_versions)
        use_block(input, static_cast<int>(choice));
    else if (choice == k_versions)
        (void)(section.read_fluid(input, problem) && section.check().empty());
    else
        (void)section.read_physics(input, problem);
    return 0;
}
