import { api, ApiError } from '../data/api';
import { type Connection, LiveEvents } from '../data/events';
import { load, MissingFile } from '../data/scripts';
import type { Facts, Findings, Inspect, MapInfo, Marker, Place, WorldIndex } from '../data/types';
import { chunkOf, k_chunk } from '../map/grid';
import { InspectPainter } from '../map/inspect_painter';
import type { Camera, MapListener, MapView } from '../map/map_view';
import type { Hit } from '../map/points';
import { findingColour, findingScale, type Scale, scaleFor, severityRank } from '../map/ramp';
import { type Choice, inspectChoices, nearestHeight, tileChoices, tileLayerOf } from './layers';
import { foundSet, pointSets, type Shown } from './point_sets';
import { Search } from './search.svelte';
import { containersAt, Selection } from './selection.svelte';
import { type Address, format, parse } from './url';

export interface Trouble {
  title: string;
  text: string;
  command?: string;
}

const k_format = 1;
const k_poll_ms = 3000;

/// Everything the page knows and shows: the only place that talks to both the data and the map.
export class Atlas implements MapListener {
  info = $state.raw<MapInfo | null>(null);
  folder = $state('');
  index = $state.raw<WorldIndex | null>(null);
  facts = $state.raw<Facts | null>(null);
  inspectData = $state.raw<Inspect | null>(null);
  findings = $state.raw<Findings | null>(null);
  layer = $state('surface');
  y = $state(64);
  shown = $state<Shown>({ markers: true, players: true, warps: true, beds: false, containers: false, entities: false, grid: false });
  camera = $state.raw<Camera>({ x: 0, z: 0, zoom: 0 });
  pointer = $state.raw<{ block: [number, number]; screen: [number, number]; hit: Hit | undefined } | null>(null);
  selection = $state.raw<Selection | null>(null);
  /// A result of the search that is somewhere in a chunk: it has no block to show.
  somewhere = $state.raw<Place | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  lostTiles = $state(0);
  connection = $state<'none' | Connection>('none');
  progress = $state<{ done: number; total: number } | null>(null);
  scale = $state.raw<Scale | null>(null);
  readonly search: Search;
  #painter = $state.raw<InspectPainter | null>(null);
  #view: MapView | null = null;
  #events: LiveEvents | null = null;
  #findingsTimer: ReturnType<typeof setTimeout> | undefined;
  #pollTimer: ReturnType<typeof setInterval> | undefined;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;
  #opening = 0;
  #reading = false;

  constructor() {
    this.search = new Search(
      () =>
        this.index && {
          world: this.folder,
          live: this.live,
          facts: this.facts,
          waiting: this.#reading,
          from: [this.camera.x, this.camera.z],
        },
      (places) => this.#showFound(places),
    );
  }

  get live(): boolean {
    return this.info?.live ?? false;
  }

  choices = $derived.by<Choice[]>(() => (this.index?.bounds ? tileChoices(this.index, this.live) : []));
  inspectChoices = $derived.by<Choice[]>(() => (this.index?.bounds ? inspectChoices(this.inspectData, this.live) : []));
  choice = $derived.by(() => [...this.choices, ...this.inspectChoices].find((each) => each.id === this.layer));

  /// All markers; the spawn also when the facts do not have it.
  markers = $derived.by<Marker[]>(() => {
    const known = this.facts?.markers ?? [];
    const spawn = this.index?.spawn;
    if (!spawn || known.some((marker) => marker.kind === 'spawn')) return known;
    return [{ kind: 'spawn', name: 'Spawn', x: spawn[0], y: spawn[1], z: spawn[2] }, ...known];
  });

