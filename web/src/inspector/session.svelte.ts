import { ApiError } from '../data/api';
import { type Connection, EventStream, type TilesEvent } from '../data/events';
import { api, exportAddress, type Packet, type Row, type State } from './api';
import { RowStore } from './rows';
import { SpanTree } from './spans';

type Tail<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

export type Tab = 'packet' | 'rates' | 'latency' | 'map';

const k_filter_pause_ms = 250;
const k_scan_ms = 500;
const k_ahead = 150; // rows

/// Everything that the page knows: what the server said last, which packets are shown, which is chosen. Nothing in it grows
/// with the number of packets.
export class Session {
  state = $state.raw<State | null>(null);
  connection = $state<Connection>('lost');
  problem = $state<{ message: string; advice: string } | null>(null);

  /// The filter as it is typed, as it is used, and what is wrong with it.
  typed = $state('');
  filter = $state('');
  filterProblem = $state('');

  /// Ranks of the list: the first that is there, one more than the last, and how far a filter has looked.
  first = $state(0);
  end = $state(0);
  scanned = $state(0);
  /// Grows when rows have come.
  version = $state(0);
  paused = $state(false);
  follow = $state(true);

  chosen = $state.raw<Row | null>(null);
  /// The other end of a selection, made with the shift key.
  anchor = $state.raw<Row | null>(null);
  packet = $state.raw<Packet | null>(null);
  tree = $state.raw<SpanTree | null>(null);
  packetProblem = $state('');
  /// The span under the pointer, in the tree or in the bytes; −1 for none.
  hover = $state(-1);
  tab = $state<Tab>('packet');

  search = $state('');
  searchNote = $state('');

  /// Told which tiles of the map have changed.
  tiles: (event: TilesEvent) => void = () => {};

  #store: RowStore;
  readonly #events: EventStream;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scan: ReturnType<typeof setTimeout> | undefined;
  #loading: AbortController | null = null;
  #searching: AbortController | null = null;

  constructor() {
    this.#store = this.#newStore('');
    this.#events = new EventStream(
      'api/events',
      'api/state',
      { state: (state: State) => this.#onState(state), tiles: (event: TilesEvent) => this.tiles(event) },
      (how) => this.#onConnection(how),
    );
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#scan);
    this.#events.close();
    this.#store.clear();
  }

  row(rank: number): Row | undefined {
    return this.#store.get(rank);
  }

  /// The rows that are in sight. Those around them are read too, before somebody scrolls to them.
  want(from: number, to: number): void {
    this.#store.want(from, to, this.end);
    this.#store.want(Math.max(this.first, from - k_ahead), to + k_ahead, this.end);
  }

