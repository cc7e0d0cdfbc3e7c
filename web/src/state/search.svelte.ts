import { api, ApiError } from '../data/api';
import type { Facts, Place, PlaceKind } from '../data/types';
import { coordinatesIn } from '../search/coordinates';
import { group, type Group, searchFacts } from '../search/search';

export const k_kinds: PlaceKind[] = ['block', 'item', 'entity', 'marker'];
const k_limit = 2000;
const k_live_limit = 1000;
const k_wait_ms = 160;
const k_again_ms = 2000;
const k_busy = 503;

/// Where a search looks.
export interface SearchPlace {
  world: string;
  live: boolean;
  facts: Facts | null;
  /// Whether the facts are on their way.
  waiting: boolean;
  from: [number, number];
}

/// The search field and what it found.
export class Search {
  text = $state('');
  kinds = $state<PlaceKind[]>([...k_kinds]);
  state = $state<'idle' | 'running' | 'done' | 'failed'>('idle');
  groups = $state.raw<Group[]>([]);
  places = $state.raw<Place[]>([]);
  total = $state(0);
  more = $state(false);
  /// Whether the server has read the whole world yet.
  complete = $state(true);
  problem = $state<{ message: string; advice: string } | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #abort = new AbortController();
  readonly #where: () => SearchPlace | null;
  readonly #done: (places: Place[]) => void;

  constructor(where: () => SearchPlace | null, done: (places: Place[]) => void) {
    this.#where = where;
    this.#done = done;
  }

  /// Searches when the text rests for a moment, or at once.
  changed(atOnce = false): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
    if (this.text.trim().length < 2) return this.#show([], 0, false, 'idle');
    this.state = 'running';
    this.#timer = setTimeout(() => void this.#run(), atOnce ? 0 : k_wait_ms);
  }

  toggle(kind: PlaceKind): void {
    const all = this.kinds.length === k_kinds.length;
    if (all) this.kinds = [kind];
    else if (this.kinds.includes(kind)) this.kinds = this.kinds.length > 1 ? this.kinds.filter((each) => each !== kind) : [...k_kinds];
    else this.kinds = [...this.kinds, kind];
    this.changed(true);
  }

  clear(): void {
    this.text = '';
    this.changed(true);
  }

  /// Nothing more is asked for.
  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  /// The server still reads the world: what was found stays, and is asked for again.
  #again(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), k_again_ms);
  }

  async #run(): Promise<void> {
    const where = this.#where();
    if (!where) return this.#show([], 0, false, 'idle');
    const abort = (this.#abort = new AbortController());
    const text = this.text.trim();
    const place = coordinatesIn(text);
    if (place) return this.#show([place], 1, false, 'done', where.from);
    try {
      if (where.live) {
        const { results, more, complete } = await api.search(where.world, text, this.kinds, k_live_limit, where.from, abort.signal);
        this.complete = complete ?? true;
        if (!this.complete) this.#again();
        // The list stands still under the pointer when nothing new was found.
        if (this.state === 'done' && JSON.stringify(results) === JSON.stringify(this.places)) return;
        this.#show(results, results.length, more, 'done', where.from);
      } else if (where.facts) {
        const { places, total } = searchFacts(where.facts, text, new Set(this.kinds), k_limit);
        this.#show(places, total, total > places.length, 'done', where.from);
      } else if (!where.waiting) {
        this.problem = { message: 'This map has no search index.', advice: 'Create the map again with orbis map.' };
        this.#show([], 0, false, 'failed');
      }
    } catch (problem) {
      if (abort.signal.aborted) return;
      this.problem = problem instanceof ApiError ? problem : { message: String(problem), advice: '' };
      this.#show([], 0, false, 'failed');
      if (problem instanceof ApiError && problem.status === k_busy) this.#again();
    }
  }

  #show(places: Place[], total: number, more: boolean, state: Search['state'], from: [number, number] = [0, 0]): void {
    this.groups = group(places, from);
    this.places = places;
    this.total = total;
    this.more = more;
    this.state = state;
    this.#done(places);
  }
}
