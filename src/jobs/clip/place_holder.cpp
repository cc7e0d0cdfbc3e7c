#include "jobs/clip/place_holder.hpp"

#include "bson/patch.hpp"
#include "bson/writer.hpp"
#include "bytes/sha256.hpp"
#include "bytes/writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

namespace orbis::jobs {

namespace {

using bson::Document;
using bson::Element;

std::optional<Uuid> uuid_of(const Element& element) {
    const auto binary = element.binary();
    if (!binary || binary->subtype != bson::k_subtype_uuid || binary->data.size() != 16) return std::nullopt;
    Uuid id{};
    std::ranges::copy(binary->data, id.begin());
    return id;
}

/// Three numbers; nothing for anything else.
std::optional<Turn::Point> vector_of(const Document& document) {
    const auto number = [&](std::string_view key) -> std::optional<double> {
        const auto found = document.find(key);
        return found ? found->number() : std::nullopt;
    };
    const auto x = number("X");
    const auto y = number("Y");
    const auto z = number("Z");
    if (!x || !y || !z) return std::nullopt;
    return Turn::Point{*x, *y, *z};
}

bool is_rotation(const Document& document) {
    const auto yaw = document.find("Yaw");
    return yaw && yaw->number() && (document.find("Pitch") || document.find("Roll"));
}

/// A number in the type that it had.
void write_number(bson::Writer& out, const Element& before, double value) {
    if (before.type() == bson::Type::real) {
        out.real(before.key(), value);
    } else if (before.type() == bson::Type::int32) {
        out.int32(before.key(), static_cast<std::int32_t>(std::floor(value)));
    } else {
        out.int64(before.key(), static_cast<std::int64_t>(std::floor(value)));
    }
}

/// Copies the documents of an entity and changes what depends on its place.
class EntityMover {
public:
    explicit EntityMover(const Placement& placement) : placement_(placement) {}

    Result<Buffer> run(const Document& holder) {
        TRY_DO(bson::validate(holder)); // bounds the depth of what follows
        Buffer out;
        bson::Writer writer(out);
        copy(holder, writer);
        writer.finish();
        return out;
    }

private:
    void copy(const Document& document, bson::Writer& out) {
        for (bson::Cursor at(document); at.next();) element(at.element(), out);
    }

    void element(const Element& element, bson::Writer& out) {
        if (const auto nested = element.document()) {
            out.document(element.key());
            inner(element.key(), *nested, out);
            out.end();
        } else if (const auto array = element.array()) {
            out.array(element.key());
            copy(*array, out);
            out.end();
        } else if (const auto id = uuid_of(element); id && placement_.ids != nullptr) {
            out.uuid(element.key(), placement_.ids->of(*id).value_or(*id));
        } else {
            out.element(element);
        }
    }

    void inner(std::string_view key, const Document& document, bson::Writer& out) {
        if (const auto vector = vector_of(document)) {
            // A spawn position or a leash that was never set is 0,0,0.
            const bool is_set = key == "Position" || *vector != Turn::Point{};
            if (is_set && (key.ends_with("Position") || key.ends_with("Pos")))
                return write_vector(document, moved(*vector), out);
            if (key.ends_with("Velocity") || key.ends_with("Direction"))
                return write_vector(document, placement_.turn.apply_to_direction(*vector), out);
        }
        if (is_rotation(document)) return write_rotation(document, out);
        copy(document, out);
    }

    [[nodiscard]] Turn::Point moved(Turn::Point point) const {
        const auto turned = placement_.turn.apply(point);
        return {turned.x + static_cast<double>(placement_.dx), turned.y + static_cast<double>(placement_.dy),
                turned.z + static_cast<double>(placement_.dz)};
    }

    static void write_vector(const Document& document, Turn::Point point, bson::Writer& out) {
        for (bson::Cursor at(document); at.next();) {
            const auto& element = at.element();
            if (element.key() == "X")
                write_number(out, element, point.x);
            else if (element.key() == "Y")
                write_number(out, element, point.y);
            else if (element.key() == "Z")
                write_number(out, element, point.z);
            else
                out.element(element);
        }
    }