  /// Reads the list of worlds and opens the one that the address names.
  async start(view: MapView): Promise<void> {
    this.#view = view;
    addEventListener('hashchange', () => void this.#follow(parse(location.hash)));
    try {
      this.info = await load<MapInfo>('map.js', 'map');
    } catch {
      this.trouble = {
        title: 'There is no map here yet',
        text: 'This page shows a map folder, and beside it there is no map.js that can be read. Make a map of a world and open the index.html in its folder:',
        command: 'orbis map WORLD FOLDER',
      };
      return;
    }
    if (this.info.format > k_format) {
      this.trouble = {
        title: 'This map is newer than its page',
        text: `It was written by ${this.info.program} in a format that this page does not know. Write the folder anew with one program:`,
        command: 'orbis map WORLD FOLDER',
      };
      return;
    }
    document.title = this.info.title ? `${this.info.title} · Orbis` : 'Orbis map';
    if (this.info.live) this.#listen();
    if (this.info.worlds.length === 0) {
      this.trouble = {
        title: 'There is no world here',
        text: 'The place that was opened holds no world. Give a universe, a world folder, a region file or a backup:',
        command: this.info.live ? 'orbis up UNIVERSE' : 'orbis map WORLD FOLDER',
      };
      return;
    }
    await this.#follow(parse(location.hash));
  }

  /// Opens a world of the list.
  async open(folder: string, address: Address = {}): Promise<void> {
    const turn = ++this.#opening;
    let index: WorldIndex;
    try {
      index = await this.#readIndex(folder);
    } catch (problem) {
      if (turn === this.#opening) this.#worldTrouble(folder, problem);
      return;
    }
    if (turn !== this.#opening) return;
    this.trouble = null;
    this.folder = folder;
    this.index = index;
    this.facts = null;
    this.inspectData = null;
    this.findings = null;
    this.progress = null;
    this.lostTiles = 0;
    this.select(null);
    this.#view?.points.clear();
    this.#view?.world(folder, this.live, index, false);
    this.#goTo(address);
    this.setLayer(address.layer ?? 'surface', address.y);
    if (!index.bounds) {
      this.trouble = {
        title: 'This world has no chunks yet',
        text: this.live
          ? 'As soon as the game saves some, they appear here by themselves.'
          : 'There is nothing to draw. When the game has saved some, write the map again:',
        ...(this.live ? {} : { command: 'orbis map WORLD FOLDER' }),
      };
    }
    await this.#readMore(index);
    if (address.at) this.selectBlock(address.at[0], address.at[2], address.at[1]);
  }

  setLayer(id: string, y?: number): void {
    const known = [...this.choices, ...this.inspectChoices].find((each) => each.id === id);
    // An inspector layer of the address is there only when its file has come (#readMore).
    this.layer = known || (id.startsWith('inspect:') && !this.inspectData) ? id : (this.choices[0]?.id ?? 'surface');
    if (this.choice?.heights && this.index) {
      const wanted = y ?? (this.y || this.#usualHeight());
      this.y = nearestHeight(this.choice.heights, wanted, this.index.height);
    } else if (y !== undefined) {
      this.y = y;
    }
    this.#applyLayer();
    this.#writeAddress();
  }

  setHeight(y: number): void {
    if (!this.index || !this.choice?.heights) return;
    this.y = nearestHeight(this.choice.heights, y, this.index.height);
    this.#applyLayer();
    this.#writeAddress();
  }

  /// The next height up or down that exists.
  stepHeight(step: number): void {
    const heights = this.choice?.heights;
    if (!heights) return;
    if (heights === 'any') return this.setHeight(this.y + step);
    const at = heights.indexOf(this.y) + Math.sign(step);
    this.setHeight(heights[Math.max(0, Math.min(heights.length - 1, at))] ?? this.y);
  }

  show(what: keyof Shown, yes: boolean): void {
    this.shown[what] = yes;
    this.#applyPoints();
  }

  select(selection: Selection | null): void {
    this.selection?.close();
    this.selection = selection;
    this.somewhere = null;
    this.#view?.choose(selection ? [selection.x, selection.z] : null);
    this.#writeAddress();
  }

  selectBlock(x: number, z: number, y: number | null, name = ''): void {
    const layer = this.choice?.heights ? tileLayerOf(this.layer, this.y) : 'surface';
    const selection = new Selection(this.folder, layer, x, z, name);
    this.select(selection);
    const { min = 0, max = 320 } = this.index?.height ?? {};
    if (y !== null && (y < min || y >= max)) {
      selection.outside(y, min, max);
    } else if (this.live) {
      this.askHeight(y);
    } else {
      const here = this.facts ? containersAt(this.facts, x, z, y) : [];
      const first = here[0];
      selection.fromFacts(y ?? (first && here.length === 1 ? (this.facts?.containers.y[first.index] ?? null) : null));
    }
  }

  /// Asks for another block of the chosen column; the address follows when it is known which one that is.
  askHeight(y: number | null): void {
    void this.selection?.ask(y).then(() => this.#writeAddress());
  }

  /// Goes to a place of a search or of a list, and shows what is there.
  visit(place: Place): void {
    const zoom = place.y === null ? 2.5 : 4;
    this.#view?.visit({ x: place.x, z: place.z, zoom: Math.max(zoom, this.camera.zoom) });
    if (place.y !== null) {
      const name = place.kind === 'block' ? place.name : '';
      return this.selectBlock(Math.floor(place.x), Math.floor(place.z), Math.floor(place.y), name);
    }
    this.select(null);
    this.somewhere = place;
    this.#view?.choose([chunkOf(place.x) * k_chunk, chunkOf(place.z) * k_chunk], k_chunk);
  }

  // What the map says.

  moved(camera: Camera): void {
    this.camera = camera;
    this.#writeAddress();
  }

  pointed(block: [number, number] | null, screen: [number, number] | null, hit: Hit | undefined): void {
    this.pointer = block && screen ? { block, screen, hit } : null;
  }

  clicked(block: [number, number], hit: Hit | undefined): void {
    if (!hit) {
      this.selectBlock(block[0], block[1], null);
      this.#view?.reveal(block[0], block[1]);
      return;
    }
    if (hit.count > 1 && hit.side > 1) {
      this.#view?.fly({ x: hit.x, z: hit.z, zoom: Math.min(5, this.camera.zoom + 2) }, 300);
      return;
    }
    const [x, y, z] = this.#placeOf(hit);
    this.selectBlock(Math.floor(x), Math.floor(z), y === null ? null : Math.floor(y));
    this.#view?.reveal(x, z);
  }

  tileProblem(): void {
    ++this.lostTiles;
  }

  tileLoaded(): void {
    if (this.live) this.lostTiles = 0;
  }

  /// What a point of the map is, in words.
  describe(hit: Hit): string {
    if (hit.count > 1) return `${hit.count.toLocaleString('en')} ${hit.set.name}`;
    return hit.set.label?.(hit.index) ?? hit.set.name;
  }

  /// The value of the inspector layer in the chunk of a block.
  inspected(block: [number, number]): number | undefined {
    return this.#painter?.value(chunkOf(block[0]), chunkOf(block[1]));
  }

  retryTiles(): void {
    this.lostTiles = 0;
    this.#view?.forgetTiles('all');
  }

  /// How much of the map other things cover, in screen pixels: left, top, right, bottom.
  covered(insets: [number, number, number, number], lift: number): void {
    if (this.#view) Object.assign(this.#view, { insets, lift });
  }

  fit = (): void => this.#view?.fit(true);
  zoomBy = (step: number): void => this.#view?.zoomBy(step);
  pan = (right: number, down: number): void => this.#view?.pan(right, down);

  // Inside.

  async #follow(address: Address): Promise<void> {
    const worlds = this.info?.worlds ?? [];
    const wanted = worlds.find((world) => world.name === address.world || world.folder === address.world) ?? worlds[0];
    if (!wanted) return;
    if (wanted.folder !== this.folder) return this.open(wanted.folder, address);
    if (format(address) === this.#address()) return;
    this.#goTo(address);
    this.setLayer(address.layer ?? 'surface', address.y);
    if (address.at) this.selectBlock(address.at[0], address.at[2], address.at[1]);
    else this.select(null);
  }

  #readIndex(folder: string): Promise<WorldIndex> {
    // The name is decoded once by the browser, so its percent signs have to be written as such.
    const address = `worlds/${encodeURIComponent(folder)}/world.js`;
    return load<WorldIndex>(this.live ? `${address}?at=${Date.now()}` : address, `world/${folder}`);
  }

  async #readMore(index: WorldIndex): Promise<void> {
    const base = `worlds/${encodeURIComponent(this.folder)}`;
    const read = async <T>(kind: string, of: { file: string } | null): Promise<T | null> =>
      of?.file ? load<T>(`${base}/${kind}/${of.file}.js`, `${kind}/${of.file}`).catch(() => null) : null;
    this.#reading = true;
    const [facts, inspect] = await Promise.all([
      read<Facts>('facts', index.facts),
      read<Inspect>('inspect', index.inspect),
    ]);
    if (this.index !== index) return;
    this.#reading = false;
    if (facts || !this.facts) this.facts = facts;
    if (!this.live || this.search.state === 'failed' || !this.search.complete) this.search.changed(true);
    if (inspect || !this.inspectData) this.inspectData = inspect;
    this.#applyPoints();
    if (this.layer.startsWith('inspect:')) this.setLayer(this.choice ? this.layer : 'surface');
  }

  #worldTrouble(folder: string, problem: unknown): void {
    this.trouble = {
      title: 'This world cannot be shown',
      text:
        problem instanceof MissingFile
          ? `${problem.address} is missing or damaged. ${this.live ? 'Is the server still running?' : 'Write the map again:'}`
          : `${folder}: ${String(problem)}`,
      command: this.live ? 'orbis up' : 'orbis map WORLD FOLDER',
    };
  }

  #goTo(address: Address): void {
    if (address.x !== undefined && address.z !== undefined) {
      this.#view?.place({ x: address.x, z: address.z, ...(address.zoom === undefined ? {} : { zoom: address.zoom }) });
    } else {
      this.#view?.fit(false);
    }
  }

  #usualHeight(): number {
    return this.index?.spawn?.[1] ?? 64;
  }

  #applyLayer(): void {
    clearTimeout(this.#findingsTimer);
    if (this.layer.startsWith('inspect:')) {
      this.#view?.layer('surface');
      this.#applyInspect();
    } else {
      this.#painter = null;
      this.scale = null;
      this.#view?.inspect(null);
      this.#view?.layer(tileLayerOf(this.layer, this.y));
    }
  }

  #applyInspect(): void {
    const id = this.layer.slice('inspect:'.length);
    if (id === 'findings' && this.live) {
      void this.#readFindings();
    } else {
      const values = this.inspectData?.values[id];
      if (!this.inspectData || !values) return;
      this.#paintInspect(id, this.inspectData.x, this.inspectData.z, values);
    }
  }