  /// Takes what was typed, when the user pauses.
  type(text: string): void {
    this.typed = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.useFilter(text), k_filter_pause_ms);
  }

  async useFilter(text: string): Promise<void> {
    clearTimeout(this.#timer);
    const filter = text.trim();
    this.typed = text;
    if (filter === this.filter) {
      this.filterProblem = '';
      return;
    }
    try {
      const answer = await api.rows(filter, 0, 1);
      if (this.typed !== text) return;
      this.#store.clear();
      this.#store = this.#newStore(filter);
      this.filter = filter;
      this.filterProblem = '';
      [this.first, this.end, this.scanned] = [answer.first, answer.end, answer.scanned];
      ++this.version;
      this.#lookOn();
      await this.#placeChosen(filter);
    } catch (problem) {
      if (this.typed !== text) return;
      if (problem instanceof ApiError && problem.status === 400) this.filterProblem = problem.message;
      else this.#fail(problem);
    }
  }

  /// What was chosen has another rank in another list, or is between two of its rows.
  async #placeChosen(filter: string): Promise<void> {
    const { chosen } = this;
    if (!chosen) return;
    const { rank } = await api.rank(filter, chosen[1]);
    if (filter === this.filter && this.chosen === chosen) this.chosen = [rank, ...(chosen.slice(1) as Tail<Row>)];
  }

  pause(paused: boolean): void {
    this.paused = paused;
    if (!paused && this.state) this.#onState(this.state);
  }

  async choose(row: Row, extend = false): Promise<void> {
    this.anchor = extend ? (this.anchor ?? this.chosen) : null;
    this.chosen = row;
    this.hover = -1;
    this.packetProblem = '';
    this.#loading?.abort();
    const abort = (this.#loading = new AbortController());
    try {
      const packet = await api.packet(row[1], abort.signal);
      if (abort.signal.aborted) return;
      this.packet = packet;
      this.tree = new SpanTree(packet.spans);
    } catch (problem) {
      if (abort.signal.aborted) return;
      this.packet = null;
      this.tree = null;
      this.packetProblem = problem instanceof ApiError ? `${problem.message} ${problem.advice}`.trim() : String(problem);
    }
  }

  /// Goes to a row of the list, which may have to be read first.
  async go(rank: number): Promise<void> {
    const known = this.row(rank);
    if (known) return this.choose(known);
    try {
      const row = (await api.rows(this.filter, rank, 1)).rows[0];
      if (row) await this.choose(row);
    } catch (problem) {
      this.#fail(problem);
    }
  }

  /// The next or previous packet with the text of the search.
  async find(back: boolean): Promise<void> {
    const text = this.search.trim();
    this.#searching?.abort();
    if (text === '') {
      this.searchNote = '';
      return;
    }
    const abort = (this.#searching = new AbortController());
    const { filter } = this;
    let at = this.chosen ? this.chosen[0] + (back ? 0 : 1) : this.first;
    this.searchNote = 'Searching…';
    try {
      for (;;) {
        const answer = await api.find(filter, at, text, back, abort.signal);
        if (abort.signal.aborted) return;
        if (answer.found !== null) {
          this.searchNote = '';
          this.follow = false;
          await this.go(answer.found);
          return;
        }
        at = answer.at;
        if (back ? at <= answer.first : at >= answer.end) break;
      }
      this.searchNote = back ? 'Nothing before this packet.' : 'Nothing after this packet.';
    } catch (problem) {
      if (abort.signal.aborted) return;
      this.searchNote = '';
      this.#fail(problem);
    }
  }

  /// Numbers of the first and last packet that are selected; null while it is one or none.
  get range(): [number, number] | null {
    if (!this.chosen || !this.anchor || this.anchor[1] === this.chosen[1]) return null;
    return [Math.min(this.anchor[1], this.chosen[1]), Math.max(this.anchor[1], this.chosen[1])];
  }

  isSelected(row: Row): boolean {
    const range = this.range;
    return range ? row[1] >= range[0] && row[1] <= range[1] : this.chosen?.[1] === row[1];
  }

  /// A file of what is selected, or of all that the filter shows.
  exportAs(format: 'pcapng' | 'json'): { address: string; name: string } {
    return { address: exportAddress(this.filter, format, this.range), name: `orbis-packets.${format === 'json' ? 'jsonl' : 'pcapng'}` };
  }

  #newStore(filter: string): RowStore {
    return new RowStore(
      (from, count, signal) => api.rows(filter, from, count, signal),
      (rows) => {
        this.problem = null;
        if (filter !== this.filter) return;
        if (!this.paused) [this.first, this.end, this.scanned] = [rows.first, Math.max(this.end, rows.end), rows.scanned];
        ++this.version;
      },
      (problem) => this.#fail(problem),
    );
  }

  #onState(state: State): void {
    // A server that was started again counts from the beginning.
    if (this.state && state.start !== this.state.start && this.state.start !== '0') this.#startAgain();
    this.state = state;
    if (this.paused) return;
    if (this.filter === '') [this.first, this.end, this.scanned] = [state.first - 1, state.end - 1, state.end - 1];
    else this.#lookOn();
  }

  /// A filter finds more, as long as there are packets that it has not looked at.
  #lookOn(): void {
    if (this.#scan !== undefined || this.filter === '' || this.paused || !this.state || this.scanned >= this.state.end - 1) return;
    this.#scan = setTimeout(async () => {
      this.#scan = undefined;
      const { filter } = this;
      try {
        const answer = await api.rows(filter, this.end, 1);
        if (filter !== this.filter || this.paused) return;
        [this.first, this.end, this.scanned] = [answer.first, answer.end, answer.scanned];
        ++this.version;
        this.#lookOn();
      } catch (problem) {
        this.#fail(problem);
      }
    }, k_scan_ms);
  }

  #onConnection(how: Connection): void {
    this.connection = how;
    if (how === 'open') this.problem = null;
  }

  #startAgain(): void {
    this.#store.clear();
    this.chosen = this.anchor = null;
    this.packet = null;
    this.tree = null;
    [this.first, this.end, this.scanned] = [0, 0, 0];
    ++this.version;
  }

  #fail(problem: unknown): void {
    this.problem = problem instanceof ApiError ? { message: problem.message, advice: problem.advice } : { message: String(problem), advice: '' };
  }
}