    void write_rotation(const Document& document, bson::Writer& out) const {
        for (bson::Cursor at(document); at.next();) {
            const auto& element = at.element();
            const auto number = element.number();
            if (element.key() == "Yaw" && number)
                write_number(out, element, placement_.turn.apply_to_yaw(*number));
            else if (element.key() == "Roll" && number && placement_.turn.mirrored)
                write_number(out, element, -*number);
            else
                out.element(element);
        }
    }

    const Placement& placement_;
};

void collect_ids(const Document& document, NewIds& ids) {
    for (bson::Cursor at(document); at.next();) {
        if (at->key() == "UUID") {
            // The component is {"UUID": {"UUID": …}}; references to others have names of their own.
            if (const auto component = at->document())
                if (const auto id = component->find("UUID"))
                    if (const auto uuid = uuid_of(*id)) ids.add(*uuid);
        } else if (const auto nested = at->document()) {
            collect_ids(*nested, ids);
        } else if (const auto array = at->array()) {
            collect_ids(*array, ids);
        }
    }
}

std::optional<Document> transform_position(const Document& holder) {
    const auto found = holder.find_path({"Components", "Transform", "Position"});
    return found ? found->document() : std::nullopt;
}

} // namespace

NewIds::NewIds() {
    std::random_device random;
    for (auto& byte : secret_) byte = static_cast<std::uint8_t>(random());
}

void NewIds::add_all_of(const Document& entity) {
    if (bson::validate(entity)) collect_ids(entity, *this);
}

std::optional<Uuid> NewIds::of(const Uuid& id) const {
    if (!known_.contains(id)) return std::nullopt;
    const auto digest = sha256({Bytes(secret_), Bytes(id)});
    Uuid made{};
    std::copy_n(digest.begin(), made.size(), made.begin());
    made[6] = static_cast<std::uint8_t>((made[6] & 0x0F) | 0x40); // version 4: random
    made[8] = static_cast<std::uint8_t>((made[8] & 0x3F) | 0x80); // the usual variant
    return made;
}

Result<Buffer> placed_entity(const Document& holder, const Placement& placement) {
    return EntityMover(placement).run(holder);
}

std::optional<Turn::Point> entity_point(const Document& holder) {
    const auto position = transform_position(holder);
    return position ? vector_of(*position) : std::nullopt;
}

Result<Buffer> with_entity_point(const Document& holder, Turn::Point point) {
    const auto position = transform_position(holder);
    if (!position) return Buffer(holder.bytes().begin(), holder.bytes().end());
    bson::Patch patch(holder);
    const auto put = [&](std::string_view axis, double value) {
        Buffer bytes(8);
        store_le(bytes.data(), std::bit_cast<std::uint64_t>(value));
        return patch.set({"Components", "Transform", "Position", axis}, {bson::Type::real, std::move(bytes)});
    };
    TRY_DO(put("X", point.x));
    TRY_DO(put("Y", point.y));
    TRY_DO(put("Z", point.z));
    Buffer out;
    TRY_DO(patch.apply(out));
    return out;
}

Result<Buffer> placed_block_holder(const Document& holder, BlockPos at) {
    bson::Patch patch(holder);
    if (const auto components = holder.document("Components")) {
        for (bson::Cursor each(*components); each.next();) {
            const auto component = each->document();
            const auto position = component ? component->document("Position") : std::nullopt;
            if (!position || !vector_of(*position)) continue;
            const std::string name(each->key());
            for (const auto& [axis, value] :
                 {std::pair{"X", at.x}, std::pair{"Y", at.y}, std::pair{"Z", at.z}})
                if (position->find(axis)->integer() != std::int64_t{value})
                    TRY_DO(patch.set({"Components", name, "Position", axis}, bson::Value::int32(value)));
        }
    }
    Buffer out;
    if (patch.empty())
        out.assign(holder.bytes().begin(), holder.bytes().end());
    else
        TRY_DO(patch.apply(out));
    return out;
}

} // namespace orbis::jobs
