package main

import (
	"fmt"
	"strconv"
)

// Values of packets: nil (absent), bool, int64, float32, float64, string (texts and names of enums), uuid, []byte
// (lists of i8), []any (other lists, nil where a sparse one has nothing), entries (maps, in the order of the wire) and
// *record (structs and members of unions).
type uuid [16]byte

type entry struct{ key, value any }

type entries []entry

type record struct {
	layout *layout
	fields []any
}

// A field that the build has; asking for another is a mistake of the test.
func (r *record) get(name string) any {
	place, found := r.layout.place[name]
	if !found {
		panic(fmt.Sprintf("%s has no field %s", r.layout.name, name))
	}
	return r.fields[place]
}

func (r *record) has(name string) bool {
	_, found := r.layout.place[name]
	return found
}

func (r *record) number(name string) int64 { return r.get(name).(int64) }

// A struct that is present.
func (r *record) sub(name string) *record {
	found, _ := r.get(name).(*record)
	if found == nil {
		panic(fmt.Sprintf("%s.%s is absent", r.layout.name, name))
	}
	return found
}

func (r *record) list(name string) []any {
	found, _ := r.get(name).([]any)
	return found
}

func (r *record) entries(name string) entries {
	found, _ := r.get(name).(entries)
	return found
}

func (e entries) find(key any) any {
	for _, found := range e {
		if found.key == key {
			return found.value
		}
	}
	return nil
}

// A value as the lists of expected values write it.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		if v == none {
			return "none"
		}
		return strconv.FormatInt(v, 10)
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 32)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	case uuid:
		return fmt.Sprintf("%x", v[:])
	case []byte:
		return fmt.Sprintf("%d bytes", len(v))
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return fmt.Sprintf("list of %d", len(v))
	case entries:
		if len(v) == 0 {
			return "{}"
		}
		return fmt.Sprintf("map of %d", len(v))
	case *record:
		return v.layout.name
	}
	panic(fmt.Sprintf("a value of type %T", value))
}

// The number for "no entry".
const none = -1 << 31
