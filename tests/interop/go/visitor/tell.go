package main

import "fmt"

// The session in short: milliseconds, who speaks on which stream, how many packets of a kind in a row, their bytes.
// Streams that were interleaved are told one after another.
func (p *player) tell() {
	type run struct {
		key   string
		ms    int64
		count int
		bytes int
	}
	var runs []*run
	all, seen := p.schema.registries(), 0
	for _, a := range p.log {
		arrow, name := "->", a.packet.layout.name
		if a.toUs {
			arrow = "<-"
		}
		if all[name] {
			if seen++; seen > 1 {
				name = "other registries"
			}
		}
		key := fmt.Sprintf("%s %d %s", arrow, a.stream, name)
		var same *run
		for i := len(runs) - 1; i >= 0 && i >= len(runs)-8 && same == nil; i-- {
			if runs[i].key == key {
				same = runs[i]
			}
		}
		if same == nil {
			same = &run{key: key, ms: a.at.Milliseconds()}
			runs = append(runs, same)
		}
		same.count++
		same.bytes += a.size
	}
	for _, r := range runs {
		times := ""
		if r.count > 1 {
			times = fmt.Sprintf(" x%d", r.count)
		}
		fmt.Printf("%6d %s%s (%d bytes)\n", r.ms, r.key, times, r.bytes)
	}
}
