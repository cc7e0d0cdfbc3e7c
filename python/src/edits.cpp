#include "bind.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "orbis/edit.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>

namespace orbis::python {

namespace {

using Triple = std::array<int, 3>;

/// Changes of a world. Threads may share it: one works at a time.
class Editor {
public:
    explicit Editor(Edit edit) : edit_(std::move(edit)) {}

    /// Calls `work(edit)` without the lock of Python.
    template <typename Work>
    auto with(Work&& work) {
        return unlocked([&] {
            const std::lock_guard lock(mutex_);
            if (!edit_) throw Failure{over()};
            return work(*edit_);
        });
    }

    SavedEdit save() {
        return unlocked([&] {
            const std::lock_guard lock(mutex_);
            if (!edit_) throw Failure{over()};
            auto saved = edit_->save();
            edit_.reset(); // the world is free again, also after a failure
            return value_of(std::move(saved));
        });
    }

    void drop() {
        unlocked([&] {
            const std::lock_guard lock(mutex_);
            edit_.reset();
        });
    }

    bool is_open() {
        return unlocked([&] {
            const std::lock_guard lock(mutex_);
            return edit_.has_value();
        });
    }

private:
    static Error over() {
        Error error;
        error.code = Errc::usage;
        error.problem = "this edit is over: it was saved or dropped";
        error.advice = "begin another one with world.edit()";
        return error;
    }

