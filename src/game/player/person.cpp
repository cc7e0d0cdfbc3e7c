#include "game/player/person.hpp"

#include "game/content/pack_registries.hpp"
#include "game/content/registry_numbers.hpp"
#include "game/entities/person_model.hpp"
#include "game/player/movement_settings.hpp"

namespace orbis::game {

Person make_person(PackRegistries* pack) {
    Person person{person_model(), {}, movement_settings(false)};
    for (std::size_t i = 0; i < k_stats.size(); ++i)
        person.stats.emplace_back(static_cast<std::int32_t>(i), k_stats[i].value);
    if (pack == nullptr) return person;
    if (auto model = pack->model_component("Player")) person.model.bytes = *std::move(model);
    person.stats = pack->stats();
    pack->put_movement(person.movement);
    return person;
}

} // namespace orbis::game
