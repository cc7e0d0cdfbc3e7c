#include "bind.hpp"
#include "convert.hpp"
#include "orbis/block.hpp"
#include "orbis/shape.hpp"

#include <string>

namespace orbis::python {

namespace {

py::tuple degrees(Rotation rotation) {
    return py::make_tuple(rotation.yaw(), rotation.pitch(), rotation.roll());
}

py::object repr_of(const Block& block) {
    return py::str("Block({!r}, rotation={})").format(text_of(block.key), degrees(block.rotation));
}

py::object repr_of(const Fluid& fluid) {
    return py::str("Fluid({!r}, level={})").format(text_of(fluid.key), fluid.level);
}

} // namespace

void bind_blocks(py::module_& module) {
    py::class_<Block>(module, "Block", "A block with its shape.")
        .def_property_readonly(
            "key", [](const Block& self) { return text_of(self.key); }, "Its name, such as 'Rock_Stone'.")
        .def_property_readonly(
            "rotation", [](const Block& self) { return degrees(self.rotation); },
            "Yaw, pitch and roll in degrees.")
        .def_property_readonly(
            "filler",
            [](const Block& self) {
                return py::make_tuple(self.filler.x(), self.filler.y(), self.filler.z());
            },
            "The offset from the cell where the block begins; (0, 0, 0) for most.")
        .def(py::self == py::self)
        .def("__hash__", [](const Block& self) { return py::hash(text_of(self.key)); })
        .def("__repr__", [](const Block& self) { return repr_of(self); });
    py::class_<Fluid>(module, "Fluid", "A fluid and how full its cell is.")
        .def_property_readonly(
            "key", [](const Fluid& self) { return text_of(self.key); }, "Its name; 'Empty' for none.")
        .def_readonly("level", &Fluid::level, "0 to 15.")
        .def(py::self == py::self)
        .def("__hash__", [](const Fluid& self) { return py::hash(text_of(self.key)); })
        .def("__repr__", [](const Fluid& self) { return repr_of(self); });
}

} // namespace orbis::python
