#include "bind.hpp"
#include "convert.hpp"
#include "orbis/section.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::python {

namespace {

const std::vector<py::ssize_t> k_cube{k_side, k_side, k_side};

template <typename Keys>
py::list list_of(const Keys& keys) {
    py::list list(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) list[i] = text_of(keys[i]);
    return list;
}

/// A function of sections that unpacks all cells, as a property.
template <auto Function>
py::array cells(const Section& self) {
    return array_of(k_cube, unlocked([&] { return (self.*Function)(); }));
}

/// The section itself keeps the blocks, so the array looks at them without a copy and keeps the section.
py::array blocks(const py::object& self) {
    const auto& section = self.cast<const Section&>();
    const auto* data = unlocked([&] { return section.blocks().data(); });
    return view_of(k_cube, data, self);
}

CellIndex cell_of(int x, int y, int z) { return {x, y, z}; }

} // namespace

void bind_sections(py::module_& module) {
    py::class_<Section>(module, "Section", "A cube of 32 × 32 × 32 cells. All arrays are [y, z, x].")
        .def_property_readonly("y", &Section::y, "From 0 at the bottom to 9.")
        .def_property_readonly(
            "empty", [](const Section& self) { return unlocked([&] { return self.empty(); }); },
            "Whether every cell holds air.")
        .def_property_readonly(
            "keys", [](const Section& self) { return list_of(unlocked([&] { return self.keys(); })); },
            "The block keys; `blocks` are indices into this list.")
        .def_property_readonly(
            "blocks", &blocks,
            "The block of each cell, as an index into `keys`. Looks at the memory of the section.")
        .def_property_readonly(
            "counts",
            [](const Section& self) {
                auto counts = unlocked([&] { return self.counts(); });
                const auto size = static_cast<py::ssize_t>(counts.size());
                return array_of({size}, std::move(counts));
            },
            "How many cells hold each of `keys`.")
        .def_property_readonly("rotations", &cells<&Section::rotations>,
                               "How each block is turned: roll · 16 + pitch · 4 + yaw, in quarter turns.")
        .def_property_readonly(
            "lights", &cells<&Section::lights>,
            "The light of each cell: red, green, blue and sky, four bits each, red lowest.")
        .def_property_readonly(
            "fluid_keys",
            [](const Section& self) { return list_of(unlocked([&] { return self.fluid_keys(); })); },
            "The fluid keys; `fluids` are indices into this list.")
        .def_property_readonly("fluids", &cells<&Section::fluids>,
                               "The fluid of each cell, as an index into `fluid_keys`.")
        .def_property_readonly("fluid_levels", &cells<&Section::fluid_levels>,
                               "How full each cell is, 0 to 15.")
        .def(
            "block",
            [](const Section& self, int x, int y, int z) {
                return unlocked([&] { return self.block(cell_of(x, y, z)); });
            },
            py::arg("x"), py::arg("y"), py::arg("z"), "One cell; only the place in the section counts.")
        .def(
            "fluid",
            [](const Section& self, int x, int y, int z) {
                return unlocked([&] { return self.fluid(cell_of(x, y, z)); });
            },
            py::arg("x"), py::arg("y"), py::arg("z"), "The fluid of one cell.")
        .def("__repr__",
             [](const Section& self) { return "<orbis.Section " + std::to_string(self.y()) + ">"; });
}

} // namespace orbis::python
