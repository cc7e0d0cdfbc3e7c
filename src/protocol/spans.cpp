#include "protocol/spans.hpp"

namespace orbis::protocol {

namespace {

/// The part of a value that a span inside of it is about.
const Value* part_of_value(const Value& value, const Span& span) {
    if (const auto* record = value.as<Value::Record>())
        return span.index < record->fields.size() ? &record->fields[span.index] : nullptr;
    if (const auto* list = value.as<Value::List>())
        return span.index < list->size() ? &(*list)[span.index] : nullptr;
    if (const auto* entries = value.as<Value::Entries>()) {
        if (span.index >= entries->size()) return nullptr;
        const auto& entry = (*entries)[span.index];
        return span.part == Part::key ? &entry.first : &entry.second;
    }
    return nullptr;
}

} // namespace

std::string_view name(Part part) {
    switch (part) {
    case Part::value: return "value";
    case Part::key: return "key";
    case Part::absent: return "absent";
    case Part::unreadable: return "unreadable";
    case Part::presence: return "presence";
    case Part::slot: return "slot";
    case Part::count: return "count";
    case Part::type_id: return "type";
    }
    return {};
}

void SpanLog::clear() {
    spans_.clear();
    is_cut_ = false;
}

std::uint32_t SpanLog::add(const Span& span) {
    if (spans_.size() >= k_most) {
        is_cut_ = true;
        return k_none;
    }
    spans_.push_back(span);
    return static_cast<std::uint32_t>(spans_.size() - 1);
}

void SpanLog::set_end(std::uint32_t number, std::size_t end) {
    if (number >= spans_.size()) return;
    auto& span = spans_[number];
    span.size = end > span.at ? static_cast<std::uint32_t>(end - span.at) : 0;
}

std::vector<const Value*> values_of(const SpanLog& spans, const Value& packet) {
    const auto& all = spans.spans();
    std::vector<const Value*> values(all.size(), nullptr);
    if (all.empty()) return values;
    values[0] = &packet;
    for (std::size_t number = 1; number < all.size(); ++number) {
        const auto& span = all[number];
        const bool has_value =
            span.part == Part::value || span.part == Part::key || span.part == Part::unreadable;
        const auto* around = span.parent < number ? values[span.parent] : nullptr;
        if (has_value && around != nullptr) values[number] = part_of_value(*around, span);
    }
    return values;
}

} // namespace orbis::protocol
