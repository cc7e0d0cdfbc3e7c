package main

import (
	"fmt"
	"reflect"
)

// What hands do: programs that both sides make from the registries, and chains in which both tell what came of each
// operation (docs/formats/interactions.md).
type operation struct {
	kind   string // the struct of the interaction, or "jump"
	failed int    // where it goes on when it fails
}

// Answers of the server to a chain.
type chainState struct {
	answers []*record
	steps   map[int64]*record // by the number of the operation that was run: the last word
	state   string
}

type chains struct {
	last      int64
	all       map[int64]*chainState
	cancelled []int64
}

func (c *chains) note(packet *record) {
	for _, item := range packet.list("updates") {
		answer := item.(*record)
		if c.all == nil {
			c.all = map[int64]*chainState{}
		}
		id := answer.number("chainId")
		if c.all[id] == nil {
			c.all[id] = &chainState{steps: map[int64]*record{}}
		}
		chain := c.all[id]
		chain.answers = append(chain.answers, answer)
		chain.state = answer.get("state").(string)
		for i, step := range answer.list("interactionData") {
			if step != nil {
				chain.steps[answer.number("operationBaseIndex")+int64(i)] = step.(*record)
			}
		}
	}
}

// The root that an input begins with this item in the hand, or with nothing.
func (p *player) rootOf(input, item string) int64 {
	roots := p.told("UpdateUnarmedInteractions").entries("interactions")
	if item != "" {
		roots = p.told("UpdateItems").entries("items").find(item).(*record).entries("interactions")
	}
	root, found := roots.find(input).(int64)
	if !found {
		p.fail("nothing happens on %s with %q in the hand", input, item)
	}
	return root
}

// A root as a list of operations: an interaction, what comes next, and where it can fail a jump over what happens then.
func (p *player) compile(root int64) []operation {
	interactions := p.told("UpdateInteractions").entries("interactions")
	link := func(interaction *record, name string) int64 {
		if !interaction.has(name) { // this kind has none
			return none
		}
		return interaction.number(name)
	}
	var program []operation
	var add func(id int64)
	add = func(id int64) {
		interaction := interactions.find(id).(*record)
		at := len(program)
		program = append(program, operation{kind: interaction.layout.name})
		if next := link(interaction, "next"); next != none {
			add(next)
		}
		if failed := link(interaction, "failed"); failed != none {
			program = append(program, operation{kind: "jump"})
			program[at].failed = len(program)
			add(failed)
		}
	}
	for _, id := range p.told("UpdateRootInteractions").entries("interactions").find(root).(*record).list("interactions") {
		add(id.(int64))
	}
	return program
}

// What the client says of an operation, where nothing else is known.
func stepOf(root int64, counter int, state string, more fields) fields {
	step := fields{"state": state, "operationCounter": counter, "rootInteraction": root, "enteredRootInteraction": none,
		"placedBlockId": none, "chargeValue": -1, "chainingIndex": -1, "flagIndex": -1}
	for name, value := range more {
		step[name] = value
	}
	return step
}

// Sends what the client knows of a chain.
func (p *player) sendChain(id int64, isFirst bool, input, item string, slot int, data fields, state string, base int, steps ...any) {
	chain := fields{"initial": isFirst, "interactionType": input, "chainId": id, "activeHotbarSlot": slot, "equipSlot": slot,
		"activeUtilitySlot": -1, "activeToolsSlot": -1, "overrideRootInteraction": none, "data": data, "state": state,
		"operationBaseIndex": base, "interactionData": steps}
	if item != "" {
		chain["itemInHandId"] = item
	}
	p.send("SyncInteractionChains", fields{"updates": []any{chain}})
}

func aimedAt(pos blockPos) fields {
	return fields{"entityId": -1, "targetSlot": none, "blockPosition": pos.fields()}
}

func (b blockPos) fields() fields { return fields{"x": int(b.x), "y": int(b.y), "z": int(b.z)} }

func positionOf(r *record) blockPos { return blockPos{r.number("x"), r.number("y"), r.number("z")} }

func (p *player) nextChain() int64 {
	p.chains.last++
	return p.chains.last
}

func (p *player) waitForChain(id int64, what string, condition func(*chainState) bool) (chain *chainState) {
	p.wait(what, func() bool {
		for _, cancelled := range p.chains.cancelled {
			if cancelled == id {
				p.fail("%s: the server has cancelled the chain", what)
			}
		}
		chain = p.chains.all[id]
		return chain != nil && condition(chain)
	})
	return chain
}

// Chooses a slot of the hotbar.
func (p *player) chooseSlot(from, to int, held string) {
	root, id := p.rootOf("SwapFrom", held), p.nextChain()
	program := p.compile(root)
	if len(program) != 1 || program[0].kind != "ChangeActiveSlotInteraction" {
		p.fail("SwapFrom is %v", program)
	}
	data := fields{"entityId": -1, "targetSlot": to}
	p.sendChain(id, true, "SwapFrom", held, from, data, "Finished", 0, stepOf(root, 0, "Finished", nil))
	chain := p.waitForChain(id, "the answer to a chosen slot", func(c *chainState) bool { return c.state == "Finished" })
	p.checkChain(chain, root, "SwapFrom", from, data)
	p.checkStep(chain.steps[0], root, 0, "Finished", nil)
}

