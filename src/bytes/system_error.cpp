#include "bytes/system_error.hpp"

#include <cerrno>
#include <system_error>

namespace orbis {

Error system_error(std::string_view action) {
    const int number = errno;
    const auto code = number == ENOSPC || number == EDQUOT    ? Errc::no_space
                      : number == ENOENT || number == ENOTDIR ? Errc::not_found
                      : number == EEXIST                      ? Errc::exists
                      : number == EROFS                       ? Errc::read_only
                                                              : Errc::io;
    auto problem = error(code, "cannot {}: {}", action, std::generic_category().message(number));
    if (code == Errc::no_space)
        return std::move(problem).advise("free some space and run the command again; nothing is lost");
    if (number == EACCES || number == EPERM)
        return std::move(problem).advise("run as the user who owns the world, or change the permissions");
    if (code == Errc::not_found) return std::move(problem).advise("check the spelling of the path");
    if (code == Errc::read_only)
        return std::move(problem).advise("make the disk writable, or copy the world to one that is");
    return problem;
}

Error write_error(std::string_view action) {
    const bool is_denied = errno == EACCES || errno == EPERM;
    auto problem = system_error(action);
    if (is_denied) problem.code = Errc::read_only;
    return problem;
}

} // namespace orbis
