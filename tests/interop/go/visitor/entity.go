package main

import (
	"errors"
	"fmt"
	"strings"
)

// Entities are told in components. Since 2026.02.17 each is a struct of its own, such as `ModelUpdate`; before, one
// struct had the fields of all and named the kind in `type`. The names here are those of the kinds: `Model`.
func componentName(component *record) string {
	if component.has("type") && component.layout.name == "ComponentUpdate" {
		return component.get("type").(string)
	}
	return strings.TrimSuffix(component.layout.name, "Update")
}

func flatField(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// The struct with what a kind of component says.
func (s *schema) component(name string) *layout {
	flat := s.structs["ComponentUpdate"]
	if flat == nil {
		return s.structs[name+"Update"]
	}
	if place, found := flat.place[flatField(name)]; found && flat.fields[place].kind.name == "struct" &&
		s.structs[name] == flat.fields[place].kind.layout && name != "Model" {
		return s.structs[name]
	}
	return flat
}

// What a component says.
func (s *schema) content(component *record) *record {
	wanted := s.component(componentName(component))
	if wanted == nil || wanted == component.layout {
		return component
	}
	return component.sub(flatField(componentName(component)))
}

type point struct{ x, y, z float64 }

func pointOf(position *record) point {
	return point{position.get("x").(float64), position.get("y").(float64), position.get("z").(float64)}
}

func (p *player) noteEntities(packet *record) {
	for _, item := range packet.list("updates") {
		update := item.(*record)
		id := update.number("networkId")
		for _, component := range update.list("updates") {
			component := component.(*record)
			switch name := componentName(component); name {
			case "Transform":
				if position, _ := component.sub("transform").get("position").(*record); position != nil {
					p.places[id] = pointOf(position)
				}
			case "Equipment":
				p.inHand[id], _ = p.schema.content(component).get("rightHandItemId").(string)
			}
		}
	}
}

// In this order a player is told of itself; other components come behind.
var ownOrder = []string{"Interactable", "Intangible", "Invulnerable", "RespondToHit", "Nameplate", "Prediction", "Model",
	"PlayerSkin", "Equipment", "Transform", "EntityEffects", "EntityStats"}

// The components of the one entity in the first EntityUpdates, by name, as a packet for rules.
func (p *player) ownComponents(packet *record) (found entries, err error) {
	if packet.get("removed") != nil {
		return nil, errors.New("the first EntityUpdates removes something")
	}
	updates := packet.list("updates")
	if len(updates) != 1 || updates[0].(*record).number("networkId") != p.clientID {
		return nil, errors.New("the first EntityUpdates is not about the player alone")
	}
	own := updates[0].(*record)
	if own.get("removed") != nil {
		return nil, errors.New("the first EntityUpdates removes components")
	}
	last := 0
	for _, component := range own.list("updates") {
		name := componentName(component.(*record))
		rank := 0
		for rank < len(ownOrder) && ownOrder[rank] != name {
			rank++
		}
		if rank < last {
			return nil, fmt.Errorf("%s of the own entity comes too late", name)
		}
		last = rank
		found = append(found, entry{name, p.schema.content(component.(*record))})
	}
	return found, nil
}
