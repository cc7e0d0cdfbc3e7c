#include "map/region_facts.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"

#include <algorithm>
#include <utility>

namespace orbis::map {
namespace {

constexpr std::string_view k_region_magic = "OrbisMapRegion";
constexpr std::uint32_t k_region_version = 3;
constexpr std::uint64_t k_largest_region_state = std::uint64_t{1} << 30;
constexpr int k_compression = 1;
constexpr std::size_t k_longest_text = 400;

/// Calls `visit(NameId&)` for every name that a chunk uses.
template <typename Facts, typename Visit>
void for_each_name(Facts& facts, Visit&& visit) {
    for (auto& container : facts.containers) {
        visit(container.block);
        for (auto& item : container.items) visit(item.item);
    }
    for (auto& entity : facts.entities) {
        visit(entity.type);
        if (entity.name != k_no_name) visit(entity.name);
    }
    for (auto& marker : facts.markers) {
        visit(marker.kind);
        if (marker.name != k_no_name) visit(marker.name);
    }
    for (auto& key : facts.keys) visit(key.key);
    for (auto& fluid : facts.fluids) visit(fluid.key);
    for (auto& environment : facts.environments) visit(environment);
}

void write_pos(Writer& to, BlockPos pos) {
    to.le(pos.x);
    to.le(pos.y);
    to.le(pos.z);
}

BlockPos read_pos(Reader& in) {
    BlockPos pos;
    pos.x = in.le<std::int32_t>();
    pos.y = in.le<std::int32_t>();
    pos.z = in.le<std::int32_t>();
    return pos;
}

void write_count(Writer& to, std::size_t count) { to.le(static_cast<std::uint32_t>(count)); }

void write_chunk(Writer& to, const ChunkFacts& facts) {
    to.le(static_cast<std::uint16_t>(facts.slot.value));
    to.le(facts.hash);
    to.le(facts.bytes);
    to.le(facts.entity_count);
    to.le(facts.ticking);
    to.le(facts.components);
    to.le(facts.unknown);
    to.le(facts.version);
    to.u8(facts.readable ? 1 : 0);
    write_count(to, facts.containers.size());
    for (const auto& container : facts.containers) {
        to.le(container.block);
        write_pos(to, container.pos);
        write_count(to, container.items.size());
        for (const auto& item : container.items) {
            to.le(item.item);
            to.le(item.count);
        }
    }
    write_count(to, facts.entities.size());
    for (const auto& entity : facts.entities) {
        to.le(entity.type);
        to.le(entity.name);
        to.le(entity.x);
        to.le(entity.y);
        to.le(entity.z);
    }
    write_count(to, facts.markers.size());
    for (const auto& marker : facts.markers) {
        to.le(marker.kind);
        to.le(marker.name);
        write_pos(to, marker.pos);
    }
    write_count(to, facts.keys.size());
    for (const auto& key : facts.keys) {
        to.le(key.key);
        to.le(key.cells);
        to.le(key.surface);
        to.le(key.place);
    }
    write_count(to, facts.fluids.size());
    for (const auto& fluid : facts.fluids) {
        to.le(fluid.key);
        to.le(fluid.colour);
        to.le(fluid.columns);
    }
    write_count(to, facts.environments.size());
    for (const auto environment : facts.environments) to.le(environment);
    write_count(to, facts.problems.size());
    for (const auto& problem : facts.problems) {
        to.u8(std::to_underlying(problem.code));
        for (const auto* text : {&problem.file, &problem.subject, &problem.problem, &problem.advice}) {
            write_count(to, text->size());
            to.bytes(as_bytes(*text));
        }
        to.u8(problem.offset ? 1 : 0);
        to.le(problem.offset.value_or(0));
    }
}

/// Reads the count of a list and the list itself; memory grows with what was really read.
template <typename T, typename Read>
void read_list(Reader& in, std::vector<T>& out, Read&& read) {
    const auto count = in.le<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) out.push_back(read());
}

ChunkFacts read_chunk(Reader& in) {
    ChunkFacts facts;
    facts.slot.value = in.le<std::uint16_t>();
    facts.hash = in.le<std::uint64_t>();
    facts.bytes = in.le<std::uint64_t>();
    facts.entity_count = in.le<std::uint32_t>();
    facts.ticking = in.le<std::uint32_t>();
    facts.components = in.le<std::uint32_t>();
    facts.unknown = in.le<std::uint32_t>();
    facts.version = in.le<std::uint32_t>();
    facts.readable = in.u8() != 0;
    read_list(in, facts.containers, [&] {
        ContainerFact container;
        container.block = in.le<NameId>();
        container.pos = read_pos(in);
        read_list(in, container.items, [&] {
            ItemFact item;
            item.item = in.le<NameId>();
            item.count = in.le<std::int32_t>();
            return item;
        });
        return container;
    });
    read_list(in, facts.entities, [&] {
        EntityFact entity;
        entity.type = in.le<NameId>();
        entity.name = in.le<NameId>();
        entity.x = in.le<double>();
        entity.y = in.le<double>();
        entity.z = in.le<double>();
        return entity;
    });
    read_list(in, facts.markers, [&] {
        MarkerFact marker;
        marker.kind = in.le<NameId>();
        marker.name = in.le<NameId>();
        marker.pos = read_pos(in);
        return marker;
    });
    read_list(in, facts.keys, [&] {
        KeyFact key;
        key.key = in.le<NameId>();
        key.cells = in.le<std::uint32_t>();
        key.surface = in.le<std::uint32_t>();
        key.place = in.le<std::int32_t>();
        return key;
    });
    read_list(in, facts.fluids, [&] {
        FluidFact fluid;
        fluid.key = in.le<NameId>();
        fluid.colour = in.le<std::uint32_t>();
        fluid.columns = in.le<std::uint32_t>();
        return fluid;
    });
    read_list(in, facts.environments, [&] { return in.le<NameId>(); });
    read_list(in, facts.problems, [&] {
        ProblemFact problem;
        problem.code = static_cast<Errc>(in.u8());
        for (auto* text : {&problem.file, &problem.subject, &problem.problem, &problem.advice})
            *text = as_text(in.take(in.le<std::uint32_t>()));
        const bool has_offset = in.u8() != 0;
        const auto offset = in.le<std::uint64_t>();
        if (has_offset) problem.offset = offset;
        return problem;
    });
    return facts;
}

} // namespace

