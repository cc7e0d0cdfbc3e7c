package main

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/lucas-clemente/quic-go"
)

const (
	viewRadius    = 96 // blocks
	wantedColumns = 20
	item          = "Rock_Stone"
	hotbar        = -1
	slot          = 3 // of the hotbar
	quantity      = 5
)

// What a player does, for all others to see.
type deeds struct {
	placed, broken blockPos
	end            point // of its walk
	words          string
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// Joins, does what players do, sees what all others do, and leaves.
func (p *player) visit(address string, all *group, number int) {
	p.connect(address)
	p.sayWhoItIs()
	p.setUp()
	stone := p.waitForWorld()
	at := p.ownPlace()
	x := int64(math.Floor(at.x)) + int64(2*number-all.size())
	z := int64(math.Floor(at.z))
	ground := p.ground(x, z+1)
	own := deeds{placed: blockPos{x, ground.y + 1, z + 1}, broken: p.ground(x, z-1),
		end:   point{at.x + 0.75 + 0.125*float64(number), at.y + 0.25, at.z + 0.5},
		words: "hello from a client of " + p.schema.build}
	others := all.meet(number, p.clientID, own)
	p.build(own, stone)
	p.walk(own, at)
	p.send("ChatMessage", fields{"message": own.words})
	for other, deed := range others {
		p.seeDeeds(other, deed, stone)
	}
	p.wait("a tile of the map and two pings", func() bool { return p.tiles > 0 && p.counts["Ping"] > 1 })
	all.meet(number, p.clientID, own) // nobody leaves before all have seen all
	p.leave()
}

func (p *player) sayWhoItIs() {
	connect := p.schema.packet("Connect")
	said := fields{"clientType": "Game", "language": "en-US"}
	known := fields{"protocolHash": p.schema.hash, "protocolCrc": p.schema.crc, "protocolBuildNumber": p.schema.number,
		"clientVersion": p.schema.buildID[:min(20, len(p.schema.buildID))], "uuid": p.uuid, "username": p.name}
	for name, value := range known {
		if _, found := connect.place[name]; found {
			said[name] = value
		}
	}
	p.send("Connect", said)
	if _, saysWho := connect.place["uuid"]; !saysWho {
		p.waitFor("RequestInsecurePlayerOptions")
		p.send("InsecurePlayerOptions", fields{"uuid": p.uuid, "username": p.name})
	}
}

func (p *player) setUp() {
	p.waitFor("ServerInfo")
	p.send("RequestAssets", fields{"assets": []any{}})
	p.waitFor("WorldLoadFinished")
	p.send("ViewRadius", fields{"value": viewRadius})
	if p.schema.packets["SetupFinalize"] != nil {
		p.send("SetupFinalize", nil)
	} else {
		p.send("PlayerOptions", nil)
	}
	p.waitFor("JoinWorld")
	p.send("ClientReady", fields{"readyForChunks": true})
}

// Sections of a column: the height is the world's, or in older builds the game's.
func (p *player) sectionsOfColumn() int {
	const side = 32
	if settings := p.told("WorldSettings"); settings.has("worldHeight") {
		return int(settings.number("worldHeight")) / side
	}
	join := p.told("JoinWorld")
	lowest, isLow := join.get("minSectionY").(int64)
	highest, isHigh := join.get("maxSectionY").(int64)
	if !isLow || !isHigh {
		return 320 / side
	}
	return int(highest - lowest + 1)
}

func (p *player) ownPlace() point {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	at, isThere := p.places[p.clientID]
	if !isThere {
		p.fail("the player was not told where it is")
	}
	return at
}

// Waits for the own entity and the columns around; the number of the block that is built with.
func (p *player) waitForWorld() int64 {
	p.waitFor("UpdateWorldMapSettings")
	p.waitFor("ClearWorldMap")
	sections := p.sectionsOfColumn()
	p.wait("the columns around", func() bool {
		whole := 0
		for _, found := range p.sections {
			if len(found) == sections {
				whole++
			}
		}
		return whole >= wantedColumns
	})
	p.send("ClientReady", fields{"readyForChunks": true, "readyForGameplay": true})
	stone, found := p.told("UpdateItems").entries("items").find(item).(*record)
	if !found || stone.number("blockId") == 0 {
		p.fail("there is no item %s with a block", item)
	}
	return stone.number("blockId")
}

func (p *player) build(own deeds, stone int64) {
	p.send("SetCreativeItem", fields{"inventorySectionId": hotbar, "slotId": slot, "override": true,
		"item": fields{"itemId": item, "quantity": quantity}})
	p.wait("the new item in the inventory", func() bool {
		for i := len(p.log) - 1; i >= 0; i-- {
			if packet := p.log[i].packet; p.log[i].toUs && packet.layout.name == "UpdatePlayerInventory" {
				stack, _ := packet.sub("hotbar").entries("items").find(int64(slot)).(*record)
				return stack != nil && stack.get("itemId") == item && stack.number("quantity") == quantity
			}
		}
		return false
	})
	p.chooseSlot(0, slot, "")
	p.wait("the item in the hand", func() bool { return p.inHand[p.clientID] == item })
	p.place(own.placed, item, slot, stone)
	p.breakBlock(own.broken, item, slot)
}

// One step to a position, and two in parts of a block from there.
func (p *player) walk(own deeds, from point) {
	const step = 1250 // of 10,000 in a block
	states := fields{"walking": true, "onGround": true}
	begin := point{own.end.x - 2*step/10000.0, own.end.y, own.end.z}
	p.send("ClientMovement", fields{"movementStates": states, "bodyOrientation": fields{"yaw": 0.5},
		"absolutePosition": fields{"x": begin.x, "y": begin.y, "z": begin.z}, "lookOrientation": fields{"yaw": 0.5}})
	for i := 0; i < 2; i++ {
		p.send("ClientMovement", fields{"movementStates": states, "relativePosition": fields{"x": step}})
	}
}

func near(a, b point) bool {
	return math.Abs(a.x-b.x) < 1e-6 && math.Abs(a.y-b.y) < 1e-6 && math.Abs(a.z-b.z) < 1e-6
}

// What another player, or this one, has done must be seen here too. The own walk is not told to who walks.
func (p *player) seeDeeds(who int64, deed deeds, stone int64) {
	p.waitForBlock(deed.placed, stone)
	p.waitForBlock(deed.broken, 0)
	if who != p.clientID {
		p.wait("the walk of another", func() bool { return near(p.places[who], deed.end) })
	}
	p.wait("the words of another", func() bool {
		for _, line := range p.said {
			if mentions(line, deed.words) {
				return true
			}
		}
		return false
	})
}

// Leaves as a client does; the server answers by closing the connection.
func (p *player) leave() {
	if p.schema.packets["ClientDisconnect"] != nil {
		p.send("ClientDisconnect", fields{"reason": "PlayerLeave", "type": "Disconnect"})
	} else {
		p.send("Disconnect", fields{"type": "Disconnect", "reason": "Player leave"})
	}
	var closed *quic.ApplicationError
	p.wait("the end of the connection", func() bool { return p.ended != nil && errors.As(p.ended, &closed) })
	if !closed.Remote || closed.ErrorCode != 0 || closed.ErrorMessage != "" {
		p.fail("the server closed with %v", closed)
	}
}

// Reads again all that was told, when nothing more comes.
func (p *player) review(rules []*rule, order [][]string) (told string, problems []error) {
	p.readers.Wait()
	first := map[string]any{}
	for name, packet := range p.first {
		first[name] = packet
	}
	p.checkBlockNumbers()
	own, err := p.ownComponents(p.told("EntityUpdates"))
	if err != nil {
		return p.schema.build, []error{err}
	}
	first[ownEntity] = own
	problems = append(problems, p.checkWhole(own)...)
	skipped, found := checkRules(p.schema, rules, first)
	problems = append(problems, found...)
	missing, found := p.checkOrder(order)
	problems = append(problems, found...)
	packets, kinds := 0, len(p.counts)
	for _, count := range p.counts {
		packets += count
	}
	told = fmt.Sprintf("%s: %d packets of %d kinds, %d columns, %d rules compared", p.schema.build, packets, kinds,
		len(p.sections), len(rules)-len(skipped))
	if skipped = append(skipped, missing...); len(skipped) > 0 {
		sort.Strings(skipped)
		told += "; not in this build: " + strings.Join(skipped, ", ")
	}
	return told, problems
}

// What a list of rules cannot say: maps that have an entry for each value of an enum or each entry of a registry, and
// what is told in several packets.
func (p *player) checkWhole(own entries) (problems []error) {
	features := p.told("UpdateFeatures")
	for _, name := range features.layout.fields[0].kind.key.enum.values {
		if features.entries("features").find(name) != true {
			problems = append(problems, fmt.Errorf("UpdateFeatures: %s is not true", name))
		}
	}
	stats := entries{}
	if component, isThere := own.find("EntityStats").(*record); isThere {
		stats = component.entries("entityStatUpdates")
	}
	for _, known := range p.told("UpdateEntityStatTypes").entries("types") {
		updates, _ := stats.find(known.key).([]any)
		if len(updates) != 1 {
			problems = append(problems, fmt.Errorf("the own entity has %d values of stat %v", len(updates), known.key))
		}
	}
	slots := ""
	for _, came := range p.log {
		packet := came.packet
		switch name := packet.layout.name; {
		case !came.toUs || !p.isOwn(packet):
		case name == "SetActiveSlot":
			slots += fmt.Sprintf("%d:%d ", packet.number("inventorySectionId"), packet.number("activeSlot"))
		case name == "AddToServerPlayerList" && p.ownEntry(packet).get("username") != p.name:
			problems = append(problems, errors.New("the list of players has another name for this one"))
		case name == "UpdateServerPlayerList" && p.ownEntry(packet).get("worldUuid") != p.told("JoinWorld").get("worldUuid"):
			problems = append(problems, errors.New("the list of players has another world for this one"))
		}
	}
	if slots != "-1:0 -5:-1 -8:-1 " {
		problems = append(problems, fmt.Errorf("active slots are %s", slots))
	}
	if len(p.chains.cancelled) > 0 {
		problems = append(problems, fmt.Errorf("chains %v were cancelled", p.chains.cancelled))
	}
	return problems
}
