import { api, ApiError } from '../data/api';
import { contents, inventories, type Inventory } from '../data/items';
import type { BlockAnswer, Facts } from '../data/types';
import { sentence } from '../ui/text';

export interface NearbyEntity {
  type: string;
  name: string;
  x: number;
  y: number;
  z: number;
}

/// The block that is shown in the panel.
export class Selection {
  readonly x: number;
  readonly z: number;
  /// What a search said is here; a map without a server knows no better.
  readonly name: string;
  y = $state<number | null>(null);
  state = $state<'loading' | 'known' | 'absent' | 'unreadable' | 'facts' | 'failed' | 'outside'>('loading');
  block = $state.raw<BlockAnswer | null>(null);
  ground = $state<number | null>(null);
  problem = $state<{ message: string; advice: string } | null>(null);
  #abort = new AbortController();
  readonly #world: string;
  readonly #layer: string;

  constructor(world: string, layer: string, x: number, z: number, name = '') {
    this.name = name;
    this.#world = world;
    this.#layer = layer;
    this.x = x;
    this.z = z;
  }

  close(): void {
    this.#abort.abort();
  }

  /// Asks the server for the block at a height; when none is given for that which the layer shows.
  async ask(y: number | null): Promise<void> {
    this.#abort.abort();
    const abort = (this.#abort = new AbortController());
    this.problem = null;
    if (this.block === null) this.state = 'loading';
    try {
      if (this.ground === null || y === null) {
        const column = await api.column(this.#world, this.x, this.z, this.#layer, abort.signal);
        if (!column.exists) {
          this.state = 'absent';
          return;
        }
        if (column.unreadable) return this.unreadable(column.unreadable);
        this.ground = column.height;
      }
      const height = y ?? Math.max(0, this.ground ?? 0);
      this.y = height;
      const block = await api.block(this.#world, this.x, height, this.z, abort.signal);
      this.block = block;
      this.state = 'known';
    } catch (problem) {
      if (abort.signal.aborted) return;
      this.block = null;
      this.state = 'failed';
      this.problem =
        problem instanceof ApiError
          ? { message: problem.message, advice: problem.advice }
          : { message: String(problem), advice: '' };
    }
  }

  /// A height at which the world has no blocks: there is nothing to ask for.
  outside(y: number, min: number, max: number): void {
    this.y = y;
    this.state = 'outside';
    this.problem = { message: `There is no block at y ${y}: this world has y ${min} to y ${max - 1}.`, advice: '' };
  }

  /// The chunk is there, but nobody can tell what is in it.
  unreadable({ message, advice }: { message: string; advice: string }): void {
    this.state = 'unreadable';
    this.problem = { message: sentence(message), advice: sentence(advice) };
  }

  /// Without a server: no chunk is here.
  absent(): void {
    this.state = 'absent';
  }

  /// Without a server: what the facts know.
  fromFacts(y: number | null): void {
    this.y = y;
    this.state = 'facts';
  }

  inventories(facts: Facts | null): Inventory[] {
    if (this.block) return inventories(this.block.components);
    return facts ? containersAt(facts, this.x, this.z, this.y).map(({ title, stacks }) => ({ title, capacity: null, stacks })) : [];
  }
}

/// The containers of a column, or of one block when a height is given; with a title that says which.
export function containersAt(facts: Facts, x: number, z: number, y: number | null): { index: number; title: string; stacks: ReturnType<typeof contents> }[] {
  const { containers, names } = facts;
  const found = [];
  for (let i = 0; i < containers.x.length; ++i) {
    if (containers.x[i] !== x || containers.z[i] !== z || (y !== null && containers.y[i] !== y)) continue;
    found.push({ index: i, title: names[containers.block[i] ?? -1] ?? '', stacks: contents(facts, i) });
  }
  return found;
}

/// The entities within some blocks of a place, the nearest first.
export function entitiesNear(facts: Facts, x: number, z: number, reach: number, most: number): NearbyEntity[] {
  const { entities, names } = facts;
  const found: (NearbyEntity & { far: number })[] = [];
  for (let i = 0; i < entities.x.length; ++i) {
    const [ex, ez] = [entities.x[i] ?? 0, entities.z[i] ?? 0];
    const far = (ex - x - 0.5) ** 2 + (ez - z - 0.5) ** 2;
    if (far > reach * reach) continue;
    const name = names[entities.name[i] ?? -1] ?? '';
    found.push({ type: names[entities.type[i] ?? -1] ?? '', name, x: ex, y: entities.y[i] ?? 0, z: ez, far });
  }
  return found.sort((a, b) => a.far - b.far).slice(0, most);
}
