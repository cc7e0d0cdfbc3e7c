#include "errors.hpp"

#include <exception>
#include <string>

namespace orbis::python {

namespace {

/// `None` for what is not known.
py::object text_or_none(const std::string& text) {
    if (text.empty()) return py::none();
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<py::ssize_t>(text.size())));
}

} // namespace

py::object exception_of(const Error& error) {
    const auto type = py::module_::import("orbis._error").attr("Error");
    const auto pair = [](const auto& pos) -> py::object {
        if (!pos) return py::none();
        return py::make_tuple(pos->x, pos->z);
    };
    return type(text_or_none(error.text()), py::arg("code") = py::str(std::string(name(error.code))),
                py::arg("problem") = text_or_none(error.problem), py::arg("file") = text_or_none(error.file),
                py::arg("region") = pair(error.region), py::arg("chunk") = pair(error.chunk),
                py::arg("section") = error.section, py::arg("part") = text_or_none(error.part),
                py::arg("offset") = error.offset, py::arg("advice") = text_or_none(error.advice));
}

void translate_failures() {
    py::register_local_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const Failure& failure) {
            const auto exception = exception_of(failure.error);
            PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
        }
    });
}

} // namespace orbis::python
