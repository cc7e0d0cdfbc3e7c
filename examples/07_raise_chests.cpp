// Shows a change of many chunks: raises every chest of an area (WORLD X1 Z1 X2 Z2) by one block, with what is
// in it. Nothing is written if one of the changes is refused.
#include <orbis/edit.hpp>

int main(int, char** arguments) {
    const auto world = orbis::open_world(arguments[1]);
    if (!world) return orbis::report(world.error());
    const auto number = [arguments](int i) { return std::stoi(arguments[i]); };
    const auto area = orbis::Area::of({number(2), 0, number(3)}, {number(4), 0, number(5)});

    auto edit = orbis::Edit::begin(*world, {.title = "raise chests"});
    if (!edit) return orbis::report(edit.error());
    int raised = 0;
    for (const auto& chunk : world->chunks(area)) {
        for (const auto& container : chunk.containers()) {
            const auto block = container.block();
            const auto from = container.position();
            const orbis::BlockPos to{from.x, from.y + 1, from.z};
            if (block.key.find("Chest") == std::string::npos || chunk.block(to).key != "Empty") continue;
            auto done = edit->set_block(from, "Empty"); // its content goes with it
            if (done) done = edit->set_block(to, block);
            if (done) done = edit->set_components(to, container.json()); // which is as it was read
            if (!done) return orbis::report(done.error());
            ++raised;
        }
    }
    const auto saved = edit->save();
    if (!saved) return orbis::report(saved.error());
    std::cout << raised << " chests in " << saved->chunks_written << " chunks\n";
}
