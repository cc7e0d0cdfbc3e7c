// The JSON lines of `orbis packet`: the first byte names the build and the direction, the rest is a line.
// Every line has an answer that is JSON, and a value that was understood is written and read again to the
// same bytes.

#include "bytes/json_writer.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/json_lines.hpp"
#include "protocol/json_tree.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::protocol;

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> made;
    for (const std::string_view line :
         {R"({"packet":"SetClientId","payload_hex":"2a000000"})",
          R"({"packet":"SetClientId","value":{"clientId":42}})",
          R"({"frame_hex":"04000000640000002a000000","channel":"Default","to":"client"})",
          R"({"id":211,"value":{"message":"hello"}})",
          R"({"packet":"SendWindowAction","value":{"id":1,"action":{"$type":"SelectSlotAction","slot":2}}})"})
        for (std::uint8_t head = 0; head < 64; head += 8) {
            Buffer seed{head};
            const auto bytes = as_bytes(line);
            seed.insert(seed.end(), bytes.begin(), bytes.end());
            made.push_back(std::move(seed));
        }
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const auto& schema = schema_of(builds()[data[0] % builds().size()]);
    LineOptions options;
    options.frame = (data[0] & 8) != 0;
    options.keep = (data[0] & 16) != 0;
    options.strict = (data[0] & 32) != 0;
    const auto line = as_text(Bytes(data + 1, size - 1));
    static PayloadFramer framer;

    const auto decoded = decode_line(schema, line, options);
    fuzz::require(JsonTree::parse(decoded.json).has_value());
    const auto encoded = encode_line(schema, line, options.frame, framer);
    const auto answer = JsonTree::parse(encoded.json);
    fuzz::require(answer.has_value());
    if (options.frame || answer->find("payload_hex") == nullptr) return 0;

    const auto tree = JsonTree::parse(line).value();
    JsonWriter again;
    again.object();
    if (!tree.text("packet").empty())
        again.member("packet", tree.text("packet"));
    else
        again.member("id", tree.integer("id"));
    again.member("payload_hex", answer->text("payload_hex")).end();
    const auto value = decode_line(schema, again.text(), {});
    const auto twice = JsonTree::parse(encode_line(schema, value.json, false, framer).json).value();
    fuzz::require(twice.text("payload_hex") == answer->text("payload_hex"));
    return 0;
}
