export interface TilesEvent {
  world: string;
  layers: string[];
  tiles: Record<string, string[]>;
}

export interface Listener {
  tiles(event: TilesEvent): void;
  world(event: { world: string; generation: number }): void;
  progress(event: { world: string; done: number; total: number }): void;
  /// Called when the stream opens (again), and when it cannot be opened.
  connected(how: Connection): void;
}

/// `full`: the server answers, but has no place for another listener.
export type Connection = 'open' | 'lost' | 'full';

const k_retry_ms = 1000;
const k_retry_longest_ms = 10_000;
const k_busy = 503;

/// Listens until `close`. A browser gives up for good when the server answers with an error, so that a lost
/// stream is always opened anew here, with growing pauses.
export class LiveEvents {
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = k_retry_ms;
  #abort = new AbortController();

  constructor(
    readonly address: string,
    readonly listener: Listener,
  ) {
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
      this.#pause = k_retry_ms;
      this.listener.connected('open');
    };
    source.onerror = () => {
      source.close();
      void this.#failed();
    };
    const on = <T>(name: string, call: (value: T) => void): void => {
      source.addEventListener(name, (event) => call(JSON.parse((event as MessageEvent<string>).data) as T));
    };
    on('tiles', this.listener.tiles);
    on('world', this.listener.world);
    on('progress', this.listener.progress);
  }

  async #failed(): Promise<void> {
    const abort = (this.#abort = new AbortController());
    const full = await this.#full(abort.signal);
    if (abort.signal.aborted) return;
    this.listener.connected(full ? 'full' : 'lost');
    this.#timer = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(this.#pause * 1.5, k_retry_longest_ms);
  }

  /// A browser does not say why a stream failed, so the same address is asked once for its status.
  async #full(end: AbortSignal): Promise<boolean> {
    const mine = new AbortController();
    try {
      const answer = await fetch(this.address, { signal: AbortSignal.any([end, mine.signal]) });
      return answer.status === k_busy;
    } catch {
      return false;
    } finally {
      mine.abort(); // a stream that does open has no end
    }
  }
}
