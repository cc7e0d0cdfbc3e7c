#pragma once

#include "bytes/bytes.hpp"

#include <span>
#include <string_view>

namespace orbis::page {

/// One file of the map's page or of the inspector's, as it is sent or written.
struct File {
    std::string_view path; ///< relative, with slashes: `index.html`, `assets/index-1a2b3c4d.js`
    std::string_view type; ///< its media type, with the character set where it is text
    Bytes bytes;

    /// `inspector.html`, or in the folder `inspector/`.
    [[nodiscard]] bool is_of_inspector() const {
        return path == "inspector.html" || path.starts_with("inspector/");
    }
    /// In the folder `viewer/`: what the map's page loads to show three dimensions, which only a server has.
    [[nodiscard]] bool is_of_viewer() const { return path.starts_with("viewer/"); }
};

/// The built pages, which are part of the program; sorted by path, `index.html` among them. Names under
/// `assets/`, `viewer/` and `inspector/` have a hash of the content in their names. Empty in a program that
/// was built without the page (docs/design/page.md): a caller says how to get it (k_how_to_get_it).
[[nodiscard]] std::span<const File> files();

/// The file at a path; null where there is none.
[[nodiscard]] const File* find(std::string_view path);

/// What to tell a user of a program without the page.
inline constexpr std::string_view k_how_to_get_it =
    "this build has no page; run ./orbis from a checkout, which builds it, or build web/ with npm and "
    "configure again";

} // namespace orbis::page
