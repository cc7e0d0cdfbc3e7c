// Shows how to change a block and save it safely: WORLD X Y Z KEY. `orbis undo` takes it back.
#include <orbis/edit.hpp>

int main(int, char** arguments) {
    const auto world = orbis::open_world(arguments[1]);
    if (!world) return orbis::report(world.error());
    auto edit = orbis::Edit::begin(*world);
    if (!edit) return orbis::report(edit.error());
    const orbis::BlockPos pos{std::stoi(arguments[2]), std::stoi(arguments[3]), std::stoi(arguments[4])};
    if (auto done = edit->set_block(pos, arguments[5]); !done) return orbis::report(done.error());
    if (auto saved = edit->save(); !saved) return orbis::report(saved.error());
    std::cout << world->block(pos)->key << '\n';
}
