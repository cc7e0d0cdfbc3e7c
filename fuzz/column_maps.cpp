// What is stored per column: the first byte chooses heights, tints, environments or block health, the rest is
// the blob. What can be read is used, changed, written and read again.

#include "chunk/columns.hpp"
#include "chunk/environment.hpp"
#include "chunk/health.hpp"
#include "support/chunk_images.hpp"
#include "target.hpp"

using namespace orbis;
using namespace orbis::chunk;

namespace {

template <typename Number>
void use_map(Bytes input) {
    ColumnMap<Number> map;
    Error problem;
    Reader in(input);
    if (!map.read(in, problem)) return;
    (void)map.check();
    for (int i = 0; i < k_columns; i += 3) map.set(ColumnIndex(i), static_cast<Number>(i));
    Buffer out;
    map.append_to(out);
    ColumnMap<Number> again;
    Reader changed(out);
    fuzz::require(again.read(changed, problem) && changed.remaining() == 0);
    for (int i = 0; i < k_columns; ++i) fuzz::require(again.at(ColumnIndex(i)) == map.at(ColumnIndex(i)));
}

void use_environments(Bytes input) {
    Environments environments;
    Error problem;
    Reader in(input);
    if (!environments.read(in, problem)) return;
    (void)environments.check();
    for (int i = 0; i < k_columns; i += 7)
        for (const int y : {-1, 0, 64, 319}) (void)environments.at(ColumnIndex(i), y);
    const EnvironmentRun run{EnvironmentRun::k_no_end, "Fuzzed"};
    environments.set_runs(ColumnIndex(5), {&run, 1});
    Buffer out;
    environments.append_to(out);
    Environments again;
    Reader changed(out);
    fuzz::require(again.read(changed, problem) && changed.remaining() == 0);
    fuzz::require(again.at(ColumnIndex(5), 10) == "Fuzzed");
    fuzz::require(again.at(ColumnIndex(6), 10) == environments.at(ColumnIndex(6), 10));
}

void use_health(Bytes input) {
    BlockHealth health;
    Error problem;
    Reader in(input);
    if (!health.read(in, problem)) return;
    health.set(health.damaged(), health.fragile());
    Buffer out;
    health.append_to(out);
    BlockHealth again;
    Reader changed(out);
    fuzz::require(again.read(changed, problem) && again.damaged().size() == health.damaged().size());
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    std::vector<std::int32_t> values(k_columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i % 40) - 1;
    auto heights = test::column_map_image(values, 2);
    heights.insert(heights.begin(), 0);
    auto tints = test::column_map_image(values, 4);
    tints.insert(tints.begin(), 1);
    auto flat = test::environment_image(test::EnvironmentColumns(k_columns, {{0, "Env"}}));
    flat.insert(flat.begin(), 2);
    auto layers =
        test::environment_image(test::EnvironmentColumns(k_columns, {{30, "Env"}, {90, "B"}, {0, "C"}}));
    layers.insert(layers.begin(), 2);
    return {heights, tints, flat, layers, Buffer{3, 2, 0, 0, 0, 0, 0, 0, 0, 0}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Buffer input(data + 1, data + size);
    switch (data[0] % 4) {
    case 0: use_map<std::int16_t>(input); break;
    case 1: use_map<std::int32_t>(input); break;
    case 2: use_environments(input); break;
    default: use_health(input);
    }
    return 0;
}