ProblemFact ProblemFact::of(const Error& problem, std::string_view store) {
    ProblemFact fact{problem.code,    problem.file,   problem.subject(),
                     problem.problem, problem.advice, problem.offset};
    if (std::string_view(fact.file).starts_with(store)) {
        fact.file.erase(0, store.size());
        if (fact.file.starts_with('/')) fact.file.erase(0, 1);
    }
    // A broken chunk may have any text in it.
    for (auto* text : {&fact.file, &fact.subject, &fact.problem, &fact.advice})
        if (text->size() > k_longest_text) text->resize(k_longest_text);
    return fact;
}

Error ProblemFact::in_store(std::string_view store) const {
    const auto path = file.empty() ? std::string(store) : fmt::format("{}/{}", store, file);
    auto made = error(code, "{}", problem).in_file(path).about(subject).advise(advice);
    made.offset = offset;
    return made;
}

NameId RegionFacts::intern(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<NameId>(names_.size());
    names_.push_back(&ids_.emplace(text, id).first->first);
    return id;
}

void RegionFacts::put(ChunkFacts facts) {
    const auto slot = facts.slot;
    chunks_[slot] = std::move(facts);
}

void RegionFacts::take(const RegionFacts& from, const ChunkFacts& facts) {
    auto own = facts;
    for_each_name(own, [&](NameId& id) { id = intern(from.name(id)); });
    put(std::move(own));
}

void RegionFacts::put_in_order() {
    std::vector<bool> is_used(names_.size());
    for (const auto& [slot, facts] : chunks_)
        for_each_name(facts, [&](const NameId& id) { is_used[id] = true; });
    std::vector<NameId> used;
    for (NameId id = 0; id < names_.size(); ++id)
        if (is_used[id]) used.push_back(id);
    std::ranges::sort(used, {}, [&](NameId id) { return name(id); });
    RegionFacts ordered(pos_);
    std::vector<NameId> now(names_.size());
    for (const auto id : used) now[id] = ordered.intern(name(id));
    for (auto& [slot, facts] : chunks_) {
        for_each_name(facts, [&](NameId& id) { id = now[id]; });
        std::ranges::sort(facts.keys, {}, &KeyFact::key);
        std::ranges::sort(facts.fluids);
        std::ranges::sort(facts.environments);
    }
    ids_.swap(ordered.ids_);
    names_.swap(ordered.names_);
}

Buffer RegionFacts::save() {
    put_in_order();
    Buffer content;
    Writer to(content);
    to.le(pos_.x);
    to.le(pos_.z);
    write_count(to, names_.size());
    for (const auto* name : names_) {
        write_count(to, name->size());
        to.bytes(as_bytes(*name));
    }
    write_count(to, chunks_.size());
    for (const auto& [slot, facts] : chunks_) write_chunk(to, facts);
    Compressor compressor(k_compression);
    const auto frame = compressor.compress(content).value();
    Buffer file;
    Writer out(file);
    out.bytes(as_bytes(k_region_magic));
    out.le(k_region_version);
    out.bytes(frame);
    return file;
}

Result<RegionFacts> RegionFacts::load(Bytes file) {
    Reader outer(file);
    const auto magic = outer.take(k_region_magic.size());
    const auto version = outer.le<std::uint32_t>();
    if (!outer.ok() || as_text(magic) != k_region_magic)
        return fail(error(Errc::bad_magic, "expected the state of a region of a map, found another file"));
    if (version != k_region_version)
        return fail(Errc::unsupported, "expected version {} of a region's state, found {}", k_region_version,
                    version);
    Decompressor decompressor;
    const auto size = zstd_content_size(outer.rest());
    if (!size) return fail(Errc::bad_frame, "the state of a region has no size");
    TRY(const auto content, decompressor.decompress(outer.rest(), *size, k_largest_region_state));
    Reader in(content);
    RegionPos pos;
    pos.x = in.le<std::int32_t>();
    pos.z = in.le<std::int32_t>();
    RegionFacts facts(pos);
    const auto names = in.le<std::uint32_t>();
    for (std::uint32_t i = 0; i < names && in.ok(); ++i) {
        const auto text = in.take(in.le<std::uint32_t>());
        if (facts.intern(as_text(text)) != i)
            return fail(Errc::bad_value, "the state of a region has a name twice");
    }
    const auto chunks = in.le<std::uint32_t>();
    bool named = true;
    for (std::uint32_t i = 0; i < chunks && in.ok(); ++i) {
        auto chunk = read_chunk(in);
        for_each_name(chunk, [&](const NameId& id) { named = named && id < facts.names_.size(); });
        for (const auto& key : chunk.keys)
            named = named && key.place >= -1 && key.place < k_columns * k_world_height;
        if (!named || chunk.slot.value >= k_columns)
            return fail(Errc::bad_value, "the state of a region refers to something that is not in it");
        facts.put(std::move(chunk));
    }
    if (!in.ok() || in.remaining() != 0)
        return fail(Errc::truncated, "the state of a region has a wrong length");
    return facts;
}

} // namespace orbis::map
