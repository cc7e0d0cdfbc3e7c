// Joins a server as a player, prints the name of each packet that comes, and leaves.
//
//     09_visit_server HOST[:PORT] [SECONDS]

#include <cstdlib>
#include <iostream>
#include <orbis/report.hpp>
#include <orbis/wire/client.hpp>

int main(int count, char** arguments) {
    if (count < 2) {
        std::cerr << "09_visit_server HOST[:PORT] [SECONDS]\n";
        return 2;
    }
    using Clock = std::chrono::steady_clock;
    auto client = orbis::wire::Client::connect(arguments[1]);
    if (!client) return orbis::report(client.error());
    const auto end = Clock::now() + std::chrono::seconds(count > 2 ? std::atoi(arguments[2]) : 3);
    while (Clock::now() < end) {
        const auto frame = client->receive(std::chrono::milliseconds(100));
        if (!frame) return orbis::report(frame.error());
        if (!*frame) continue; // nothing came in this time
        std::cout << (*frame)->name() << " (" << (*frame)->payload().size() << " bytes)\n";
        if ((*frame)->name() == "JoinWorld") std::cout << "in the world\n";
    }
    client->close();
}
