import ImageTile from 'ol/source/ImageTile';
import TileGrid from 'ol/tilegrid/TileGrid';
import type Projection from 'ol/proj/Projection';
import { tileAddress } from '../data/api';
import type { WorldIndex } from '../data/types';
import { type Extent, k_tile, levelOf, resolutionsOf } from './grid';

type Picture = HTMLImageElement | HTMLCanvasElement;

const k_kept = 256;
const k_in_sight = 48;
const k_nothing = document.createElement('canvas');
k_nothing.width = k_nothing.height = 1;

/// Which tiles of a world to show, and where they come from.
export interface TilesOf {
  folder: string;
  live: boolean;
  index: WorldIndex;
}

/// The tiles of one world. Changing the layer or some tiles changes the source's key: the map library then asks
/// for everything again and shows the old tiles meanwhile; what did not change is answered from `#kept`.
export class TileSource extends ImageTile {
  readonly #of: TilesOf;
  readonly #problem: (address: string) => void;
  readonly #loaded: () => void;
  readonly #kept = new Map<string, Promise<Picture>>();
  readonly #tags = new Map<string, string>(); // by address: which content a picture shows
  #layer = 'surface';
  #version = 0;
  #abort = new AbortController(); // what nobody waits for any more, when a height is passed by

  constructor(of: TilesOf, extent: Extent, projection: Projection, problem: (address: string) => void, loaded: () => void) {
    super({
      projection,
      tileGrid: new TileGrid({ extent, origin: [0, 0], resolutions: resolutionsOf(of.index.levels), tileSize: k_tile }),
      loader: (z, x, y) => this.#load(levelOf(of.index.levels, z), x, y),
      transition: 0,
      wrapX: false,
      interpolate: true, // MapView turns it off where a block is larger than a pixel
    });
    this.#of = of;
    this.#problem = problem;
    this.#loaded = loaded;
  }

  get layer(): string {
    return this.#layer;
  }

  /// Shows another layer, `slice@64` for example.
  show(layer: string): void {
    if (layer === this.#layer) return;
    this.#layer = layer;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#changed();
  }

  /// Another index of the same world: tiles whose hashes differ are read again.
  update(index: WorldIndex): void {
    this.#of.index = index;
    this.#changed();
  }

  /// These tiles have other content now: level to `X.Z`. Every layer of them may have changed.
  forget(tiles: Record<string, string[]>): void {
    const gone = new Set(Object.entries(tiles).flatMap(([level, names]) => names.map((name) => `${level}/${name}`)));
    for (const key of this.#kept.keys()) {
      if (gone.has(key.slice(key.indexOf('/') + 1))) this.#kept.delete(key);
    }
    this.#changed();
  }

  /// Asks the server which of the tiles in sight have changed, and reads these again. For a page that hears no
  /// events.
  async revalidate(): Promise<void> {
    const start = `${this.#layer}/`;
    const mine = [...this.#kept.keys()].filter((key) => key.startsWith(start)).slice(-k_in_sight);
    for (const key of this.#kept.keys()) if (!mine.includes(key)) this.#kept.delete(key);
    const old = await Promise.all(
      mine.map(async (key) => {
        const address = this.#addressOf(key);
        const answer = await fetch(address, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
        return answer?.ok && tagOf(answer) !== this.#tags.get(address) ? [key] : [];
      }),
    );
    const changed = old.flat();
    for (const key of changed) this.#kept.delete(key);
    if (changed.length > 0) this.#changed();
  }

  forgetAll(): void {
    this.#kept.clear();
    this.#changed();
  }

  #changed(): void {
    this.setKey(`${this.#layer} ${++this.#version}`);
  }

  #load(level: number, x: number, z: number): Promise<Picture> {
    const layer = this.#layer;
    const { signal } = this.#abort;
    if (this.#of.live) {
      const key = `${layer}/${level}/${x}.${z}`;
      const address = this.#addressOf(key);
      return this.#keep(key, address, () => fetched(address, signal, (tag) => this.#tags.set(address, tag)));
    }
    const hash = this.#of.index.layers[layer]?.tiles[level]?.[`${x}.${z}`];
    if (hash === undefined) return Promise.resolve(k_nothing);
    const folder = encodeURIComponent(this.#of.folder);
    const address = `worlds/${folder}/tiles/${layer}/${level}/${x}.${z}.${hash}.png`;
    return this.#keep(address, address, () => read(address));
  }

  #addressOf(key: string): string {
    const [layer = '', level = '0', name = ''] = key.split('/');
    const [x = 0, z = 0] = name.split('.').map(Number);
    return tileAddress(this.#of.folder, layer, Number(level), x, z);
  }

  #keep(key: string, address: string, make: () => Promise<Picture>): Promise<Picture> {
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key); // to the end: the first in the map is the one unused for longest
      this.#kept.set(key, known);
      return known;
    }
    const made = make();
    this.#kept.set(key, made);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= k_kept) break;
      this.#kept.delete(oldest);
    }
    made.then(
      () => this.#loaded(),
      (error: unknown) => {
        if (this.#kept.get(key) === made) this.#kept.delete(key);
        if (!(error instanceof DOMException && error.name === 'AbortError')) this.#problem(address);
      },
    );
    return made;
  }
}

async function read(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.decoding = 'async';
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error(`${address} could not be read`));
    image.src = address;
  });
  return image;
}

const tagOf = (answer: Response): string => (answer.status === 204 ? 'nothing' : (answer.headers.get('ETag') ?? ''));

async function fetched(address: string, signal: AbortSignal, tagged: (tag: string) => void): Promise<Picture> {
  const answer = await fetch(address, { signal });
  tagged(tagOf(answer));
  if (answer.status === 204) return k_nothing;
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const url = URL.createObjectURL(await answer.blob());
  try {
    return await read(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
