#pragma once

#include "game/entities/entity_state.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::game {

class PackRegistries;

/// Which model an entity has, as worlds store it.
struct ModelChoice {
    std::string_view id;
    float scale = 1;
    float entity_scale = 0; ///< 0 for an entity without a scale of its own
    bool is_static = false;
    std::map<std::string, std::string> attachments{}; ///< of random sets: the entry of each
};

/// How entities look by the files of a pack. Models are made when they are first asked for. For any thread.
class EntityModels {
public:
    /// Models that are kept; entities with further ones have but their names.
    static constexpr std::size_t k_most_models = 4096;
    /// No model of the game is near it.
    static constexpr std::size_t k_largest_model = 1 << 20;

    /// To be called before anything is asked. The files must outlive this; null: there are none.
    void take(PackRegistries* files) { files_ = files; }

    struct Look {
        Component model;
        float longest_side = 1; ///< of its hitbox, in blocks
    };
    /// Nothing for a model that has no file.
    [[nodiscard]] std::optional<Look> find(const ModelChoice& choice);

private:
    PackRegistries* files_ = nullptr;
    std::mutex mutex_;                                ///< guards `files_` and `made_`
    std::map<std::string, Buffer, std::less<>> made_; ///< packets with the model at scale 1; empty: none
};

} // namespace orbis::game
