package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// Reads a payload as strictly as it can be read. That nothing but what a writer writes is accepted (all bytes used,
// shortest counts, unused bits and absent fields zero) is shown by writing the value again: read in frame.go.
type decoder struct {
	bytes    []byte
	isFinite bool
}

type fault struct{ text string }

func refuse(format string, values ...any) { panic(fault{fmt.Sprintf(format, values...)}) }

func decode(s *schema, l *layout, payload []byte) (value *record, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			found, isFault := problem.(fault)
			if !isFault {
				panic(problem)
			}
			err = fmt.Errorf("%s: %s", l.name, found.text)
		}
	}()
	d := &decoder{payload, s.isFinite}
	value, end := d.record(l, 0)
	if end != len(payload) {
		refuse("%d bytes left over", len(payload)-end)
	}
	return value, nil
}

func (d *decoder) need(at, count int) []byte {
	if at < 0 || count < 0 || count > len(d.bytes)-at {
		refuse("it ends at %d, before byte %d", len(d.bytes), at+count)
	}
	return d.bytes[at : at+count]
}

func (d *decoder) count(at, max int) (int, int) {
	var value uint64
	for i := 0; i < 5; i++ {
		b := d.need(at+i, 1)[0]
		value |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			if value > math.MaxInt32 || int(value) > max {
				refuse("a count of %d at %d, at most %d", value, at, max)
			}
			return int(value), at + i + 1
		}
	}
	refuse("a count without end at %d", at)
	return 0, 0
}

func (d *decoder) record(l *layout, at int) (*record, int) {
	made := &record{l, make([]any, len(l.fields))}
	head := d.need(at, l.varStart)
	end := at + l.varStart
	for i, f := range l.fields {
		isThere := f.null < 0 || head[f.null/8]&(1<<(f.null%8)) != 0
		switch {
		case !isThere:
			if f.slotAt >= 0 && int32(binary.LittleEndian.Uint32(head[f.slotAt:])) != -1 {
				refuse("%s.%s is absent and has an offset", l.name, f.name)
			}
		case f.bit >= 0:
			made.fields[i] = head[f.at]&(1<<f.bit) != 0
		case f.isFixed():
			made.fields[i], _ = d.value(f.kind, at+f.at)
		default:
			if f.slotAt >= 0 {
				offset := int(int32(binary.LittleEndian.Uint32(head[f.slotAt:])))
				if at+l.varStart+offset != end {
					refuse("%s.%s is at %d instead of right behind the field before it, at %d", l.name, f.name, offset,
						end-at-l.varStart)
				}
			}
			made.fields[i], end = d.value(f.kind, end)
		}
		if number, isNumber := made.fields[i].(int64); isNumber &&
			(f.minValue != nil && number < *f.minValue || f.maxValue != nil && number > *f.maxValue) {
			refuse("%s.%s is %d, beyond its limits", l.name, f.name, number)
		}
	}
	return made, end
}

func (d *decoder) checkText(bytes []byte, ascii bool) string {
	if !utf8.Valid(bytes) {
		refuse("text that is not UTF-8: %q", bytes)
	}
	for _, b := range bytes {
		if ascii && b > 127 {
			refuse("text that is not ASCII: %q", bytes)
		}
	}
	return string(bytes)
}

func (d *decoder) value(k *kind, at int) (any, int) {
	switch k.name {
	case "bool":
		b := d.need(at, 1)[0]
		if b > 1 {
			refuse("a bool of %d", b)
		}
		return b == 1, at + 1
	case "i8":
		return int64(int8(d.need(at, 1)[0])), at + 1
	case "i16":
		return int64(int16(binary.LittleEndian.Uint16(d.need(at, 2)))), at + 2
	case "i32":
		return int64(int32(binary.LittleEndian.Uint32(d.need(at, 4)))), at + 4
	case "i64":
		return int64(binary.LittleEndian.Uint64(d.need(at, 8))), at + 8
	case "f32":
		found := math.Float32frombits(binary.LittleEndian.Uint32(d.need(at, 4)))
		d.checkFinite(float64(found))
		return found, at + 4
	case "f64":
		found := math.Float64frombits(binary.LittleEndian.Uint64(d.need(at, 8)))
		d.checkFinite(found)
		return found, at + 8
	case "uuid":
		var found uuid
		copy(found[:], d.need(at, 16))
		return found, at + 16
	case "enum":
		number := int64(d.need(at, 1)[0])
		if k.isWide {
			number = int64(int32(binary.LittleEndian.Uint32(d.need(at, 4))))
		}
		if number < 0 || number >= int64(len(k.enum.values)) {
			refuse("an enum of %d at %d, it has %d values", number, at, len(k.enum.values))
		}
		return k.enum.values[number], at + k.size()
	case "struct":
		return d.record(k.layout, at)
	case "union":
		id, at := d.count(at, math.MaxInt32)
		member := k.union.types[id]
		if member == nil {
			refuse("a union of type %d", id)
		}
		return d.record(member, at)
	case "string":
		length, at := d.count(at, k.max)
		return d.checkText(d.need(at, length), k.ascii), at + length
	case "fixedString":
		bytes := d.need(at, k.max)
		length := len(bytes)
		for length > 0 && bytes[length-1] == 0 {
			length--
		}
		return d.checkText(bytes[:length], true), at + k.max
	case "array":
		return d.list(k, at)
	case "fixedArray":
		if k.item.name == "i8" {
			return d.need(at, k.max), at + k.max
		}
		found := make([]any, k.max)
		for i := range found {
			found[i], at = d.value(k.item, at)
		}
		return found, at
	case "map":
		return d.entries(k, at)
	}
	panic("no such kind: " + k.name)
}

func (d *decoder) checkFinite(value float64) {
	if d.isFinite && (math.IsNaN(value) || math.IsInf(value, 0)) {
		refuse("a float that is not finite")
	}
}

func (d *decoder) list(k *kind, at int) (any, int) {
	count, at := d.count(at, k.max)
	if k.item.name == "i8" {
		return d.need(at, count), at + count
	}
	var present []byte
	if k.sparse {
		present = d.need(at, (count+7)/8)
		at += len(present)
	} else {
		d.need(at, count) // no element takes less than a byte
	}
	found := make([]any, count)
	for i := range found {
		if present == nil || present[i/8]&(1<<(i%8)) != 0 {
			found[i], at = d.value(k.item, at)
		}
	}
	return found, at
}

func (d *decoder) entries(k *kind, at int) (any, int) {
	count, at := d.count(at, k.max)
	d.need(at, count)
	found := make(entries, count)
	keys := make(map[string]bool, count) // as they are written: 0 and -0 are two
	for i := range found {
		found[i].key, at = d.value(k.key, at)
		found[i].value, at = d.value(k.item, at)
		written := string(appendValue(nil, k.key, found[i].key))
		if keys[written] {
			refuse("the key %s twice", text(found[i].key))
		}
		keys[written] = true
	}
	return found, at
}
