export interface TilesEvent {
  world: string;
  layers: string[];
  tiles: Record<string, string[]>;
}

export interface Listener {
  tiles(event: TilesEvent): void;
  world(event: { world: string; generation: number }): void;
  progress(event: { world: string; done: number; total: number }): void;
  /// Called with true when the stream opens (again), with false when it is lost.
  connected(yes: boolean): void;
}

const k_retry_ms = 1000;
const k_retry_longest_ms = 10_000;

/// Listens until `close`. A browser gives up for good when the server answers with an error, so that a lost
/// stream is always opened anew here, with growing pauses.
export class LiveEvents {
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = k_retry_ms;

  constructor(
    readonly address: string,
    readonly listener: Listener,
  ) {
    this.#open();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
  }

  #open(): void {
    const source = new EventSource(this.address);
    this.#source = source;
    source.onopen = () => {
      this.#pause = k_retry_ms;
      this.listener.connected(true);
    };
    source.onerror = () => {
      source.close();
      this.listener.connected(false);
      this.#timer = setTimeout(() => this.#open(), this.#pause);
      this.#pause = Math.min(this.#pause * 1.5, k_retry_longest_ms);
    };
    const on = <T>(name: string, call: (value: T) => void): void => {
      source.addEventListener(name, (event) => call(JSON.parse((event as MessageEvent<string>).data) as T));
    };
    on('tiles', this.listener.tiles);
    on('world', this.listener.world);
    on('progress', this.listener.progress);
  }
}
