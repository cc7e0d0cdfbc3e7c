// Capture files. Whatever the bytes are, reading ends; what was read can be written and read again and is the
// same then, and taking out personal data never harms.

#include "capture/capture_reader.hpp"
#include "capture/made_records_test.hpp"
#include "capture/personal.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::capture;

std::vector<Buffer> fuzz::seeds() {
    const auto visit = made::visit();
    auto with_counts = visit.file();
    append_counts(with_counts, 1, 2, 3);
    auto two_sections = visit.file();
    const auto again = visit.file();
    two_sections.insert(two_sections.end(), again.begin(), again.end());
    return {visit.file(), with_counts, two_sections};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static RecordDecoder decoder;
    static PersonalData personal;
    CaptureReader reader(source_of({data, size}), "input");
    for (;;) {
        const auto next = reader.next();
        if (!next || !*next) break;
        const auto& record = **next;
        (void)decoder.value(record);

        Buffer file;
        append_file_start(file, "fuzz");
        append_record(file, record);
        CaptureReader second(source_of(file), "again");
        const auto same = second.next();
        fuzz::require(same && *same);
        fuzz::require((*same)->time == record.time && (*same)->to == record.to);
        if (!record.build_name.empty())
            fuzz::require((*same)->build_name == record.build_name && (*same)->build == record.build);
        fuzz::require(std::ranges::equal((*same)->frame, record.frame));
        if (record.length < (1U << 31)) fuzz::require((*same)->length == record.length);

        auto without = record;
        personal.leave_out(without);
        fuzz::require(without.frame.size() <= without.length || without.left_out == LeftOut::nothing);
    }
    fuzz::require(reader.facts().bytes <= size);
    return 0;
}
