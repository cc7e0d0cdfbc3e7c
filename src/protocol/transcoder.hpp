#pragma once

#include "protocol/schema.hpp"
#include "protocol/translation.hpp"

#include <memory>

namespace orbis::protocol {

/// Does what a `Translation` does, from bytes to bytes and without values in between: fast, and only where
/// nothing has to be decided (docs/design/builds.md). Payloads that are not written as the game writes them,
/// and what one build has no word for, are left to the translation.
class Transcoder {
public:
    /// Where the translation decides what a field is that only `to` has, it gives up. `trusts` input of this
    /// program, whose maps have no key twice.
    Transcoder(const Layout& from, const Layout& to, const Translation& translation, bool trusts);
    ~Transcoder();
    Transcoder(const Transcoder&) = delete;
    Transcoder& operator=(const Transcoder&) = delete;

    /// Appends the payload that the translation would make. False when it gives up; then nothing is appended.
    bool run(Bytes payload, Buffer& out) const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
    const Layout& to_;
};

} // namespace orbis::protocol
