import { expect, test } from 'vitest';
import { indexOf, pointsOf } from './scene';

const scene = {
  player: 3,
  world: 1,
  version: 9,
  bounds: { min: [0, -32] as [number, number], max: [64, 32] as [number, number] },
  chunks: 4,
  drawn: 4,
  entities: [[5, 'Kweebec', 1.5, 64, -3], [6, '', 2, 65, 4]] as [number, string, number, number, number][],
  left_out: 0,
};

test('what a player sees is a world with one level of tiles', () => {
  expect(indexOf(scene)).toMatchObject({ name: 'Player 3', bounds: scene.bounds, levels: 1 });
});

test('entities are points with names, and the player is above them', () => {
  const [entities, nobody] = pointsOf(scene);
  expect([entities?.x, entities?.z]).toEqual([[1.5, 2], [-3, 4]]);
  expect([entities?.label?.(0), entities?.label?.(1)]).toEqual(['Kweebec', 'Entity 6']);
  expect(nobody?.x).toEqual([]);
  const [, player] = pointsOf({ ...scene, place: [7, 70, 8] });
  expect([player?.x, player?.z]).toEqual([[7], [8]]);
  expect(player!.rank).toBeGreaterThan(entities!.rank);
});
