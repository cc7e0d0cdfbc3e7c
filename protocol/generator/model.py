"""A schema as the C++ generator needs it: names turned into C++ names, and structs in an order in which each
comes behind those that it holds by value."""

import json
import pathlib
import re

KEYWORDS = set(
    """alignas alignof and asm auto bool break case catch char class concept const constexpr continue default delete
    do double else enum explicit export extern false final float for friend goto if inline int long mutable namespace
    new not nullptr operator or override private protected public register requires return short signed sizeof static
    struct switch template this throw true try typedef typename union unsigned using virtual void volatile while
    xor""".split()
)
FUNCTIONS = {"read", "measure", "write", "load", "store"}  # of the structs themselves

SHARED = "shared"  # the family of what several families of packets lead to

PRIMITIVES = {  # schema name -> C++ type, width
    "bool": ("bool", 1),
    "i8": ("std::int8_t", 1),
    "i16": ("std::int16_t", 2),
    "i32": ("std::int32_t", 4),
    "i64": ("std::int64_t", 8),
    "f32": ("float", 4),
    "f64": ("double", 8),
    "uuid": ("Uuid", 16),
}

# Build numbers from which on readers refuse more: src/protocol/read_rules.hpp says what.
FIRST_BOUNDED_BUILD = 92
FIRST_CANONICAL_BUILD = 242
LARGEST_BLOCK = 8192  # what the decoder can stand in for
FLOATS = ("f32", "f64")


def snake(name):
    """movementStates -> movement_states, AmbienceFX -> ambience_fx, default -> default_"""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z])([A-Z][a-z])", r"\1_\2", name).lower()
    return name + "_" if name in KEYWORDS | FUNCTIONS or name[0].isdigit() else name


def kind(type_):
    """The kind of a type: its primitive name, or the key that tells objects apart."""
    return type_ if isinstance(type_, str) else next(iter(type_))


def by_value(type_):
    """The type itself, or of a fixed array that of its elements."""
    while kind(type_) == "fixedArray":
        type_ = type_["fixedArray"]
    return type_


