#include "bind.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "orbis/chunk.hpp"

#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

namespace orbis::python {

namespace {

py::tuple triple(BlockPos pos) { return py::make_tuple(pos.x, pos.y, pos.z); }

py::object parsed_or_none(const std::string& json) {
    return json.empty() ? py::object(py::none()) : parsed(json);
}

py::dict item_of(const Item& item) {
    py::dict fields;
    fields["id"] = text_of(item.id);
    fields["quantity"] = item.quantity;
    fields["slot"] = item.slot;
    fields["part"] = text_of(item.part);
    fields["durability"] = item.durability;
    fields["max_durability"] = item.max_durability;
    fields["metadata"] = parsed_or_none(item.metadata);
    return fields;
}

/// What the library says about a container, read without the lock.
struct ContainerFields {
    BlockPos position;
    std::string block;
    int capacity;
    std::string droplist;
    std::vector<Item> items;
    std::string json;
};

py::list containers(const Chunk& chunk) {
    const auto all = unlocked([&] {
        std::vector<ContainerFields> read;
        for (const auto& container : chunk.containers())
            read.push_back({container.position(), container.block().key, container.capacity(),
                            container.droplist(), container.items(), container.json()});
        return read;
    });
    py::list list;
    for (const auto& container : all) {
        py::dict fields;
        fields["position"] = triple(container.position);
        fields["block"] = text_of(container.block);
        fields["capacity"] = container.capacity;
        fields["droplist"] =
            container.droplist.empty() ? py::object(py::none()) : text_of(container.droplist);
        py::list items;
        for (const auto& item : container.items) items.append(item_of(item));
        fields["items"] = items;
        fields["components"] = parsed(container.json);
        list.append(fields);
    }
    return list;
}

struct EntityFields {
    std::string type;
    std::string name;
    std::optional<Point> position;
    std::string json;
};

py::list entities(const Chunk& chunk) {
    const auto all = unlocked([&] {
        std::vector<EntityFields> read;
        for (const auto& entity : chunk.entities())
            read.push_back({entity.type(), entity.name(), entity.position(), entity.json()});
        return read;
    });
    py::list list;
    for (const auto& entity : all) {
        py::dict fields;
        fields["type"] = text_of(entity.type);
        fields["name"] = entity.name.empty() ? py::object(py::none()) : text_of(entity.name);
        fields["position"] =
            entity.position
                ? py::object(py::make_tuple(entity.position->x, entity.position->y, entity.position->z))
                : py::object(py::none());
        fields["components"] = parsed(entity.json);
        list.append(fields);
    }
    return list;
}

py::dict components(const Chunk& chunk, int x, int y, int z) {
    const auto all = unlocked([&] { return chunk.components({x, y, z}); });
    py::dict fields;
    for (const auto& component : all) fields[text_of(component.name)] = parsed(component.json);
    return fields;
}

py::dict light(const Chunk& chunk, int x, int y, int z) {
    const auto value = unlocked([&] { return chunk.light({x, y, z}); });
    py::dict fields;
    fields["red"] = value.red();
    fields["green"] = value.green();
    fields["blue"] = value.blue();
    fields["sky"] = value.sky();
    return fields;
}

Section section(const Chunk& chunk, int y) {
    if (y < 0 || y >= k_sections) throw py::index_error("a chunk has the sections 0 to 9");
    return chunk.section(y);
}

} // namespace

void bind_chunks(py::module_& module) {
    const std::vector<py::ssize_t> square{k_side, k_side};
    const py::arg at_x("x");
    const py::arg at_y("y");
    const py::arg at_z("z");
    py::class_<Chunk>(module, "Chunk",
                      "32 × 320 × 32 blocks and what is stored with them, as they were when read.")
        .def_property_readonly("x", &Chunk::x)
        .def_property_readonly("z", &Chunk::z)
        .def("section", &section, py::arg("y"), "A section, from 0 at the bottom to 9.")
        .def_property_readonly("sections", &Chunk::sections, "All ten, from the bottom.")
        .def(
            "block",
            [](const Chunk& self, int x, int y, int z) {
                return unlocked([&] { return self.block({x, y, z}); });
            },
            at_x, at_y, at_z, "The block at a position of the world; only the place in the chunk counts.")
        .def(
            "fluid",
            [](const Chunk& self, int x, int y, int z) {
                return unlocked([&] { return self.fluid({x, y, z}); });
            },
            at_x, at_y, at_z, "The fluid at a position of the world.")
        .def("light", &light, at_x, at_y, at_z, "The light of a cell: red, green, blue and sky, 0 to 15.")
        .def(
            "environment",
            [](const Chunk& self, int x, int y, int z) {
                return text_of(unlocked([&] { return self.environment({x, y, z}); }));
            },
            at_x, at_y, at_z, "The environment of a cell, such as 'Env_Zone1_Plains'.")
        .def_property_readonly(
            "heights",
            [square](const Chunk& self) {
                return array_of(square, unlocked([&] { return self.heights(); }));
            },
            "The y of the highest block of each column that light does not pass, [z, x].")
        .def_property_readonly(
            "tints",
            [square](const Chunk& self) { return array_of(square, unlocked([&] { return self.tints(); })); },
            "The colour of grass and leaves in each column, 0xAARRGGBB, [z, x].")
        .def_property_readonly("containers", &containers, "The blocks that hold items, as dictionaries.")
        .def_property_readonly("entities", &entities,
                               "Creatures, dropped items and markers, as dictionaries.")
        .def("components", &components, at_x, at_y, at_z,
             "The components of one block by their names; none for most.")
        .def_property_readonly(
            "blocks_with_components",
            [](const Chunk& self) {
                py::list list;
                for (const auto pos : unlocked([&] { return self.blocks_with_components(); }))
                    list.append(triple(pos));
                return list;
            },
            "The positions of blocks that have components.")
        .def(
            "to_dict",
            [](const Chunk& self, bool blocks) {
                return parsed(unlocked(
                    [&] { return value_of(self.json({.section = {}, .component = {}, .blocks = blocks})); }));
            },
            py::kw_only(), py::arg("blocks") = false, "All of it, as `orbis show --json` prints it.")
        .def_property_readonly(
            "document",
            [](const Chunk& self) {
                const auto bytes = self.document();
                return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            },
            "The BSON document as it is stored.")
        .def_property_readonly(
            "problems",
            [](const Chunk& self) {
                py::list list;
                for (const auto& error : unlocked([&] { return self.problems(); }))
                    list.append(exception_of(error));
                return list;
            },
            "The parts that cannot be read, as a list of `orbis.Error`.")
        .def("__repr__", [](const Chunk& self) {
            return "<orbis.Chunk " + std::to_string(self.x()) + "," + std::to_string(self.z()) + ">";
        });
}

} // namespace orbis::python