// The place of the last operation of a program that begins with a use that fails.
func (p *player) afterUse(root int64, kind string) int {
	program := p.compile(root)
	if program[0].kind != "UseBlockInteraction" || program[0].failed == 0 || program[program[0].failed].kind != kind {
		p.fail("root %d is %v, a %s was expected behind a use that fails", root, program, kind)
	}
	return program[0].failed
}

// Places the block in the hand, in two packets: what was begun, and, when the server has shown the block, that it is
// done.
func (p *player) place(pos blockPos, item string, slot int, block int64) {
	root, id := p.rootOf("Secondary", item), p.nextChain()
	counter := p.afterUse(root, "PlaceBlockInteraction")
	result := fields{"blockPosition": pos.fields(), "blockRotation": fields{}, "placedBlockId": block}
	data := aimedAt(blockPos{pos.x, pos.y - 1, pos.z})
	p.sendChain(id, true, "Secondary", item, slot, data, "NotFinished", 0,
		stepOf(root, 0, "Failed", nil), stepOf(root, counter, "NotFinished", result))
	p.waitForBlock(pos, block)
	p.waitForChain(id, "the answer to a block being placed", func(c *chainState) bool { return c.steps[1] != nil })
	p.sendChain(id, false, "Secondary", item, slot, data, "Finished", 1, stepOf(root, counter, "Finished", result))
	chain := p.waitForChain(id, "the answer to a placed block", func(c *chainState) bool { return c.state == "Finished" })
	p.checkChain(chain, root, "Secondary", slot, data)
	p.checkStep(chain.steps[0], root, 0, "Failed", nil)
	p.checkStep(chain.steps[1], root, counter, "Finished", &placed{pos, block})
}

func (p *player) breakBlock(pos blockPos, item string, slot int) {
	root, id := p.rootOf("Primary", item), p.nextChain()
	counter := p.afterUse(root, "BreakBlockInteraction")
	data := aimedAt(pos)
	p.sendChain(id, true, "Primary", item, slot, data, "Finished", 0,
		stepOf(root, 0, "Failed", nil), stepOf(root, counter, "Finished", fields{"blockPosition": pos.fields()}))
	p.waitForBlock(pos, 0)
	chain := p.waitForChain(id, "the answer to a broken block", func(c *chainState) bool { return c.state == "Finished" })
	p.checkChain(chain, root, "Primary", slot, data)
	p.checkStep(chain.steps[0], root, 0, "Failed", nil)
	p.checkStep(chain.steps[1], root, counter, "Finished", &placed{pos, 0})
}

func (p *player) waitForBlock(pos blockPos, block int64) {
	p.wait(fmt.Sprintf("block %d at %v", block, pos), func() bool {
		for _, found := range p.blocks[pos] {
			if found == block {
				return true
			}
		}
		return false
	})
}

func (p *player) expect(what string, from *record, expected fields) {
	for name, value := range expected {
		if found := text(from.get(name)); found != text(value) {
			p.fail("%s: %s is %s instead of %s", what, name, found, text(value))
		}
	}
}

// What all answers to a chain have in common.
func (p *player) checkChain(chain *chainState, root int64, input string, slot int, data fields) {
	for i, answer := range chain.answers {
		override := int64(none)
		if i == 0 {
			override = root
		}
		p.expect(input, answer, fields{"initial": i == 0, "desync": false, "overrideRootInteraction": override,
			"interactionType": input, "forkedId": nil, "newForks": nil, "equipSlot": int64(slot), "activeHotbarSlot": int64(0),
			"activeUtilitySlot": int64(0), "activeToolsSlot": int64(0), "itemInHandId": nil, "utilityItemId": nil,
			"toolsItemId": nil})
		if echo := answer.sub("data"); !reflect.DeepEqual(echo, echo.layout.make(data)) {
			p.fail("%s: the server did not echo what the client aimed at", input)
		}
	}
}

type placed struct {
	pos   blockPos
	block int64
}

// The server's word on an operation; with what is in the world then where it was about a block.
func (p *player) checkStep(step *record, root int64, counter int, state string, result *placed) {
	if step == nil {
		p.fail("operation %d of root %d was not answered", counter, root)
	}
	expected := fields{"state": state, "operationCounter": int64(counter), "rootInteraction": root, "totalForks": int64(0),
		"entityId": int64(0), "enteredRootInteraction": int64(none), "placedBlockId": int64(none), "chargeValue": float32(-1),
		"chainingIndex": int64(-1), "flagIndex": int64(-1), "blockFace": "None", "movementDirection": "None",
		"applyForceState": "Waiting", "nextLabel": int64(0), "forkCounts": nil, "hitEntities": nil, "attackerPos": nil,
		"attackerRot": nil, "raycastHit": nil, "raycastNormal": nil, "generatedUUID": nil}
	if result != nil {
		expected["placedBlockId"] = result.block
		if positionOf(step.sub("blockPosition")) != result.pos || step.get("blockRotation") == nil {
			p.fail("operation %d of root %d: the server does not say which block is there", counter, root)
		}
	}
	p.expect(fmt.Sprintf("operation %d of root %d", counter, root), step, expected)
}
