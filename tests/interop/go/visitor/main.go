// Clients of all builds of the game that are made of quic-go and the schemas alone: no line of them is shared with
// orbis. docs/design/interop.md says what they do.
//
//	visitor visit HOST:PORT SCHEMAS RULES [--tell=BUILD] BUILD…    RULES has always.txt and join.txt
//	visitor replay SCHEMA VECTORS…                                 vectors as JSON lines
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "visitor:", err)
		os.Exit(1)
	}
	return value
}

// Players that do some things together.
type group struct {
	players []*player
	mutex   sync.Mutex
	changed *sync.Cond
	arrived int
	deeds   map[int64]deeds
	problem bool
}

func (g *group) size() int { return len(g.players) }

func (g *group) hasFailed() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.problem
}

func (g *group) fail() {
	g.mutex.Lock()
	g.problem = true
	g.mutex.Unlock()
	g.changed.Broadcast()
	for _, p := range g.players {
		p.changed.Broadcast()
	}
}

// Waits until all are here, and hands out what each of them will do.
func (g *group) meet(number int, id int64, own deeds) map[int64]deeds {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.deeds[id] = own
	g.arrived++
	round := (g.arrived + g.size() - 1) / g.size()
	g.changed.Broadcast()
	for g.arrived < round*g.size() && !g.problem {
		g.changed.Wait()
	}
	if g.problem {
		g.players[number].fail("another client has failed")
	}
	all := map[int64]deeds{}
	for who, deed := range g.deeds {
		all[who] = deed
	}
	return all
}

// Runs it, and hands back why it could not go on.
func attempt(run func()) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			found, isFailure := problem.(failure)
			if !isFailure {
				panic(problem)
			}
			err = fmt.Errorf("%s", found.text)
		}
	}()
	run()
	return nil
}

func visitAll(address, schemas, rulesFolder, tells string, builds []string) bool {
	rules := must(loadRules(filepath.Join(rulesFolder, "always.txt")))
	order := must(loadOrder(filepath.Join(rulesFolder, "join.txt")))
	usual := must(loadSchema(filepath.Join(schemas, "2026.02.17.json")))
	for _, r := range rules {
		if _, isThere := usual.follow(r); !isThere {
			must(0, fmt.Errorf("always.txt: build %s has no %s", usual.build, r))
		}
	}
	all := &group{deeds: map[int64]deeds{}}
	all.changed = sync.NewCond(&all.mutex)
	for number, build := range builds {
		all.players = append(all.players, newPlayer(must(loadSchema(filepath.Join(schemas, build+".json"))), number, all.hasFailed))
	}
	results := make([]string, len(builds)+1)
	var running sync.WaitGroup
	var isWrong bool
	var mutex sync.Mutex
	report := func(number int, told string, problems ...error) {
		mutex.Lock()
		defer mutex.Unlock()
		results[number] = told
		for _, problem := range problems {
			if problem != nil {
				isWrong = true
				results[number] += fmt.Sprintf("\n    FAILED %v", problem)
			}
		}
	}
	for number, p := range all.players {
		number, p := number, p
		running.Add(1)
		go func() {
			defer running.Done()
			if err := attempt(func() { p.visit(address, all, number) }); err != nil {
				report(number, p.schema.build, err)
				all.fail()
				return
			}
			var told string
			var problems []error
			err := attempt(func() { told, problems = p.review(rules, order) })
			report(number, told, append(problems, err)...)
		}()
	}
	running.Add(1)
	go func() {
		defer running.Done()
		told, err := beRefused(address, usual, builds)
		report(len(builds), told, err)
	}()
	running.Wait()
	for _, p := range all.players {
		if p.schema.build == tells {
			p.tell()
		}
	}
	fmt.Println(strings.Join(results, "\n"))
	return !isWrong
}

func main() {
	debug.SetGCPercent(400) // it lives for seconds
	arguments := os.Args[1:]
	tells := ""
	for i, argument := range arguments {
		if strings.HasPrefix(argument, "--tell=") {
			tells = strings.TrimPrefix(argument, "--tell=")
			arguments = append(append([]string{}, arguments[:i]...), arguments[i+1:]...)
			break
		}
	}
	begin := time.Now()
	isRight := true
	switch {
	case len(arguments) > 4 && arguments[0] == "visit":
		isRight = visitAll(arguments[1], arguments[2], arguments[3], tells, arguments[4:])
	case len(arguments) > 2 && arguments[0] == "replay":
		s := must(loadSchema(arguments[1]))
		for _, path := range arguments[2:] {
			must(0, replay(s, path))
		}
	default:
		must(0, fmt.Errorf("usage: visitor visit HOST:PORT SCHEMAS RULES [--tell=BUILD] BUILD… | replay SCHEMA VECTORS…"))
	}
	fmt.Printf("%.1f s\n", time.Since(begin).Seconds())
	if !isRight {
		os.Exit(1)
	}
}
