package main

import "encoding/binary"

// The blocks of a section as `SetChunk` has them: a palette, then a key for each cell.
type section struct {
	cells func(index int) int
	ids   map[int]int64
}

const cellsOfSection = 1 << 15

func (p *player) parseSection(data []byte) section {
	if len(data) == 0 || data[0] == 0 {
		return section{func(int) int { return 0 }, map[int]int64{0: 0}}
	}
	kind, count, at := data[0], int(binary.LittleEndian.Uint16(data[1:])), 3
	found := section{ids: map[int]int64{}}
	for i := 0; i < count; i++ {
		key := int(data[at])
		at++
		if kind == 3 {
			key |= int(data[at]) << 8
			at++
		}
		found.ids[key] = int64(int32(binary.LittleEndian.Uint32(data[at:])))
		at += 6 // and how many cells have it
	}
	cells := data[at:]
	switch kind {
	case 1:
		found.cells = func(i int) int { return int(cells[i/2]>>(4*(1-i%2))) & 15 }
	case 2:
		found.cells = func(i int) int { return int(cells[i]) }
	case 3:
		found.cells = func(i int) int { return int(binary.LittleEndian.Uint16(cells[2*i:])) }
	default:
		p.fail("a palette of type %d", kind)
	}
	return found
}

// The highest block of a column that is not empty.
func (p *player) ground(x, z int64) blockPos {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	sections := p.sections[column{x >> 5, z >> 5}]
	for y := int64(len(sections)) - 1; y >= 0; y-- {
		found := p.parseSection(sections[y])
		for local := int64(31); local >= 0; local-- {
			if found.ids[found.cells(int(local<<10|(z&31)<<5|x&31))] != 0 {
				return blockPos{x, y<<5 | local, z}
			}
		}
	}
	p.fail("the column at %d, %d is empty", x, z)
	return blockPos{}
}

// Every block in the columns was announced.
func (p *player) checkBlockNumbers() {
	announced := map[int64]bool{}
	for _, known := range p.told("UpdateBlockTypes").entries("blockTypes") {
		announced[known.key.(int64)] = true
	}
	if len(announced) < 1000 {
		p.fail("%d blocks were announced", len(announced))
	}
	for at, sections := range p.sections {
		for y, data := range sections {
			for _, id := range p.parseSection(data).ids {
				if !announced[id] {
					p.fail("section %d of column %v has block %d, which was not announced", y, at, id)
				}
			}
		}
	}
}
