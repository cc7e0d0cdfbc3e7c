package main

import (
	"encoding/binary"
	"fmt"
	"math"
)

// What a field of a struct is to be; those that are not named are absent, or zero where they cannot be.
type fields map[string]any

// A record from fields, and from fields within them. A name that the build does not have is a mistake of the test.
func (l *layout) make(from fields) *record {
	made := &record{l, make([]any, len(l.fields))}
	for name := range from {
		if _, found := l.place[name]; !found {
			panic(fmt.Sprintf("%s has no field %s", l.name, name))
		}
	}
	for i, f := range l.fields {
		if value, found := from[f.name]; found && value != nil {
			made.fields[i] = f.kind.take(value)
		} else if f.null < 0 {
			made.fields[i] = f.kind.zero()
		}
	}
	return made
}

func (k *kind) take(value any) any {
	switch v := value.(type) {
	case fields:
		return k.layout.make(v)
	case int:
		switch k.name {
		case "f32":
			return float32(v)
		case "f64":
			return float64(v)
		}
		return int64(v)
	case float64:
		if k.name == "f32" {
			return float32(v)
		}
	case []any:
		taken := make([]any, len(v))
		for i, item := range v {
			if item != nil {
				taken[i] = k.item.take(item)
			}
		}
		return taken
	}
	return value
}

func (k *kind) zero() any {
	switch k.name {
	case "bool":
		return false
	case "i8", "i16", "i32", "i64":
		return int64(0)
	case "f32":
		return float32(0)
	case "f64":
		return float64(0)
	case "uuid":
		return uuid{}
	case "enum":
		return k.enum.values[0]
	case "struct":
		return k.layout.make(nil)
	case "string", "fixedString":
		return ""
	case "array":
		if k.item.name == "i8" {
			return []byte{}
		}
		return []any{}
	case "map":
		return entries{}
	}
	panic("nothing stands for zero: " + k.name)
}

// The one way in which a writer writes it.
func encode(value *record) []byte { return appendRecord(nil, value) }

func appendRecord(out []byte, value *record) []byte {
	l, begin := value.layout, len(out)
	out = append(out, make([]byte, l.varStart)...)
	for i, f := range l.fields {
		isThere := value.fields[i] != nil
		if isThere && f.null >= 0 {
			out[begin+f.null/8] |= 1 << (f.null % 8)
		}
		switch {
		case f.bit >= 0:
			if value.fields[i].(bool) {
				out[begin+f.at] |= 1 << f.bit
			}
		case f.isFixed():
			if isThere {
				copy(out[begin+f.at:], appendValue(nil, f.kind, value.fields[i]))
			}
		default:
			offset := len(out) - begin - l.varStart
			if !isThere {
				offset = -1
			}
			if f.slotAt >= 0 {
				binary.LittleEndian.PutUint32(out[begin+f.slotAt:], uint32(int32(offset)))
			}
			if isThere {
				out = appendValue(out, f.kind, value.fields[i])
			}
		}
	}
	return out
}

func appendCount(out []byte, count int) []byte {
	for ; count > 0x7f; count >>= 7 {
		out = append(out, byte(count)|0x80)
	}
	return append(out, byte(count))
}

func appendValue(out []byte, k *kind, value any) []byte {
	switch k.name {
	case "bool":
		if value.(bool) {
			return append(out, 1)
		}
		return append(out, 0)
	case "i8":
		return append(out, byte(value.(int64)))
	case "i16":
		return binary.LittleEndian.AppendUint16(out, uint16(value.(int64)))
	case "i32":
		return binary.LittleEndian.AppendUint32(out, uint32(value.(int64)))
	case "i64":
		return binary.LittleEndian.AppendUint64(out, uint64(value.(int64)))
	case "f32":
		return binary.LittleEndian.AppendUint32(out, math.Float32bits(value.(float32)))
	case "f64":
		return binary.LittleEndian.AppendUint64(out, math.Float64bits(value.(float64)))
	case "uuid":
		id := value.(uuid)
		return append(out, id[:]...)
	case "enum":
		number, found := k.enum.numbers[value.(string)]
		if !found {
			panic(fmt.Sprintf("an enum has no value %v", value))
		}
		if k.isWide {
			return binary.LittleEndian.AppendUint32(out, uint32(number))
		}
		return append(out, byte(number))
	case "struct":
		return appendRecord(out, value.(*record))
	case "union":
		member := value.(*record)
		return appendRecord(appendCount(out, k.union.ids[member.layout]), member)
	case "string":
		return append(appendCount(out, len(value.(string))), value.(string)...)
	case "fixedString":
		return append(append(out, value.(string)...), make([]byte, k.max-len(value.(string)))...)
	case "array", "fixedArray":
		return appendList(out, k, value)
	case "map":
		out = appendCount(out, len(value.(entries)))
		for _, found := range value.(entries) {
			out = appendValue(appendValue(out, k.key, found.key), k.item, found.value)
		}
		return out
	}
	panic("no such kind: " + k.name)
}

func appendList(out []byte, k *kind, value any) []byte {
	if bytes, isBytes := value.([]byte); isBytes {
		if k.name == "array" {
			out = appendCount(out, len(bytes))
		}
		return append(out, bytes...)
	}
	list := value.([]any)
	if k.name == "array" {
		out = appendCount(out, len(list))
	}
	if k.sparse {
		present := make([]byte, (len(list)+7)/8)
		for i, item := range list {
			if item != nil {
				present[i/8] |= 1 << (i % 8)
			}
		}
		out = append(out, present...)
	}
	for _, item := range list {
		if item != nil {
			out = appendValue(out, k.item, item)
		}
	}
	return out
}
