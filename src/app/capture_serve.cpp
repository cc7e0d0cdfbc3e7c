#include "app/capture_tables.hpp"
#include "app/command_up_signals.hpp"
#include "app/inspect_page.hpp"
#include "http/host_check.hpp"
#include "page/files.hpp"

#include <fmt/format.h>

namespace orbis::app {

Result<Outcome> serve_capture(Console& console, const CaptureInput& input,
                              const CapturePageOptions& options) {
    auto address = http::parse_address(options.address);
    if (!address) return fail(std::move(address).error().about("--http"));
    for (const auto& name : options.hosts) TRY_DO(http::check_host_name(name));
    EndingSignals signals; // before the threads, which inherit it
    TRY(auto book, inspect::FileBook::open(input.file,
                                           {.build = input.build, .keeps_personal = options.keeps_personal}));
    inspect::Desk desk(std::move(book), {.keeps_personal = options.keeps_personal});
    desk.set_title(input.file.filename().string(), "orbis " ORBIS_VERSION);
    auto page = InspectPage::start(*address, options.hosts, desk);
    if (!page) {
        if (page.error().code == Errc::busy)
            page.error().advice = "stop that program, or choose another port with --http ADDRESS:PORT; port "
                                  "0 takes any free port";
        return std::unexpected(std::move(page).error());
    }
    if (page::files().empty()) console.note(std::string(page::k_how_to_get_it));
    if (!address->is_loopback()) console.note("anyone who can reach this address can see these frames");
    if (console.json()) {
        JsonWriter json;
        json.object().member("file", input.file.string()).member("url", (*page)->url()).end();
        console.line(json.text());
    } else {
        console.line(fmt::format("Inspector: {}", (*page)->url()));
        console.line("Ready. Ctrl+C stops it");
    }
    TRY_DO(console.flush());
    signals.wait();
    console.note("Stopping");
    const auto extent = desk.book().extent();
    page->reset(); // before the desk that it asks
    if (extent.damage) console.problem(*extent.damage);
    return extent.damage ? Outcome::damage : Outcome::fine;
}

} // namespace orbis::app
