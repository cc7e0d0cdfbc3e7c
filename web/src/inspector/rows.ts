import type { Row, Rows } from './api';

export const k_page = 200;
export const k_pages = 40;

interface Page {
  rows: Map<number, Row>;
  /// Ranks below this were there when it was read.
  end: number;
  abort: AbortController | null;
}

/// The rows of one filter, in pages from the server. Keeps the pages that were asked for last, so that it does not grow
/// with the list.
export class RowStore {
  readonly #pages = new Map<number, Page>();

  constructor(
    readonly read: (from: number, count: number, signal: AbortSignal) => Promise<Rows>,
    readonly came: (rows: Rows) => void,
    readonly failed: (problem: unknown) => void,
  ) {}

  get(rank: number): Row | undefined {
    return this.#pages.get(Math.floor(rank / k_page))?.rows.get(rank);
  }

  /// Reads what is missing of the rows from `from` to `to`, of a list that ends before `end`.
  want(from: number, to: number, end: number): void {
    const last = Math.min(to, end);
    for (let page = Math.floor(from / k_page); page * k_page < last; ++page) {
      const known = this.#pages.get(page);
      const least = Math.min((page + 1) * k_page, last);
      if (known) {
        this.#pages.delete(page); // to the end: the first in the map is the one unused for longest
        this.#pages.set(page, known);
        if (known.abort || known.end >= least) continue;
      }
      this.#load(page, known, least);
    }
    for (const [oldest, { abort }] of this.#pages) {
      if (this.#pages.size <= k_pages) break;
      abort?.abort();
      this.#pages.delete(oldest);
    }
  }

  get size(): number {
    return this.#pages.size;
  }

  clear(): void {
    for (const { abort } of this.#pages.values()) abort?.abort();
    this.#pages.clear();
  }

  /// A list that has become shorter than was thought is not asked for the same again and again.
  #load(page: number, known: Page | undefined, least: number): void {
    const abort = new AbortController();
    const entry: Page = { rows: known?.rows ?? new Map(), end: known?.end ?? 0, abort };
    this.#pages.set(page, entry);
    this.read(page * k_page, k_page, abort.signal).then(
      (answer) => {
        if (abort.signal.aborted) return;
        entry.abort = null;
        entry.end = Math.max(answer.end, least);
        entry.rows = new Map(answer.rows.map((row) => [row[0], row]));
        this.came(answer);
      },
      (problem: unknown) => {
        if (abort.signal.aborted) return;
        if (this.#pages.get(page) === entry) this.#pages.delete(page);
        this.failed(problem);
      },
    );
  }
}
