#include "protocol/encoder.hpp"

namespace orbis::protocol {

void Encoder::fail(Errc problem, std::size_t expected, std::size_t found) {
    if (failed_) return;
    failed_ = true;
    problem_ = problem;
    expected_ = expected;
    found_ = found;
}

Error Encoder::error() const {
    switch (problem_) {
    case Errc::too_large:
        return orbis::error(problem_, "expected at most {} bytes or elements, found {}", expected_, found_);
    case Errc::too_deep:
        return orbis::error(problem_, "expected at most {} nested structs, found more or a loop", expected_);
    case Errc::bad_value:
        return orbis::error(problem_, "expected an enum value up to {}, found {}", expected_, found_);
    case Errc::bad_text: return orbis::error(problem_, "expected ASCII text, found the byte {}", found_);
    case Errc::out_of_range:
        return orbis::error(problem_, "a number is not in the range that its field allows");
    case Errc::not_found: return orbis::error(problem_, "a value that cannot be absent is missing");
    case Errc::mismatch:
        return orbis::error(problem_, "{} presence bits should be set, one for each element, but {} are",
                            expected_, found_);
    default: return orbis::error(problem_, "no failure");
    }
}

} // namespace orbis::protocol
