#pragma once

#include "http/address.hpp"
#include "http/response.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace orbis::http {

/// The files of a map folder that clients may read (docs/formats/map.md): `worlds/NAME/world.js`, tiles,
/// facts and values of chunks. A name must have exactly the form that the format gives it, and is then opened
/// step by step from the folder without following links, so nothing outside it can be reached.
class MapFiles {
public:
    /// Makes the folder when it is not there.
    static Result<MapFiles> open(const std::filesystem::path& folder);

    /// The file as an answer; 404 if there is none, or where the name is none of these.
    [[nodiscard]] Response answer(std::span<const std::string> path) const;

private:
    explicit MapFiles(Descriptor folder) : folder_(std::move(folder)) {}

    Descriptor folder_;
};

/// Whether it can be the name of a world's folder.
bool is_world_folder_name(std::string_view name);
/// A hash in the name of a file: 16 lower-case hexadecimal digits.
bool is_hash_name(std::string_view name);
/// A layer's id as it stands in names: `surface`, `slice@64`.
bool is_layer_name(std::string_view name);

} // namespace orbis::http
