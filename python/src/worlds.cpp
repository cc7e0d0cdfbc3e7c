#include "area.hpp"
#include "bind.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "orbis/version.hpp"
#include "orbis/world.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

namespace orbis::python {

namespace {

/// The chunks of a world one after another. Several threads may share it: each chunk goes to one of them.
class Walk {
public:
    explicit Walk(ChunkRange chunks) : chunks_(std::move(chunks)) {}

    Chunk next() {
        auto chunk = unlocked([this]() -> std::optional<Chunk> {
            const std::lock_guard lock(mutex_);
            if (!at_)
                at_ = chunks_.begin();
            else if (*at_ != chunks_.end())
                ++*at_;
            if (*at_ == chunks_.end()) return std::nullopt;
            return **at_;
        });
        if (!chunk) throw py::stop_iteration();
        return std::move(*chunk);
    }

private:
    std::mutex mutex_;
    ChunkRange chunks_;
    std::optional<ChunkRange::Iterator> at_;
};

py::list exceptions_of(const std::vector<Error>& errors) {
    py::list list;
    for (const auto& error : errors) list.append(exception_of(error));
    return list;
}

World open(const py::object& path, const std::optional<std::string>& world) {
    const auto file = path_of(path);
    return unlocked([&] { return value_of(open_world(file, world.value_or(std::string()))); });
}

std::vector<World> worlds(const py::object& path) {
    const auto file = path_of(path);
    return unlocked([&] { return value_of(open_universe(file)); });
}

py::list positions(const World& world) {
    py::list list;
    for (const auto pos : unlocked([&] { return world.positions(); }))
        list.append(py::make_tuple(pos.x, pos.z));
    return list;
}

} // namespace

void bind_worlds(py::module_& module) {
    py::class_<Walk>(module, "Chunks", "The chunks of a world one after another. Threads may share it.")
        .def("__iter__", [](py::object self) { return self; })
        .def("__next__", &Walk::next);
    py::class_<World>(module, "World", "One world, open for reading. Threads may share it.")
        .def_property_readonly(
            "name", [](const World& self) { return text_of(self.name()); }, "As its universe calls it.")
        .def_property_readonly(
            "path", [](const World& self) { return text_of(self.path()); },
            "The file or folder with its chunks.")
        .def_property_readonly(
            "kind", [](const World& self) { return text_of(self.kind()); },
            "How its chunks are kept, such as 'region files'.")
        .def(
            "chunks",
            [](const World& self, const Corners& area) {
                const auto wanted = area_of(area);
                return std::make_unique<Walk>(wanted ? self.chunks(*wanted) : self.chunks());
            },
            py::arg("area") = py::none(),
            "All chunks in the order in which they are stored, or those between two corners ((x, z), (x, "
            "z)).")
        .def(
            "chunk",
            [](const World& self, int x, int z) {
                return unlocked([&] { return value_of(self.chunk({x, z})); });
            },
            py::arg("x"), py::arg("z"),
            "One chunk; an `orbis.Error` with the code 'not_found' where there is none.")
        .def(
            "__contains__",
            [](const World& self, const Corner& pos) {
                return unlocked([&] { return value_of(self.contains({pos.first, pos.second})); });
            },
            py::arg("position"), "Whether it has the chunk (x, z).")
        .def(
            "block",
            [](const World& self, int x, int y, int z) {
                return unlocked([&] { return value_of(self.block({x, y, z})); });
            },
            py::arg("x"), py::arg("y"), py::arg("z"),
            "One block. For many of a chunk, read that once with `chunk`.")
        .def_property_readonly("positions", &positions, "(x, z) of all chunks. No chunk is read for this.")
        .def_property_readonly(
            "notes", [](const World& self) { return exceptions_of(self.notes()); },
            "What was odd when it was opened, such as a broken configuration.")
        .def_property_readonly(
            "problems",
            [](const World& self) { return exceptions_of(unlocked([&] { return self.problems(); })); },
            "What could not be read so far. Reading goes on after each.")
        .def("__repr__", [](const World& self) {
            return py::str("<orbis.World {!r} at {!r}>").format(text_of(self.name()), text_of(self.path()));
        });
    module.def("open", &open, py::arg("path"), py::arg("world") = py::none(),
               "Opens a world: a folder, a region file, a backup zip, STORE@SNAPSHOT, or one of a universe "
               "by its name.");
    module.def("worlds", &worlds, py::arg("path"), "Opens all worlds of a universe.");
}

PYBIND11_MODULE(_worlds, module) {
    module.doc() = "Hytale worlds; `orbis` is made of this.";
    module.attr("__version__") = std::string(k_version);
    translate_failures();
    bind_blocks(module);
    bind_sections(module);
    bind_chunks(module);
    bind_worlds(module);
    bind_edits(module);
    bind_pictures(module);
}

} // namespace orbis::python
