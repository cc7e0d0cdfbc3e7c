package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

// A schema file of protocol/schema, formats `hytale-wire/1` and `/2`: all that this client knows of a build.
type schema struct {
	build    string
	buildID  string
	version  int
	hash     string
	crc      int64
	number   int64
	packets  map[string]*layout
	byID     map[int]*layout
	structs  map[string]*layout
	enums    map[string]*enum
	unions   map[string]*union
	isFinite bool // floats that are not finite are refused
}

// A struct or a packet.
type layout struct {
	name      string
	nullBytes int
	fixed     int
	varCount  int
	varStart  int
	max       int
	fields    []*field
	place     map[string]int

	// Of packets only.
	id         int
	direction  string // empty in builds that do not know any
	channel    string // likewise
	compressed bool
	group      string
}

type field struct {
	name     string
	at       int // in the fixed block, or -1
	slotAt   int // or -1
	bit      int // of a bool that shares its byte, or -1
	null     int // presence bit, or -1
	minValue *int64
	maxValue *int64
	kind     *kind
}

func (f *field) isFixed() bool { return f.at >= 0 }

type enum struct {
	values  []string
	numbers map[string]int
}

type union struct {
	types map[int]*layout
	ids   map[*layout]int
}

// What a field holds. `name` is the primitive, or the first key of the object in the schema.
type kind struct {
	name   string
	enum   *enum
	isWide bool // an enum of four bytes
	layout *layout
	union  *union
	ascii  bool
	max    int
	sparse bool
	item   *kind
	key    *kind
}

// Bytes in the fixed block.
func (k *kind) size() int {
	switch k.name {
	case "bool", "i8":
		return 1
	case "i16":
		return 2
	case "i32", "f32":
		return 4
	case "i64", "f64":
		return 8
	case "uuid":
		return 16
	case "enum":
		if k.isWide {
			return 4
		}
		return 1
	case "struct":
		return k.layout.fixed
	case "fixedString":
		return k.max
	case "fixedArray":
		return k.max * k.item.size()
	}
	panic("no fixed size: " + k.name)
}

type schemaFile struct {
	Build    string
	BuildID  string
	Protocol struct {
		Hash        string
		Crc         int64
		Version     int
		BuildNumber int64
	}
	Wire  struct{ Floats string }
	Enums map[string]struct {
		Values []string
		Flags  json.RawMessage
	}
	Unions  map[string]struct{ Types map[string]string }
	Structs map[string]*layoutFile
	Packets map[string]*layoutFile
}

type layoutFile struct {
	ID         int
	Direction  string
	Channel    string
	Compressed bool
	Package    string
	NullBytes  int
	Fixed      int
	VarCount   int
	VarStart   int
	Max        int
	Fields     []struct {
		Name     string
		At       *int
		SlotAt   *int
		Bit      *int
		Null     *int
		MinValue *int64
		MaxValue *int64
		Type     json.RawMessage
	}
}

func orNone(number *int) int {
	if number == nil {
		return -1
	}
	return *number
}

func loadSchema(path string) (*schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file schemaFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &schema{build: file.Build, buildID: file.BuildID, version: file.Protocol.Version, hash: file.Protocol.Hash,
		crc: file.Protocol.Crc, number: file.Protocol.BuildNumber, packets: map[string]*layout{}, byID: map[int]*layout{},
		structs: map[string]*layout{}, enums: map[string]*enum{}, unions: map[string]*union{},
		isFinite: file.Wire.Floats != ""}
	for name, found := range file.Enums {
		made := &enum{values: found.Values, numbers: map[string]int{}}
		for number, value := range found.Values {
			made.numbers[value] = number
		}
		if found.Flags == nil { // flags travel as plain bytes
			s.enums[name] = made
		}
	}
	// Names first: a struct may hold any other, and itself.
	for name := range file.Structs {
		s.structs[name] = &layout{name: name}
	}
	for name := range file.Packets {
		s.packets[name] = &layout{name: name}
	}
	for name, found := range file.Unions {
		made := &union{types: map[int]*layout{}, ids: map[*layout]int{}}
		for id, member := range found.Types {
			number, err := strconv.Atoi(id)
			if err != nil {
				return nil, err
			}
			made.types[number] = s.structs[member]
			made.ids[s.structs[member]] = number
		}
		s.unions[name] = made
	}
	for name, found := range file.Structs {
		if err := s.fill(s.structs[name], found); err != nil {
			return nil, err
		}
	}
	for name, found := range file.Packets {
		if err := s.fill(s.packets[name], found); err != nil {
			return nil, err
		}
		s.byID[found.ID] = s.packets[name]
	}
	return s, nil
}

func (s *schema) fill(to *layout, from *layoutFile) error {
	to.id, to.direction, to.channel, to.compressed, to.group = from.ID, from.Direction, from.Channel, from.Compressed, from.Package
	to.nullBytes, to.fixed, to.varCount, to.varStart, to.max = from.NullBytes, from.Fixed, from.VarCount, from.VarStart, from.Max
	to.place = map[string]int{}
	for number, found := range from.Fields {
		made, err := s.kind(found.Type)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", to.name, found.Name, err)
		}
		to.place[found.Name] = number
		to.fields = append(to.fields, &field{name: found.Name, at: orNone(found.At), slotAt: orNone(found.SlotAt),
			bit: orNone(found.Bit), null: orNone(found.Null), minValue: found.MinValue, maxValue: found.MaxValue, kind: made})
	}
	return nil
}

func (s *schema) kind(text json.RawMessage) (*kind, error) {
	var name string
	if json.Unmarshal(text, &name) == nil {
		return &kind{name: name}, nil
	}
	var found struct {
		Enum, Struct, Union, String, FixedString string
		Wire                                     string
		Array, FixedArray                        json.RawMessage
		Map                                      []json.RawMessage
		Max, Len                                 int
		Sparse                                   bool
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, err
	}
	var err error
	item := func(text json.RawMessage) *kind {
		made, problem := s.kind(text)
		if problem != nil {
			err = problem
		}
		return made
	}
	switch {
	case found.Enum != "" && s.enums[found.Enum] == nil:
		return &kind{name: "i8"}, nil
	case found.Enum != "":
		return &kind{name: "enum", enum: s.enums[found.Enum], isWide: found.Wire == "i32"}, nil
	case found.Struct != "" && s.structs[found.Struct] != nil:
		return &kind{name: "struct", layout: s.structs[found.Struct]}, nil
	case found.Struct != "" && s.packets[found.Struct] != nil:
		return &kind{name: "struct", layout: s.packets[found.Struct]}, nil
	case found.Union != "" && s.unions[found.Union] != nil:
		return &kind{name: "union", union: s.unions[found.Union]}, nil
	case found.String != "":
		return &kind{name: "string", ascii: found.String == "ascii", max: found.Max}, nil
	case found.FixedString != "":
		return &kind{name: "fixedString", ascii: true, max: found.Len}, nil
	case found.Array != nil:
		return &kind{name: "array", item: item(found.Array), max: found.Max, sparse: found.Sparse}, err
	case found.FixedArray != nil:
		return &kind{name: "fixedArray", item: item(found.FixedArray), max: found.Len}, err
	case len(found.Map) == 2:
		return &kind{name: "map", key: item(found.Map[0]), item: item(found.Map[1]), max: found.Max}, err
	}
	return nil, fmt.Errorf("unknown type %s", text)
}

func (s *schema) packet(name string) *layout {
	found := s.packets[name]
	if found == nil {
		panic(fmt.Sprintf("build %s has no packet %s", s.build, name))
	}
	return found
}