class Schema:
    """What the packets of a schema lead to, all of them or some."""

    def __init__(self, path, only=None):
        data = json.loads(pathlib.Path(path).read_text())
        self.build = data["build"]
        self.namespace = "v" + re.sub(r"[^0-9A-Za-z]", "_", self.build)
        number = data["protocol"].get("buildNumber", 0)
        self.bounded = number >= FIRST_BOUNDED_BUILD
        self.canonical = self.finite = number >= FIRST_CANONICAL_BUILD
        self.channels = data.get("channels", {})
        self.enums = data["enums"]
        self.unions = data["unions"]
        self.packets = data["packets"]
        self.layouts = {**data["structs"], **data["packets"]}
        for name, layout in self.layouts.items():
            layout["name"] = name
            if layout["varStart"] > LARGEST_BLOCK:
                raise ValueError(f"{name}: a fixed block of {layout['varStart']} bytes is too large")
        self._keep(only or list(self.packets))
        self._by_value = {name: self._held(layout) for name, layout in self.layouts.items()}
        self.recursive = {name for name in self.layouts if self._reaches(name, name)}
        self.order = self._sorted()
        self.family = self._families()

    # What types are

    def is_fixed_struct(self, type_):
        return kind(type_) == "struct" and self.layouts[type_["struct"]]["varCount"] == 0

    def is_bytes(self, type_):
        return kind(type_) == "array" and type_["array"] == "i8"

    def is_link(self, layout, field):
        """Whether the field is an optional struct, or a union, that leads back to its own."""
        type_, name = field["type"], layout["name"]
        if kind(type_) == "union":
            targets = self.unions[type_["union"]]["types"].values()
        else:
            targets = [type_["struct"]] if kind(type_) == "struct" and "null" in field else []
        return any(target == name or self._reaches(target, name) for target in targets)

    def width(self, type_):
        """Bytes of every value, None when they differ."""
        k = kind(type_)
        if k in PRIMITIVES:
            return PRIMITIVES[k][1]
        if k == "enum":
            return 4 if "wire" in type_ else 1
        if k == "fixedString":
            return type_["len"]
        if k == "fixedArray":
            return type_["len"] * self.width(type_["fixedArray"])
        if k == "struct" and self.layouts[type_["struct"]]["varCount"] == 0:
            return self.layouts[type_["struct"]]["fixed"]
        return None

    def is_flags(self, layout):
        """Whether a struct is nothing but booleans, a byte each."""
        return layout["nullBytes"] == 0 and len(layout["fields"]) > 1 and all(
            f["type"] == "bool" and "bit" not in f for f in layout["fields"]
        )

    def is_packed(self, layout):
        """Whether a struct has the same bytes in memory as on the wire."""
        at = 0
        widest = 1
        for field in layout["fields"]:
            type_ = field["type"]
            if type_ not in ("i8", "i16", "i32", "i64", "f32", "f64") or self.is_checked_field(field):
                return False
            width = PRIMITIVES[type_][1]
            widest = max(widest, width)
            if field.get("at") != at or at % width != 0:
                return False
            at += width
        return at == layout["varStart"] and at > 0 and at % widest == 0

    def is_checked(self, layout):
        """Whether a struct of fixed size has values that are refused."""
        return any(self.is_checked_field(field) for field in layout["fields"])

    def is_checked_field(self, field):
        return "minValue" in field or "maxValue" in field or self.is_checked_type(field["type"])

    def is_checked_type(self, type_):
        """Whether a type of fixed size has values that are refused."""
        k = kind(type_)
        if k == "struct":
            return self.is_checked(self.layouts[type_["struct"]])
        if k == "fixedArray":
            return self.is_checked_type(type_["fixedArray"])
        return k in ("enum", "fixedString") or (self.finite and k in FLOATS)

    def is_flags_enum(self, name):
        """Whether an enum is a byte of flags."""
        return "flags" in self.enums[name]

    def smallest(self, layout):
        """Bytes of the smallest payload: every optional field absent, every text and list empty."""
        size = layout["varStart"]
        for field in layout["fields"]:
            if "at" in field or "null" in field:
                continue
            type_ = field["type"]
            if kind(type_) == "struct":
                size += self.smallest(self.layouts[type_["struct"]])
            elif kind(type_) == "union":
                members = self.unions[type_["union"]]["types"].values()
                size += 1 + min(self.smallest(self.layouts[m]) for m in members)
            else:
                size += self.width(type_) or 1
        return size

    def families(self):
        """The headers: what families share first, then each with its packets and what only they lead to."""
        return sorted(set(self.family.values()), key=lambda family: (family != SHARED, family))

    # What leads where

    def types_in(self, type_):
        yield type_
        if kind(type_) in ("array", "fixedArray"):
            yield from self.types_in(type_[kind(type_)])
        if kind(type_) == "map":
            for each in type_["map"]:
                yield from self.types_in(each)

    def _keep(self, only):
        """Forgets everything that the given packets do not lead to."""
        structs, enums, unions = set(), set(), set()
        todo = list(only)
        while todo:
            name = todo.pop()
            if name in structs:
                continue
            structs.add(name)
            for field in self.layouts[name]["fields"]:
                for type_ in self.types_in(field["type"]):
                    if kind(type_) == "struct":
                        todo.append(type_["struct"])
                    elif kind(type_) == "enum":
                        enums.add(type_["enum"])
                    elif kind(type_) == "union":
                        unions.add(type_["union"])
                        todo += self.unions[type_["union"]]["types"].values()
        self.layouts = {n: l for n, l in self.layouts.items() if n in structs}
        self.packets = {n: p for n, p in self.packets.items() if n in only}
        self.enums = {n: e for n, e in self.enums.items() if n in enums}
        self.unions = {n: u for n, u in self.unions.items() if n in unions}

    def _held(self, layout):
        """Structs that a struct holds by value. Lists and maps are views and hold nothing."""
        held = []
        for field in layout["fields"]:
            type_ = by_value(field["type"])
            if kind(type_) == "struct":
                held.append(type_["struct"])
            elif kind(type_) == "union":
                held += self.unions[type_["union"]]["types"].values()
        return held

    def _reaches(self, start, goal):
        seen = set()
        todo = list(self._by_value[start])
        while todo:
            name = todo.pop()
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                todo += self._by_value[name]
        return False

    def named_in(self, type_):
        """The enums, structs and unions that a type names, members of unions included."""
        for each in self.types_in(type_):
            if kind(each) in ("enum", "struct", "union"):
                yield each[kind(each)]
            if kind(each) == "union":
                yield from self.unions[each["union"]]["types"].values()

    def _families(self):
        """Name of an enum, struct or union -> the package of the packets that lead to it, SHARED where they are of
        several. What a type names is in its own family or shared."""
        packages = {}
        for packet in self.packets.values():
            todo = [packet["name"]]
            while todo:
                name = todo.pop()
                if packet["package"] in packages.setdefault(name, set()):
                    continue
                packages[name].add(packet["package"])
                for field in self.layouts[name]["fields"] if name in self.layouts else ():
                    todo += self.named_in(field["type"])
        return {name: SHARED if len(of) > 1 else min(of) for name, of in packages.items()}

    def _sorted(self):
        order, begun = [], set()

        def visit(name):
            if name in begun:
                return
            begun.add(name)
            layout = self.layouts[name]
            for field in layout["fields"]:
                if self.is_link(layout, field):
                    continue
                type_ = by_value(field["type"])
                if kind(type_) == "struct":
                    visit(type_["struct"])
                elif kind(type_) == "union":
                    for member in self.unions[type_["union"]]["types"].values():
                        visit(member)
            order.append(name)

        for name in sorted(self.layouts):
            visit(name)
        return order
