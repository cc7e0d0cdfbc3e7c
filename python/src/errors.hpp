#pragma once

#include "orbis/error.hpp"

#include <pybind11/pybind11.h>
#include <type_traits>
#include <utility>

namespace orbis::python {

namespace py = pybind11;

/// The Python exception of an error, `orbis.Error` with its fields. The caller holds the interpreter's lock.
py::object exception_of(const Error& error);

/// Thrown while the lock may be released; the module turns it into `orbis.Error`.
struct Failure {
    Error error;
};

/// Tells pybind11 what a `Failure` is in Python; once per module.
void translate_failures();

/// The value of a result, or a `Failure`.
template <typename T>
T value_of(Result<T>&& result) {
    if (!result) throw Failure{std::move(result.error())};
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

} // namespace orbis::python
