#include "convert.hpp"
#include "errors.hpp"
#include "orbis/wire/frame.hpp"
#include "orbis/wire/protocol.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::python {

namespace {

using wire::Packet;
using wire::Protocol;
using wire::Reading;
using wire::Value;

py::object python_of(const Value& value);

py::dict record_of(const Value& value) {
    py::dict fields;
    if (value.is_variant()) fields["$type"] = text_of(value.type());
    for (std::size_t i = 0; i < value.size(); ++i) fields[text_of(value.field_name(i))] = python_of(value[i]);
    return fields;
}

py::object python_of(const Value& value) {
    switch (value.kind()) {
    case Value::Kind::none: return py::none();
    case Value::Kind::boolean: return py::bool_(value.boolean());
    case Value::Kind::integer: return py::int_(value.integer());
    case Value::Kind::real: return py::float_(value.number());
    case Value::Kind::text:
    case Value::Kind::name:
    case Value::Kind::uuid: return text_of(value.text());
    case Value::Kind::unreadable: {
        py::dict bytes;
        bytes["$bytes"] = bytes_of(value.bytes());
        return bytes;
    }
    case Value::Kind::bytes: return bytes_of(value.bytes());
    case Value::Kind::list: {
        py::list list(value.size());
        for (std::size_t i = 0; i < value.size(); ++i) list[i] = python_of(value[i]);
        return list;
    }
    case Value::Kind::map: {
        py::list pairs(value.size());
        for (std::size_t i = 0; i < value.size(); ++i)
            pairs[i] = py::make_tuple(python_of(value.key(i)), python_of(value[i]));
        return pairs;
    }
    case Value::Kind::record: return record_of(value);
    }
    return py::none();
}

std::span<const std::uint8_t> span_of(const py::buffer_info& info) {
    if (info.ndim != 1 || info.itemsize != 1 || info.strides[0] != 1)
        throw py::type_error("a packet is read from bytes: one dimension, one byte each, side by side");
    return {static_cast<const std::uint8_t*>(info.ptr), static_cast<std::size_t>(info.size)};
}

std::string_view name_of(wire::Receiver receiver) {
    switch (receiver) {
    case wire::Receiver::client: return "client";
    case wire::Receiver::server: return "server";
    case wire::Receiver::both: return "both";
    case wire::Receiver::unstated: return "unstated";
    }
    return "unstated";
}

Reading reading_of(std::string_view name) {
    if (name == "usual") return Reading::usual;
    if (name == "strict") return Reading::strict;
    if (name == "keep") return Reading::keep;
    throw py::value_error("reading is 'usual', 'strict' or 'keep'");
}

/// Reads a payload; the packet is found by its name or its id.
template <typename Which>
py::dict decode(const Protocol& protocol, const Which& which, const py::buffer& payload,
                std::string_view reading) {
    const auto info = payload.request();
    const auto bytes = span_of(info);
    const auto how = reading_of(reading);
    std::optional<Packet> packet;
    {
        const py::gil_scoped_release unlocked;
        packet = value_of(protocol.decode(which, bytes, how));
    }
    return record_of(packet->value());
}

/// `as_frame`: with length and id in front, compressed where the packet is.
py::bytes encode(const Protocol& protocol, std::string_view name, std::string_view json, bool as_frame) {
    std::vector<std::uint8_t> bytes;
    {
        const py::gil_scoped_release unlocked;
        const auto packet = value_of(protocol.make(name, json));
        bytes = value_of(as_frame ? packet.frame() : packet.payload());
    }
    return bytes_of(bytes);
}

/// A reader that several threads may feed and ask.
class Frames {
public:
    explicit Frames(const Protocol& protocol) : reader_(protocol) {}

    void feed(const py::buffer& data) {
        const auto info = data.request();
        const auto bytes = span_of(info);
        const py::gil_scoped_release unlocked;
        const std::lock_guard lock(mutex_);
        reader_.feed(bytes);
    }

    /// The name and the fields of the next packet; nothing when more bytes are needed.
    py::object next(std::string_view reading) {
        const auto how = reading_of(reading);
        std::optional<Packet> packet;
        {
            const py::gil_scoped_release unlocked;
            const std::lock_guard lock(mutex_);
            auto frame = value_of(reader_.next());
            if (frame) packet = value_of(frame->packet(how));
        }
        if (!packet) return py::none();
        return py::make_tuple(text_of(packet->name()), record_of(packet->value()));
    }

    std::size_t pending() {
        const py::gil_scoped_release unlocked;
        const std::lock_guard lock(mutex_);
        return reader_.pending();
    }

private:
    std::mutex mutex_;
    wire::FrameReader reader_;
};

py::dict info_of(const wire::PacketInfo& info) {
    py::dict fields;
    fields["name"] = text_of(info.name);
    fields["id"] = info.id;
    fields["category"] = text_of(info.category);
    fields["receiver"] = text_of(name_of(info.receiver));
    fields["channel"] = text_of(info.channel);
    fields["compressed"] = info.is_compressed;
    fields["smallest"] = info.smallest;
    fields["largest"] = info.largest;
    return fields;
}

} // namespace

PYBIND11_MODULE(_packets, module) {
    module.doc() = "Packets of Hytale's network protocol; `orbis.packets` is made of this.";
    translate_failures();
    module.def("builds", &Protocol::builds);
    py::class_<Protocol>(module, "Protocol")
        .def(py::init([](const std::optional<std::string>& build) {
            return build ? value_of(Protocol::of(*build)) : Protocol();
        }))
        .def_property_readonly("build", [](const Protocol& self) { return text_of(self.build()); })
        .def("packets",
             [](const Protocol& self) {
                 py::list all;
                 for (const auto& info : self.packets()) all.append(info_of(info));
                 return all;
             })
        .def("find",
             [](const Protocol& self, std::string_view name) { return info_of(value_of(self.find(name))); })
        .def("find", [](const Protocol& self, std::int32_t id) { return info_of(value_of(self.find(id))); })
        .def("decode", &decode<std::string_view>)
        .def("decode", &decode<std::int32_t>)
        .def("encode", &encode);
    py::class_<Frames>(module, "Frames")
        .def(py::init<const Protocol&>())
        .def("feed", &Frames::feed)
        .def("next", &Frames::next)
        .def_property_readonly("pending", &Frames::pending);
}

} // namespace orbis::python
