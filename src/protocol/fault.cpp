#include "protocol/fault.hpp"

namespace orbis::protocol {

std::string_view name(Fault fault) {
    switch (fault) {
    case Fault::none: return "none";
    case Fault::read_range: return "read-range";
    case Fault::length_bad: return "length-bad";
    case Fault::too_long: return "too-long";
    case Fault::overrun: return "overrun";
    case Fault::enum_bad: return "enum-bad";
    case Fault::type_unknown: return "type-unknown";
    case Fault::key_duplicate: return "key-duplicate";
    case Fault::recursion: return "recursion";
    case Fault::offset_range: return "offset-range";
    case Fault::text_bad: return "text-bad";
    case Fault::value_range: return "value-range";
    case Fault::not_finite: return "not-finite";
    case Fault::work: return "work";
    case Fault::not_canonical: return "not-canonical";
    }
    return "unknown";
}

namespace {

std::string_view sentence(Fault fault) {
    switch (fault) {
    case Fault::none: return "no failure";
    case Fault::read_range: return "expected more bytes, found the end of the payload";
    case Fault::length_bad:
        return "expected a count or length, found one that is cut off, too long or negative";
    case Fault::too_long: return "expected no more than the limit of the field, found a larger count";
    case Fault::overrun: return "expected the stated number of elements, found too few bytes for them";
    case Fault::enum_bad: return "expected a value of the enum, found another byte";
    case Fault::type_unknown: return "expected a member of the union, found another type id";
    case Fault::key_duplicate: return "expected every key once, found one twice";
    case Fault::recursion: return "expected fewer nested structs, found deeper nesting or a loop";
    case Fault::offset_range: return "expected an offset into the variable block, found another";
    case Fault::text_bad: return "expected text in the encoding of the field, found other bytes";
    case Fault::value_range: return "expected a value in the range of the field, found another";
    case Fault::not_finite: return "expected a finite number, found an infinity or NaN";
    case Fault::work: return "expected separate fields, found overlapping ones that expand without limit";
    case Fault::not_canonical: return "expected the value in its standard form, found another form";
    }
    return "unknown";
}

Errc code(Fault fault) {
    switch (fault) {
    case Fault::read_range:
    case Fault::overrun: return Errc::truncated;
    case Fault::too_long:
    case Fault::work: return Errc::too_large;
    case Fault::recursion: return Errc::too_deep;
    case Fault::offset_range: return Errc::out_of_range;
    case Fault::text_bad: return Errc::bad_text;
    default: return Errc::bad_value;
    }
}

} // namespace

Error Failure::error() const { return orbis::error(code(fault), "{}", sentence(fault)).about(field).at(at); }

} // namespace orbis::protocol
