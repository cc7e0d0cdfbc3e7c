import type { WorldStatus } from './types';

export interface TilesEvent {
  world: string;
  layers: string[];
  tiles: Record<string, string[]>;
}

export interface ProgressEvent {
  world: string;
  step?: string;
  done: number;
  total: number;
}

export interface Listener {
  worlds(event: { worlds: WorldStatus[] }): void;
  tiles(event: TilesEvent): void;
  /// Without a list all chunks of the world have changed.
  chunks(event: { world: string; chunks?: [number, number][] | null }): void;
  world(event: { world: string; generation: number }): void;
  progress(event: ProgressEvent): void;
  /// Called when the stream opens (again), and when it cannot be opened.
  connected(how: Connection): void;
}

/// `full`: the server answers, but does not keep this stream.
export type Connection = 'open' | 'lost' | 'full';

const k_retry_ms = 300;
const k_retry_longest_ms = 10_000;
/// A stream that lives for less was taken away for another page.
const k_short_ms = 5000;

/// What is done with each event, by its name.
export type Handlers = Record<string, (value: never) => void>;

/// Listens until `close`. A browser gives up for good when the server answers with an error, so that a lost
/// stream is always opened again here, with growing pauses.
export class EventStream {
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = k_retry_ms;
  #opened = 0;
  #short = 0;
  #abort = new AbortController();

  readonly #handlers: Handlers;
  readonly #connected: (how: Connection) => void;
  readonly #probe: string;

  /// `probe` is an address of the same server, to ask whether it answers at all.
  constructor(
    readonly address: string,
    probe: string,
    handlers: Handlers,
    connected: (how: Connection) => void,
  ) {
    this.#probe = probe;
    this.#handlers = handlers;
    this.#connected = connected;
    this.#open();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#source?.close();
  }

  #open(): void {
    const source = new EventSource(this.address);
    this.#source = source;
    source.onopen = () => {
      this.#opened = Date.now();
      if (this.#short < 2) this.#connected('open');
    };
    source.onerror = () => {
      source.close();
      void this.#failed();
    };
    for (const [name, call] of Object.entries(this.#handlers)) {
      source.addEventListener(name, (event) => call(JSON.parse((event as MessageEvent<string>).data) as never));
    }
    this.#settle(source);
  }

  /// A stream that lasts is a good one again.
  #settle(source: EventSource): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#source !== source || source.readyState !== EventSource.OPEN) return;
      if (this.#short >= 2) this.#connected('open');
      this.#short = 0;
      this.#pause = k_retry_ms;
    }, k_short_ms + 500);
  }

  async #failed(): Promise<void> {
    const abort = (this.#abort = new AbortController());
    const lived = this.#opened > 0 ? Date.now() - this.#opened : 0;
    this.#opened = 0;
    this.#short = lived >= k_short_ms ? 0 : this.#short + 1;
    const answers = await this.#answers(abort.signal);
    if (abort.signal.aborted) return;
    if (!answers) this.#connected('lost');
    else if (lived === 0 || this.#short >= 2) this.#connected('full');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(this.#pause * 1.6, k_retry_longest_ms);
  }

  /// A browser does not say why a stream failed, so the server is asked for something else.
  async #answers(end: AbortSignal): Promise<boolean> {
    try {
      await fetch(this.#probe, { method: 'HEAD', cache: 'no-store', signal: end });
      return true;
    } catch {
      return false;
    }
  }
}

/// The events of `orbis up`.
export class LiveEvents extends EventStream {
  constructor(address: string, listener: Listener) {
    const { worlds, tiles, chunks, world, progress, connected } = listener;
    super(address, 'map.js', { worlds, tiles, chunks, world, progress }, connected);
  }
}
