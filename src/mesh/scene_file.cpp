#include "mesh/scene_file.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>

namespace orbis::mesh {

namespace fs = std::filesystem;

namespace {

/// The rectangles of one material.
struct Group {
    const Material* material;
    std::span<const PlacedQuad> quads;
};

std::vector<Group> groups_of(const BoxScene& scene) {
    std::vector<Group> groups;
    const std::span all(scene.quads);
    for (std::size_t begin = 0; begin < all.size();) {
        const auto material = all[begin].quad.material();
        auto end = begin;
        while (end < all.size() && all[end].quad.material() == material) ++end;
        groups.push_back({&scene.materials[material], all.subspan(begin, end - begin)});
        begin = end;
    }
    return groups;
}

map::Colour colour_of(const Material& material, map::Colour tint) {
    return material.kind == Material::Kind::fluid ? material.block.particle : material.block.tinted(tint);
}

/// Colours in files are amounts of light, colours on screens are not.
double light_of(std::uint8_t channel) {
    const double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

void pad(Buffer& out, std::uint8_t with) {
    while (out.size() % 4 != 0) out.push_back(with);
}

/// docs/design/mesh.md says what is in it.
Buffer glb_of(const BoxScene& scene, float scale) {
    constexpr std::size_t k_quad_bytes = 4 * 3 * sizeof(float) + 6 * sizeof(std::uint32_t);
    const auto groups = groups_of(scene);
    Buffer body;
    body.reserve(scene.quads.size() * k_quad_bytes);
    Writer out(body);
    JsonWriter views;
    JsonWriter accessors;
    JsonWriter primitives;
    JsonWriter materials;
    views.array();
    accessors.array();
    primitives.array();
    materials.array();
    constexpr int k_floats = 5126;
    constexpr int k_numbers = 5125;
    constexpr int k_vertices = 34962;
    constexpr int k_indices = 34963;
    std::size_t number = 0;
    for (const auto& group : groups) {
        const auto vertices_at = body.size();
        std::array<float, 3> least;
        std::array<float, 3> most;
        least.fill(std::numeric_limits<float>::max());
        most.fill(std::numeric_limits<float>::lowest());
        for (const auto& placed : group.quads)
            for (const auto& corner : corners_of(placed)) {
                const std::array at{corner.x * scale, corner.y * scale, corner.z * scale};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    least[axis] = std::min(least[axis], at[axis]);
                    most[axis] = std::max(most[axis], at[axis]);
                    out.le(std::bit_cast<std::uint32_t>(at[axis]));
                }
            }
        const auto indices_at = body.size();
        for (std::uint32_t quad = 0; quad < group.quads.size(); ++quad)
            for (const std::uint32_t corner : {0U, 1U, 2U, 0U, 2U, 3U}) out.le(quad * 4 + corner);
        const auto view = [&](std::size_t from, std::size_t to, int target) {
            views.object().member("buffer", 0).member("byteOffset", from).member("byteLength", to - from);
            views.member("target", target).end();
        };
        view(vertices_at, indices_at, k_vertices);
        view(indices_at, body.size(), k_indices);
        accessors.object().member("bufferView", number * 2).member("componentType", k_floats);
        accessors.member("count", group.quads.size() * 4).member("type", "VEC3");
        for (const auto& [name, values] : {std::pair("min", &least), std::pair("max", &most)}) {
            accessors.key(name).array();
            for (const auto value : *values) accessors.raw(fmt::format("{}", value));
            accessors.end();
        }
        accessors.end();
        accessors.object().member("bufferView", number * 2 + 1).member("componentType", k_numbers);
        accessors.member("count", group.quads.size() * 6).member("type", "SCALAR").end();
        primitives.object().key("attributes").object().member("POSITION", number * 2).end();
        primitives.member("indices", number * 2 + 1).member("material", number).end();
        const auto colour = colour_of(*group.material, scene.tint);
        materials.object().member("name", group.material->key);
        if (group.material->alpha < 1) materials.member("alphaMode", "BLEND");
        materials.key("pbrMetallicRoughness").object().key("baseColorFactor").array();
        for (const auto channel : {colour.red, colour.green, colour.blue})
            materials.raw(fmt::format("{:.5f}", light_of(channel)));
        materials.raw(fmt::format("{}", group.material->alpha)).end();
        materials.member("metallicFactor", 0).member("roughnessFactor", 1).end().end();
        ++number;
    }
    for (auto* list : {&views, &accessors, &primitives, &materials}) list->end();
    JsonWriter json;
    json.object().key("asset").object().member("version", "2.0").member("generator", "orbis").end();
    json.member("scene", 0).key("scenes").array().object().key("nodes").array().number(0).end().end().end();
    json.key("nodes").array().object().member("mesh", 0);
    json.member("name", fmt::format("{}", scene.box)).end().end();
    json.key("meshes").array().object().key("primitives").raw(primitives.text()).end().end();
    json.key("materials").raw(materials.text()).key("accessors").raw(accessors.text());
    json.key("bufferViews").raw(views.text());
    json.key("buffers").array().object().member("byteLength", body.size()).end().end().end();
    Buffer text(as_bytes(json.text()).begin(), as_bytes(json.text()).end());
    pad(text, ' ');
    pad(body, 0);
    Buffer file;
    file.reserve(28 + text.size() + body.size());
    Writer to(file);
    const auto size = [](std::size_t bytes) { return static_cast<std::uint32_t>(bytes); };
    to.bytes(as_bytes("glTF"));
    to.le(std::uint32_t{2});
    to.le(size(28 + text.size() + body.size()));
    to.le(size(text.size()));
    to.bytes(as_bytes("JSON"));
    to.bytes(text);
    to.le(size(body.size()));
    to.bytes(as_bytes(std::string_view("BIN\0", 4)));
    to.bytes(body);
    return file;
}

/// A key as a word of a file of lines and words, whatever it is.
std::string word_of(const std::string& key) {
    auto word = key;
    for (auto& letter : word) {
        const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
                              || (letter >= '0' && letter <= '9') || letter == '*' || letter == '-';
        if (!is_plain) letter = '_';
    }
    return word;
}

std::string obj_of(const BoxScene& scene, const std::string& materials, float scale) {
    std::string out =
        fmt::format("# {} of a Hytale world, x east, y up, z south\nmtllib {}\n", scene.box, materials);
    auto to = std::back_inserter(out);
    std::size_t next = 1;
    for (const auto& group : groups_of(scene)) {
        fmt::format_to(to, "usemtl {}\n", word_of(group.material->key));
        for (const auto& placed : group.quads) {
            for (const auto& corner : corners_of(placed))
                fmt::format_to(to, "v {} {} {}\n", corner.x * scale, corner.y * scale, corner.z * scale);
            fmt::format_to(to, "f {} {} {} {}\n", next, next + 1, next + 2, next + 3);
            next += 4;
        }
    }
    return out;
}

std::string mtl_of(const BoxScene& scene) {
    std::string out;
    for (const auto& group : groups_of(scene)) {
        const auto colour = colour_of(*group.material, scene.tint);
        fmt::format_to(std::back_inserter(out), "newmtl {}\nKd {:.5f} {:.5f} {:.5f}\nd {}\n",
                       word_of(group.material->key), colour.red / 255.0, colour.green / 255.0,
                       colour.blue / 255.0, group.material->alpha);
    }
    return out;
}

Buffer stl_of(const BoxScene& scene, float scale) {
    Buffer file(80, 0);
    file.reserve(84 + scene.quads.size() * 100);
    Writer out(file);
    out.le(static_cast<std::uint32_t>(scene.quads.size() * 2));
    const auto put = [&](float x, float y, float z) {
        // z is up, and what is south is nearer.
        for (const auto value : {x, -z, y}) out.le(std::bit_cast<std::uint32_t>(value));
    };
    for (const auto& placed : scene.quads) {
        const auto corners = corners_of(placed);
        constexpr std::array<std::array<int, 3>, k_faces> k_normals{
            {{0, 1, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}, {-1, 0, 0}, {1, 0, 0}}};
        const auto& normal = k_normals[static_cast<std::size_t>(placed.quad.face())];
        for (const auto& triangle : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
            put(static_cast<float>(normal[0]), static_cast<float>(normal[1]), static_cast<float>(normal[2]));
            for (const auto index : triangle) {
                const auto& corner = corners[static_cast<std::size_t>(index)];
                put(corner.x * scale, corner.y * scale, corner.z * scale);
            }
            out.le(std::uint16_t{0});
        }
    }
    return file;
}

fs::path materials_file(const fs::path& file) { return fs::path(file).replace_extension(".mtl"); }

} // namespace

Result<SceneFormat> scene_format_of(const fs::path& file) {
    const auto end = file.extension();
    if (end == ".glb") return SceneFormat::glb;
    if (end == ".obj") return SceneFormat::obj;
    if (end == ".stl") return SceneFormat::stl;
    return fail(error(Errc::usage, "the name must end in .glb, .obj or .stl").in_file(file.string()));
}

Result<void> check_scene_file(const fs::path& file, bool overwrite) {
    TRY(const auto format, scene_format_of(file));
    std::vector<fs::path> files{file};
    if (format == SceneFormat::obj) files.push_back(materials_file(file));
    for (const auto& each : files) {
        std::error_code code;
        const auto status = fs::symlink_status(each, code);
        if (!fs::exists(status)) continue;
        if (!fs::is_regular_file(fs::status(each, code)))
            return fail(error(Errc::usage, "this is not a file that can be replaced").in_file(each.string()));
        if (!overwrite)
            return fail(error(Errc::exists, "this file exists already")
                            .in_file(each.string())
                            .advise("choose another name, or give --overwrite"));
    }
    return {};
}

Result<WrittenScene> write_scene(const BoxScene& scene, const fs::path& file, float scale) {
    TRY(const auto format, scene_format_of(file));
    WrittenScene written;
    const auto write = [&](const fs::path& to, Bytes content) {
        written.bytes += content.size();
        return write_file_atomically(to, content);
    };
    switch (format) {
    case SceneFormat::glb: TRY_DO(write(file, glb_of(scene, scale))); break;
    case SceneFormat::stl: TRY_DO(write(file, stl_of(scene, scale))); break;
    case SceneFormat::obj:
        written.materials = materials_file(file);
        TRY_DO(write(written.materials, as_bytes(mtl_of(scene))));
        TRY_DO(write(file, as_bytes(obj_of(scene, written.materials.filename().string(), scale))));
        break;
    }
    return written;
}

} // namespace orbis::mesh
