// Prints the sizes and offsets of the public types of the wire, as layout_world.cpp does for those of worlds.
#include <cstddef>
#include <iostream>
#include <orbis/wire/client.hpp>
#include <orbis/wire/ping.hpp>
#include <orbis/wire/server.hpp>

#define TYPE(name)                                                                                           \
    std::cout << #name << ": " << sizeof(orbis::wire::name) << " bytes, aligned to "                         \
              << alignof(orbis::wire::name) << '\n'
#define FIELD(name, field) std::cout << "  " << #field << " at " << offsetof(orbis::wire::name, field) << '\n'

int main() {
    TYPE(ClientOptions);
    FIELD(ClientOptions, uuid);
    FIELD(ClientOptions, password);
    FIELD(ClientOptions, language);
    FIELD(ClientOptions, joins);
    FIELD(ClientOptions, view_radius);
    FIELD(ClientOptions, timeout);
    TYPE(Client);
    TYPE(CloseCode);
    TYPE(Ending);
    FIELD(Ending, code);
    FIELD(Ending, by_peer);
    FIELD(Ending, reason);
    FIELD(Ending, text);
    TYPE(Frame);
    TYPE(FrameReader);
    TYPE(Receiver);
    TYPE(PacketInfo);
    FIELD(PacketInfo, id);
    FIELD(PacketInfo, category);
    FIELD(PacketInfo, receiver);
    FIELD(PacketInfo, channel);
    FIELD(PacketInfo, is_compressed);
    FIELD(PacketInfo, smallest);
    FIELD(PacketInfo, largest);
    TYPE(Reading);
    TYPE(Packet);
    TYPE(Value);
    TYPE(PingOptions);
    FIELD(PingOptions, count);
    FIELD(PingOptions, timeout);
    TYPE(PingStep);
    FIELD(PingStep, text);
    FIELD(PingStep, failure);
    TYPE(PingReport);
    FIELD(PingReport, address);
    FIELD(PingReport, certificate);
    FIELD(PingReport, round_trips);
    FIELD(PingReport, asks_for_password);
    TYPE(Protocol);
    TYPE(Player);
    TYPE(ServerEvent);
    FIELD(ServerEvent, player);
    FIELD(ServerEvent, frame);
    FIELD(ServerEvent, ending);
    TYPE(ServerOptions);
    FIELD(ServerOptions, sets_up);
    FIELD(ServerOptions, certificate);
    FIELD(ServerOptions, key);
    TYPE(Server);
}
