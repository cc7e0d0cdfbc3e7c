#pragma once

/// Marks what the library shows: everything else in it is hidden (docs/design/library.md).
#define ORBIS_API __attribute__((visibility("default")))
