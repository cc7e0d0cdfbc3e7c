#pragma once

#include <pybind11/operators.h>
#include <pybind11/pybind11.h>

namespace orbis::python {

/// Each adds its classes to the module, those that it uses already there.
void bind_blocks(pybind11::module_& module);
void bind_sections(pybind11::module_& module);
void bind_chunks(pybind11::module_& module);
void bind_worlds(pybind11::module_& module);
void bind_edits(pybind11::module_& module);
void bind_pictures(pybind11::module_& module);

} // namespace orbis::python
