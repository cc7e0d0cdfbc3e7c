#pragma once

#include "net/identity.hpp"

#include <filesystem>

namespace orbis::app {

/// The files of a certificate and its key.
struct KeyFiles {
    std::filesystem::path certificate;
    std::filesystem::path key; ///< empty if the name of the certificate says nothing about it

    /// `NAME.crt.pem` and `NAME.key.pem`; in a folder they are called `orbis`.
    static KeyFiles of(const std::filesystem::path& name);
    /// The pair that a user means by a file, the name of a pair, or a folder.
    static KeyFiles named(const std::filesystem::path& path);
};

/// A certificate with its key for this run alone.
Result<net::Identity> make_identity();
/// The pair that a user means by `--identity`; a new one if that is empty.
Result<net::Identity> load_or_make_identity(const std::filesystem::path& path);

} // namespace orbis::app
