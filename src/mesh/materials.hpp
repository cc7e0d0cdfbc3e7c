#pragma once

#include "map/colours.hpp"
#include "mesh/quad.hpp"

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace orbis::mesh {

/// What faces are made of: a block or a fluid, and how it looks.
struct Material {
    /// How it meets what is beside it.
    enum class Kind : std::uint8_t {
        nothing, ///< air: no faces
        solid,   ///< a full cube that hides what is behind it
        clear,   ///< a full cube that is seen through, such as glass and leaves: hides its own kind alone
        piece,   ///< does not fill its cell, and hides nothing
        fluid,   ///< hides the same fluid
    } kind = Kind::nothing;
    Shape shape = Shape::cube;
    std::string key;
    map::BlockLook block;  ///< its colours; of a fluid only `particle`
    float alpha = 1;       ///< less where light comes through
    bool is_water = false; ///< takes the water tint of its environment
};

/// Numbers for what occurs, the same for all chunks of a mesh. 0 is nothing.
class Materials {
public:
    enum class Use : std::uint8_t {
        picture, ///< what is there, as it looks
        print,   ///< one body: cubes that are seen through are solid, plants and fluids are left out
    };
    explicit Materials(const world::Assets& assets, Use use = Use::picture)
        : assets_(&assets), colours_(assets), use_(use) {
        all_.emplace_back();
    }

    /// `migrations` as `map::Colours::block` takes them.
    std::uint16_t of_block(std::string_view key, std::size_t migrations);
    std::uint16_t of_fluid(std::string_view key);
    [[nodiscard]] const Material& operator[](std::uint16_t number) const { return all_[number]; }
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    /// What the keys take.
    [[nodiscard]] std::size_t key_bytes() const { return key_bytes_; }

private:
    [[nodiscard]] Material make_block(std::string_view key, std::size_t migrations) const;
    std::uint16_t add(Material material);

    const world::Assets* assets_;
    map::Colours colours_;
    Use use_;
    std::deque<Material> all_;
    std::size_t key_bytes_ = 0;
    std::map<std::string, std::uint16_t, std::less<>> blocks_;
    std::map<std::string, std::uint16_t, std::less<>> fluids_;
};

} // namespace orbis::mesh
