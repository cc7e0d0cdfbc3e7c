#pragma once

#include <cstdint>
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::python {

namespace py = pybind11;

/// What is read need not be UTF-8: bytes that are not become surrogates, as Python does with file names.
inline py::object text_of(std::string_view text) {
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape"));
}

inline py::bytes bytes_of(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The documents of the library, as the objects of Python's own reader.
inline py::object parsed(std::string_view json) {
    return py::module_::import("json").attr("loads")(text_of(json));
}

/// An array that looks at memory which `owner` keeps; nobody can write to it.
template <typename T>
py::array view_of(std::vector<py::ssize_t> shape, const T* data, const py::handle& owner) {
    py::array array(py::dtype::of<T>(), std::move(shape), data, owner);
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return array;
}

/// An array that takes the vector over.
template <typename T>
py::array array_of(std::vector<py::ssize_t> shape, std::vector<T>&& values) {
    auto kept = std::make_unique<std::vector<T>>(std::move(values));
    const auto* data = kept->data();
    const py::capsule owner(kept.release(),
                            [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
    return py::array(py::dtype::of<T>(), std::move(shape), data, owner);
}

/// Calls a function while other threads of Python may run.
template <typename Work>
auto unlocked(Work&& work) {
    const py::gil_scoped_release released;
    return work();
}

} // namespace orbis::python
