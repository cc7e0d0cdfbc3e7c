#include "bson/extended_json.hpp"
#include "bytes/append_format.hpp"
#include "bytes/json_writer.hpp"
#include "jobs/prefab/json_format.hpp"

#include <fmt/format.h>

namespace orbis::jobs::prefab {

namespace {

constexpr std::size_t k_piece = 4 << 20;
constexpr int k_spaces = 2;

class PrefabJsonWriter {
public:
    PrefabJsonWriter(const Prefab& prefab, const Sink& sink) : prefab_(prefab), sink_(sink) {}

    Result<void> write() {
        append_format(out_,
                      "{{\n  \"version\": {},\n  \"blockIdVersion\": {},\n  \"anchorX\": {},\n"
                      "  \"anchorY\": {},\n  \"anchorZ\": {},\n  \"blocks\": ",
                      k_json_version, prefab_.block_id_version, prefab_.anchor.x, prefab_.anchor.y,
                      prefab_.anchor.z);
        for (const auto& key : prefab_.keys.all()) names_.push_back(json_quoted(key));
        TRY_DO(list(prefab_.blocks, [&](const auto& block) { return append(block); }));
        if (!prefab_.fluids.empty()) {
            out_ += ",\n  \"fluids\": ";
            TRY_DO(list(prefab_.fluids, [&](const auto& fluid) { return append(fluid); }));
        }
        if (!prefab_.entities.empty()) {
            out_ += ",\n  \"entities\": ";
            TRY_DO(list(prefab_.entities, [&](const auto& entity) { return holder(entity, 2); }));
        }
        out_ += "\n}";
        return sink_(as_bytes(out_));
    }

private:
    template <typename Items, typename Append>
    Result<void> list(const Items& items, Append&& append) {
        out_ += '[';
        bool is_first = true;
        for (const auto& item : items) {
            out_ += is_first ? "\n    " : ",\n    ";
            is_first = false;
            TRY_DO(append(item));
            if (out_.size() < k_piece) continue;
            TRY_DO(sink_(as_bytes(out_)));
            out_.clear();
        }
        out_ += is_first ? "]" : "\n  ]";
        return {};
    }

    void place(BlockPos at, std::uint32_t key) {
        append_format(out_, "{{\n      \"x\": {},\n      \"y\": {},\n      \"z\": {},\n      \"name\": {}",
                      at.x, at.y, at.z, names_[key]);
    }

    Result<void> append(const Prefab::Block& block) {
        place(block.at, block.key);
        if (block.components != Prefab::k_no_components) {
            out_ += ",\n      \"components\": ";
            TRY_DO(holder(prefab_.components[static_cast<std::size_t>(block.components)], 3));
        }
        if (block.support != 0) append_format(out_, ",\n      \"support\": {}", block.support);
        if (block.filler) append_format(out_, ",\n      \"filler\": {}", block.filler.stored);
        if (block.rotation.index != 0) append_format(out_, ",\n      \"rotation\": {}", block.rotation.index);
        out_ += "\n    }";
        return {};
    }

    Result<void> append(const Prefab::Fluid& fluid) {
        place(fluid.at, fluid.key);
        append_format(out_, ",\n      \"level\": {}\n    }}", fluid.level);
        return {};
    }

    Result<void> holder(const Buffer& bson, int level) {
        TRY(const auto document, bson::Document::open(bson));
        TRY(const auto text,
            bson::to_extended_json(document, {.indent = k_spaces, .as_the_game = true, .level = level}));
        out_ += text;
        return {};
    }

    const Prefab& prefab_;
    const Sink& sink_;
    std::vector<std::string> names_; ///< the keys as JSON
    std::string out_;
};

} // namespace

Result<void> write_json(const Prefab& prefab, const Sink& sink) {
    if (!prefab.source.empty()) return sink(as_bytes(prefab.source));
    return PrefabJsonWriter(prefab, sink).write();
}

} // namespace orbis::jobs::prefab