  #paintInspect(id: string, x: number[], z: number[], values: number[]): void {
    this.scale = scaleFor(id, values);
    this.#painter = new InspectPainter(x, z, values, this.scale.colour);
    this.#view?.inspect(this.#painter);
  }

  /// The worst finding of a chunk gives its colour, their number the shade.
  #paintFindings({ findings }: Findings): void {
    const chunks = new Map<string, { x: number; z: number; count: number; rank: number }>();
    const { x = [], z = [] } = this.inspectData ?? {};
    x.forEach((cx, i) => chunks.set(`${cx},${z[i]}`, { x: cx, z: z[i] ?? 0, count: 0, rank: 0 }));
    for (const { chunk, count = 1, severity } of findings) {
      if (!chunk) continue;
      const known = chunks.get(chunk.join(',')) ?? { x: chunk[0], z: chunk[1], count: 0, rank: 0 };
      known.count += count;
      known.rank = Math.max(known.rank, severityRank(severity));
      chunks.set(chunk.join(','), known);
    }
    const all = [...chunks.values()];
    const most = all.reduce((sum, { count }) => Math.max(sum, count), 0);
    this.scale = findingScale(new Set(all.filter(({ count }) => count > 0).map(({ rank }) => rank)));
    const columns = [all.map((each) => each.x), all.map((each) => each.z), all.map((each) => each.count)] as const;
    this.#painter = new InspectPainter(...columns, (value, i) => findingColour(all[i]?.rank ?? 0, value, most));
    this.#view?.inspect(this.#painter);
  }

  /// Asks for the findings again while the server still checks.
  async #readFindings(): Promise<void> {
    try {
      const findings = await api.findings(this.folder);
      if (this.layer !== 'inspect:findings') return;
      this.findings = findings;
      this.#paintFindings(findings);
      if (findings.state === 'running') this.#findingsTimer = setTimeout(() => void this.#readFindings(), 1000);
    } catch (problem) {
      if (problem instanceof ApiError && problem.status === 0) return; // the banner says it
      this.#findingsTimer = setTimeout(() => void this.#readFindings(), 3000);
    }
  }

  #applyPoints(): void {
    const view = this.#view;
    if (!view) return;
    for (const set of pointSets(this.facts, this.markers, this.shown)) view.points.put(set);
    view.grid(this.shown.grid);
    this.#showFound(this.search.places);
  }

  #showFound(places: Place[]): void {
    this.#view?.points.put(foundSet(places));
    const chunks = new Map<string, [number, number]>();
    for (const { x, y, z } of places) if (y === null) chunks.set(`${x},${z}`, [chunkOf(x), chunkOf(z)]);
    this.#view?.markChunks([...chunks.values()]);
  }

  #placeOf(hit: Hit): [number, number | null, number] {
    const { facts } = this;
    if (hit.set.name === 'found') {
      const place = this.search.places.filter((each) => each.y !== null)[hit.index];
      if (place) return [place.x, place.y, place.z];
    }
    if (hit.set.name === 'entities' && facts) {
      const { x, y, z } = facts.entities;
      return [x[hit.index] ?? hit.x, y[hit.index] ?? null, z[hit.index] ?? hit.z];
    }
    if (hit.set.name === 'containers' && facts) {
      const { x, y, z } = facts.containers;
      return [x[hit.index] ?? hit.x, y[hit.index] ?? null, z[hit.index] ?? hit.z];
    }
    return [hit.x, null, hit.z];
  }

  #listen(): void {
    let before = false;
    this.#events = new LiveEvents('api/events', {
      connected: (how) => {
        this.connection = how;
        if (how === 'open' && before) void this.#refresh(true);
        before = true;
        if (how === 'full') {
          this.#pollTimer ??= setInterval(() => void this.#poll(), k_poll_ms);
        } else {
          clearInterval(this.#pollTimer);
          this.#pollTimer = undefined;
        }
      },
      tiles: (event) => {
        if (event.world !== this.folder && event.world !== this.index?.name) return;
        this.#view?.forgetTiles(event.tiles);
        if (this.selection?.block) void this.selection.ask(this.selection.y);
      },
      world: (event) => {
        if (event.world === this.folder || event.world === this.index?.name) void this.#refresh(false);
      },
      progress: (event) => {
        if (event.world !== this.folder && event.world !== this.index?.name) return;
        this.progress = event.done < event.total ? { done: event.done, total: event.total } : null;
      },
    });
  }

  /// Without events: looks whether the index was replaced.
  async #poll(): Promise<void> {
    const { folder } = this;
    if (!folder) return;
    const index = await this.#readIndex(folder).catch(() => null);
    if (index && folder === this.folder && index.generation !== this.index?.generation) await this.#refresh(true);
  }

  /// Reads the index again; after a lost connection also every tile, because changes were missed.
  async #refresh(everything: boolean): Promise<void> {
    const { folder } = this;
    if (!folder) return;
    try {
      const index = await this.#readIndex(folder);
      if (folder !== this.folder) return;
      const grew = !this.index?.bounds && index.bounds;
      this.index = index;
      this.trouble = index.bounds ? null : this.trouble;
      this.#view?.world(folder, this.live, index, !grew);
      if (grew) this.#view?.fit(false);
      if (everything) this.retryTiles();
      if (everything && this.selection?.state === 'failed') void this.selection.ask(this.selection.y);
      await this.#readMore(index);
    } catch {
      // The server is away again; the connection says so.
    }
  }

  #address(): string {
    const { camera, selection } = this;
    return format({
      ...(this.info && this.info.worlds.length > 1 && this.index ? { world: this.index.name } : {}),
      x: camera.x,
      z: camera.z,
      zoom: camera.zoom,
      layer: this.layer,
      ...(this.choice?.heights ? { y: this.y } : {}),
      ...(selection ? { at: [selection.x, selection.y, selection.z] } : {}),
    });
  }

  /// Browsers allow only so many changes of the address in a while.
  #writeAddress(): void {
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(() => {
      if (!this.index?.bounds) return;
      const wanted = this.#address();
      if (wanted !== location.hash) history.replaceState(null, '', wanted);
    }, 250);
  }

  close(): void {
    this.#events?.close();
    this.search.close();
    clearInterval(this.#pollTimer);
    clearTimeout(this.#findingsTimer);
    clearTimeout(this.#addressTimer);
  }
}
