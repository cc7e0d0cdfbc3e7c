#pragma once

#include "game/entities/entity_state.hpp"
#include "protocol/dialect.hpp"

#include <cstdint>

namespace orbis::game {

/// How components of entities are said to clients of another build, each by itself: the updates of a tick are
/// then put together for those clients as for all others (docs/design/builds.md).
class Wording {
public:
    /// That of a dialect, made at the first call and kept for the life of the program; threads may call it at
    /// the same time. Null where more differs than components: then whole packets have to be translated.
    static const Wording* of(const protocol::Dialect& dialect);

    /// Whether there is such a component there.
    [[nodiscard]] bool knows(ComponentType type) const { return static_cast<std::size_t>(type) < kinds_; }
    /// Whether a component has other bytes there.
    [[nodiscard]] bool differs(ComponentType type) const {
        return (differing_ >> static_cast<unsigned>(type) & 1) != 0;
    }
    [[nodiscard]] bool differs_in(std::uint32_t types) const { return (differing_ & types) != 0; }
    /// The bytes of a component there, with its type in front; empty if the build cannot say it. Places,
    /// which change in each tick, are as the table has them: with all their parts.
    [[nodiscard]] Buffer said(const Component& component) const;

    [[nodiscard]] const protocol::Dialect& dialect() const { return dialect_; }
    /// Counted from 0 in the order in which they were made.
    [[nodiscard]] std::size_t number() const { return number_; }

private:
    Wording(const protocol::Dialect& dialect, const protocol::Dialect::Word& word, std::size_t number);
    [[nodiscard]] Buffer translated(const Component& component) const;
    /// Finds out whether all places can be said by putting their bytes into those of one.
    void learn_transform();

    const protocol::Dialect& dialect_;
    const protocol::Dialect::Word& word_;
    std::size_t number_;
    std::size_t kinds_;
    std::uint32_t differing_ = 0;  ///< a bit for each type
    Buffer transform_;             ///< the bytes of a place there; empty where each is to be translated
    std::size_t transform_at_ = 0; ///< where in them those of the usual component are, without its type
};

} // namespace orbis::game
