#pragma once

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace orbis::jobs::test_worlds {

/// Another program that has a file open for writing, as the game has.
class OtherProgram {
public:
    explicit OtherProgram(const std::filesystem::path& file) {
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) return;
        process_ = fork();
        if (process_ == 0) {
            const int opened = open(file.c_str(), O_RDWR);
            (void)!write(ends[1], opened < 0 ? "-" : "+", 1);
            while (true) pause();
        }
        char said = '-';
        EXPECT_EQ(read(ends[0], &said, 1), 1);
        EXPECT_EQ(said, '+');
        close(ends[0]);
        close(ends[1]);
    }
    ~OtherProgram() {
        if (process_ <= 0) return;
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    OtherProgram(const OtherProgram&) = delete;
    OtherProgram& operator=(const OtherProgram&) = delete;

private:
    pid_t process_ = -1;
};

} // namespace orbis::jobs::test_worlds
