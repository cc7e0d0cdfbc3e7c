#pragma once

#include "app/console.hpp"
#include "bytes/descriptor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <pty.h>
#include <string>
#include <termios.h>
#include <unistd.h>

/// What is printed, as a pipe and as a terminal get it.
namespace orbis::app::test {

struct Printed {
    std::string out;
    std::string err;
};

/// What goes to stdout and stderr, neither of them a terminal.
inline Printed captured(const std::function<void()>& print) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    print();
    return {testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// What a terminal of so many columns gets on stdout. It takes no more than a few kilobytes.
inline std::string on_terminal(unsigned short columns, const std::function<void()>& print) {
    unsetenv("COLUMNS");
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    termios raw{};
    cfmakeraw(&raw);
    int own = -1;
    int terminal = -1;
    EXPECT_EQ(openpty(&own, &terminal, nullptr, &raw, &size), 0);
    std::fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    print();
    std::fflush(stdout);
    dup2(kept, STDOUT_FILENO); // which closes the terminal
    close(kept);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = read(own, part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(got));
    close(own);
    return text;
}

} // namespace orbis::app::test
