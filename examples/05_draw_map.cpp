// Shows how to draw: the surface of a world as a PNG file, and the average colour of it. WORLD FILE.png
#include <array>
#include <orbis/draw.hpp>

int main(int, char** arguments) {
    const auto world = orbis::open_world(arguments[1]);
    if (!world) return orbis::report(world.error());
    const auto file = orbis::draw_png(*world, arguments[2]);
    if (!file) return orbis::report(file.error());
    std::cout << file->width << " x " << file->height << " pixels, " << file->chunks << " chunks\n";

    const auto picture = orbis::draw(*world, {.layer = "height"});
    if (!picture) return orbis::report(picture.error());
    std::array<std::uint64_t, 3> sums{};
    std::uint64_t shown = 0;
    for (std::size_t i = 0; i < picture->pixels.size(); i += 4) {
        if (picture->pixels[i + 3] == 0) continue; // no chunk is there
        for (std::size_t channel = 0; channel < 3; ++channel) sums[channel] += picture->pixels[i + channel];
        ++shown;
    }
    std::cout << "average colour of heights:";
    for (const auto sum : sums) std::cout << ' ' << sum / std::max<std::uint64_t>(shown, 1);
    std::cout << '\n';
}