    std::mutex mutex_;
    std::optional<Edit> edit_;
};

Rotation rotation_of(const Triple& degrees) {
    for (const auto angle : degrees)
        if (angle % 90 != 0)
            throw py::value_error("a rotation is yaw, pitch and roll in steps of 90 degrees");
    return Rotation::of_degrees(degrees[0], degrees[1], degrees[2]);
}

Block block_of(const std::string& key, const Triple& rotation) { return {key, rotation_of(rotation), {}}; }

std::string json_of(const py::object& value) {
    return py::module_::import("json").attr("dumps")(value).cast<std::string>();
}

py::dict saved_of(const SavedEdit& saved) {
    py::dict fields;
    fields["chunks_written"] = saved.chunks_written;
    fields["chunks_removed"] = saved.chunks_removed;
    fields["undo_archive"] =
        saved.undo_archive.empty() ? py::object(py::none()) : text_of(saved.undo_archive);
    return fields;
}

std::unique_ptr<Editor> begin(const World& world, const std::string& title, bool undo, bool force) {
    return unlocked([&] {
        return std::make_unique<Editor>(
            value_of(Edit::begin(world, {.title = title, .keeps_undo = undo, .force = force})));
    });
}

/// Saves what was changed, unless the block of `with` failed or has saved it itself.
void leave(Editor& self, const py::object& type, const py::object&, const py::object&) {
    if (type.is_none() && self.is_open())
        self.save();
    else
        self.drop();
}

} // namespace

void bind_edits(py::module_& module) {
    const py::arg at_x("x");
    const py::arg at_y("y");
    const py::arg at_z("z");
    const auto rotation = py::arg("rotation") = Triple{0, 0, 0};
    py::class_<Editor>(module, "Edit",
                       "Changes of a world, which is locked meanwhile. Nothing is written before `save`.")
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", &leave, py::arg("type"), py::arg("error"), py::arg("trace"))
        .def(
            "block",
            [](Editor& self, int x, int y, int z) {
                return self.with([&](Edit& edit) { return value_of(edit.block({x, y, z})); });
            },
            at_x, at_y, at_z, "A block with the changes so far.")
        .def(
            "fluid",
            [](Editor& self, int x, int y, int z) {
                return self.with([&](Edit& edit) { return value_of(edit.fluid({x, y, z})); });
            },
            at_x, at_y, at_z, "A fluid with the changes so far.")
        .def(
            "set_block",
            [](Editor& self, int x, int y, int z, const std::string& key, const Triple& turned) {
                const auto block = block_of(key, turned);
                self.with([&](Edit& edit) { value_of(edit.set_block({x, y, z}, block)); });
            },
            at_x, at_y, at_z, py::arg("key"), rotation,
            "Sets one cell; the block that was there goes with all its cells and components.")
        .def(
            "fill",
            [](Editor& self, const Triple& a, const Triple& b, const std::string& key, const Triple& turned) {
                const auto block = block_of(key, turned);
                return self.with([&](Edit& edit) {
                    return value_of(edit.fill({a[0], a[1], a[2]}, {b[0], b[1], b[2]}, block));
                });
            },
            py::arg("a"), py::arg("b"), py::arg("key"), rotation,
            "Sets all cells between two corners (x, y, z), both included; how many were something else.")
        .def(
            "set_fluid",
            [](Editor& self, int x, int y, int z, const std::string& key, std::uint8_t level) {
                self.with([&](Edit& edit) { value_of(edit.set_fluid({x, y, z}, {key, level})); });
            },
            at_x, at_y, at_z, py::arg("key"), py::arg("level"),
            "Sets the fluid of a cell; 'Empty' and 0 for none.")
        .def(
            "set_tint",
            [](Editor& self, int x, int z, std::uint32_t tint) {
                self.with([&](Edit& edit) { value_of(edit.set_tint({x, 0, z}, tint)); });
            },
            at_x, at_z, py::arg("tint"), "The colour of grass and leaves in a column, 0xAARRGGBB.")
        .def(
            "set_environment",
            [](Editor& self, int x, int z, const std::string& environment) {
                self.with([&](Edit& edit) { value_of(edit.set_environment({x, 0, z}, environment)); });
            },
            at_x, at_z, py::arg("environment"), "One environment for a whole column.")
        .def(
            "set_components",
            [](Editor& self, int x, int y, int z, const py::object& components) {
                const auto json = components.is_none() ? std::string() : json_of(components);
                self.with([&](Edit& edit) { value_of(edit.set_components({x, y, z}, json)); });
            },
            at_x, at_y, at_z, py::arg("components"),
            "Replaces the components of a block, as `Chunk.components` gives them; None removes them.")
        .def(
            "add_entity",
            [](Editor& self, int x, int z, const py::object& components) {
                const auto json = json_of(components);
                self.with([&](Edit& edit) { value_of(edit.add_entity({x, z}, json)); });
            },
            at_x, at_z, py::arg("components"), "Adds an entity to the chunk x, z, by its components.")
        .def(
            "remove_entity",
            [](Editor& self, int x, int z, std::size_t number) {
                self.with([&](Edit& edit) { value_of(edit.remove_entity({x, z}, number)); });
            },
            at_x, at_z, py::arg("number"),
            "Removes an entity of the chunk x, z by its place in `Chunk.entities`.")
        .def(
            "remove_chunk",
            [](Editor& self, int x, int z) {
                self.with([&](Edit& edit) { value_of(edit.remove_chunk({x, z})); });
            },
            at_x, at_z, "Removes a chunk; the game generates it again.")
        .def_property_readonly(
            "changed_chunks",
            [](Editor& self) { return self.with([](Edit& edit) { return edit.changed_chunks(); }); },
            "How many chunks would be written or removed.")
        .def(
            "save", [](Editor& self) { return saved_of(self.save()); },
            "Writes all changes, waits until they are safe on disk, and ends the edit.")
        .def("drop", &Editor::drop, "Ends the edit without writing anything.");

    const py::object world = module.attr("World");
    world.attr("edit") = py::cpp_function(
        &begin, py::name("edit"), py::is_method(world), py::kw_only(), py::arg("title") = "edit",
        py::arg("undo") = true, py::arg("force") = false,
        "Begins a change, which locks the world against other writers: `with world.edit() as edit: …`.");
}

} // namespace orbis::python
