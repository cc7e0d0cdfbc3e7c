#include "app/answer.hpp"
#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/problem_lines.hpp"
#include "app/query_options.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "query/containers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace orbis::app {

namespace {

class CommandContainers final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        chunks_.declare(options, "Only those in these chunks (docs/selections.md)");
        options.flag("--csv", csv_, "Print comma-separated values, with a line of titles: a line per stack");
        options.footer(
            "Chests, barrels, benches and all other blocks that hold items, also empty ones. One with a "
            "droplist is filled when a player opens it for the first time.\n"
            "Examples:\n"
            "  orbis containers PATH --chunks 'blocks:0,0~200'\n"
            "  orbis find PATH 'Weapon_Sword_*' --kind item      finds the containers that hold one");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto form, answer_form(csv_, common.json));
        TRY(auto location, world_.find());
        const bool is_unfinished = print_notes(console, location);
        has_worlds_ = location.worlds.size() > 1;
        ProblemLines problems(console);
        query::Filter filter;
        TRY(filter.only, chunks_.only(location, common.threads, console,
                                      [&](const Error& problem) { problems.add(problem); }));
        query::Session session(std::move(location), query_options(console, problems, common.threads));
        if (form == AnswerForm::csv)
            print_csv(console, {"world", "x", "y", "z", "key", "capacity", "droplist", "part", "slot",
                                "quantity", "id", "durability"});
        const auto done = query::for_each_container(session, filter, [&](const query::Container& container) {
            ++containers_;
            stacks_ += container.stacks.size();
            for (const auto& stack : container.stacks) pieces_ += pieces_of(stack);
            form == AnswerForm::json  ? print_json(console, container)
            : form == AnswerForm::csv ? print_lines(console, container)
                                      : print_text(console, container);
        });
        const bool is_damaged = problems.print();
        if (!done) return std::unexpected(done.error());
        console.note(fmt::format("{} with {} of {}", counted(containers_, "container"),
                                 counted(stacks_, "stack"), counted(pieces_, "piece")));
        return is_damaged || is_unfinished ? Outcome::damage : Outcome::fine;
    }

    static std::uint64_t pieces_of(const query::Stack& stack) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(stack.quantity, 0));
    }

    void print_text(Console& console, const query::Container& container) const {
        std::vector<Cell> row;
        if (has_worlds_) row.push_back({container.world->name, 16, Tone::plain, false, 1});
        row.push_back({fmt::format("{:n}", container.pos), 16});
        auto text = container.key;
        text += container.stacks.empty()
                    ? ", empty"
                    : fmt::format(", {} of {} slots used", container.stacks.size(), container.capacity);
        if (!container.droplist.empty()) text += fmt::format(", to be filled from {}", container.droplist);
        row.push_back({std::move(text)});
        print_row(console, std::move(row));
        for (const auto& stack : container.stacks) {
            auto item = stack.id;
            if (stack.durability > 0) item += fmt::format(", durability {}", stack.durability);
            print_row(console, {{fmt::format("{} x", human_count(pieces_of(stack))), 16, Tone::faint, true},
                                {std::move(item)}});
        }
    }

    static void print_lines(Console& console, const query::Container& container) {
        const std::vector<std::string> head{container.world->name,
                                            std::to_string(container.pos.x),
                                            std::to_string(container.pos.y),
                                            std::to_string(container.pos.z),
                                            container.key,
                                            std::to_string(container.capacity),
                                            container.droplist};
        const auto print = [&](std::vector<std::string> more) {
            auto line = head;
            for (auto& value : more) line.push_back(std::move(value));
            print_csv(console, line);
        };
        if (container.stacks.empty()) print({"", "", "", "", ""});
        for (const auto& stack : container.stacks)
            print({stack.part, stack.slot ? std::to_string(*stack.slot) : "", std::to_string(stack.quantity),
                   stack.id, fmt::format("{}", stack.durability)});
    }

    static void print_json(Console& console, const query::Container& container) {
        JsonWriter json;
        json.object()
            .member("world", container.world->name)
            .member("x", container.pos.x)
            .member("y", container.pos.y)
            .member("z", container.pos.z)
            .member("key", container.key)
            .member("capacity", container.capacity);
        if (!container.droplist.empty()) json.member("droplist", container.droplist);
        json.key("stacks").array();
        for (const auto& stack : container.stacks) {
            json.object()
                .member("id", stack.id)
                .member("quantity", stack.quantity)
                .member("part", stack.part);
            if (stack.slot) json.member("slot", *stack.slot);
            if (stack.durability > 0) json.key("durability").real(stack.durability);
            json.end();
        }
        json.end().end();
        console.line(json.text());
    }

    WorldArgument world_{WorldArgument::Use::read};
    ChunksOption chunks_;
    bool csv_ = false;
    bool has_worlds_ = false;
    std::uint64_t containers_ = 0;
    std::uint64_t stacks_ = 0;
    std::uint64_t pieces_ = 0;
};

} // namespace

std::unique_ptr<Command> make_command_containers() { return std::make_unique<CommandContainers>(); }

} // namespace orbis::app
