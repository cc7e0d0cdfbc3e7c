#include "area.hpp"
#include "bind.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "orbis/draw.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>

namespace orbis::python {

namespace {

std::unique_ptr<MapPicture> draw_world(const World& world, const std::string& layer, const Corners& area,
                                       std::size_t threads) {
    const auto wanted = area_of(area);
    return unlocked([&] {
        return std::make_unique<MapPicture>(
            value_of(draw(world, {.layer = layer, .area = wanted, .threads = threads})));
    });
}

py::array pixels(const py::object& self) {
    const auto& picture = self.cast<const MapPicture&>();
    return view_of({picture.info.height, picture.info.width, 4}, picture.pixels.data(), self);
}

py::dict save(const World& world, const py::object& path, const std::string& layer, const Corners& area,
              std::size_t threads) {
    const auto file = path_of(path);
    const auto wanted = area_of(area);
    const auto info = unlocked([&] {
        return value_of(draw_png(world, file, {.layer = layer, .area = wanted, .threads = threads}));
    });
    py::dict fields;
    fields["width"] = info.width;
    fields["height"] = info.height;
    fields["first"] = py::make_tuple(info.first.x, info.first.z);
    fields["chunks"] = info.chunks;
    fields["unreadable"] = info.unreadable;
    return fields;
}

} // namespace

void bind_pictures(py::module_& module) {
    py::class_<MapPicture>(module, "Picture", "A world from above; a pixel is a block.")
        .def_property_readonly("width", [](const MapPicture& self) { return self.info.width; })
        .def_property_readonly("height", [](const MapPicture& self) { return self.info.height; })
        .def_property_readonly(
            "first",
            [](const MapPicture& self) { return py::make_tuple(self.info.first.x, self.info.first.z); },
            "The chunk of the first pixel, in the north-west.")
        .def_property_readonly(
            "chunks", [](const MapPicture& self) { return self.info.chunks; }, "How many it shows.")
        .def_property_readonly(
            "unreadable", [](const MapPicture& self) { return self.info.unreadable; },
            "How many it should show; `World.problems` says why not.")
        .def_property_readonly(
            "pixels", &pixels,
            "Red, green, blue and alpha, (height, width, 4). Looks at the memory of the picture.")
        .def(
            "png",
            [](const MapPicture& self) {
                const auto bytes = unlocked([&self] { return value_of(to_png(self)); });
                return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            },
            "The picture as the bytes of a PNG file.");

    const py::object world = module.attr("World");
    const auto layer = py::arg("layer") = "surface";
    const auto area = py::arg("area") = py::none();
    const auto threads = py::arg("threads") = 0;
    world.attr("draw") = py::cpp_function(
        &draw_world, py::name("draw"), py::is_method(world), layer, py::kw_only(), area, threads,
        "Draws the world: 'surface', 'height', 'light', 'environment', 'slice@64' or 'cave@64'.");
    world.attr("draw_png") = py::cpp_function(
        &save, py::name("draw_png"), py::is_method(world), py::arg("path"), layer, py::kw_only(), area,
        threads, "Draws the world into a PNG file, in little memory however large it is.");
}

} // namespace orbis::python
