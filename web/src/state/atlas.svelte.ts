import { api, refusal } from '../data/api';
import { load } from '../data/scripts';
import { type Connection, LiveEvents, type ProgressEvent } from '../data/events';
import type { Facts, Inspect, MapInfo, Marker, Place, WorldIndex, WorldStatus } from '../data/types';
import { chunkOf, k_chunk } from '../map/grid';
import type { Camera, MapListener, MapView } from '../map/map_view';
import type { Hit } from '../map/points';
import { ChunkList } from './chunk_list';
import { exportedFindings } from './findings';
import { Inspector } from './inspector.svelte';
import { type Choice, heightToSee, inspectChoices, missingLayer, nearestHeight, tileChoices, tileLayerOf } from './layers';
import { foundSet, isPoint, pointSets, type Shown } from './point_sets';
import { remember, remembered } from './remembered';
import { Search } from './search.svelte';
import { containersAt, Selection } from './selection.svelte';
import { Space } from './space.svelte';
import { brokenWorld, emptyWorld, goneWorld, newerMap, noMap, noWorld, type Trouble } from './trouble';
import { type Address, format, parse } from './url';
import { indexAddress, readFiles, readIndex } from './world_files';

const k_format = 1;
/// Without events a change must still be seen within two seconds.
const k_poll_ms = 1000;
const k_shown_key = 'orbis-shown';
const k_shown: Shown = { markers: true, players: true, warps: true, beds: false, containers: false, entities: false, grid: false };

/// Everything the page knows and shows: the only place that talks to both the data and the map.
export class Atlas implements MapListener {
  info = $state.raw<MapInfo | null>(null);
  folder = $state('');
  index = $state.raw<WorldIndex | null>(null);
  facts = $state.raw<Facts | null>(null);
  inspectData = $state.raw<Inspect | null>(null);
  layer = $state('surface');
  y = $state(64);
  shown = $state<Shown>(remembered(k_shown_key, { ...k_shown }));
  camera = $state.raw<Camera>({ x: 0, z: 0, zoom: 0 });
  pointer = $state.raw<{ block: [number, number]; screen: [number, number]; hit: Hit | undefined } | null>(null);
  selection = $state.raw<Selection | null>(null);
  /// A result of the search that is somewhere in a chunk: it has no block to show.
  somewhere = $state.raw<Place | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  lostTiles = $state(0);
  /// Something to know about what is shown, said once.
  hint = $state('');
  /// Why another world is shown than the address names.
  strayed = $state('');
  /// Whether nothing of the world is in sight.
  away = $state(false);
  /// Whether the panel about the whole world is open.
  worldOpen = $state(false);
  connection = $state<'none' | Connection>('none');
  /// What the server says of its worlds; nothing for an export.
  statuses = $state.raw<WorldStatus[]>([]);
  readonly search: Search;
  readonly space = new Space(this);
  readonly inspector = new Inspector((painter) => this.#view?.inspect(painter));
  #progress = $state.raw(new Map<string, ProgressEvent>());
  #view: MapView | null = null;
  #events: LiveEvents | null = null;
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

  status = $derived(this.#statusOf(this.folder));
  progress = $derived(this.#progress.get(this.folder) ?? (this.index && this.#progress.get(this.index.name)) ?? null);
  /// Files that cannot be read, as the server or the export says it.
  problems = $derived(this.status?.problems ?? this.inspectData?.problems ?? []);
  chunks = $derived(new ChunkList(this.inspectData));

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
    // By now the address may have been written over with what was shown before (#writeAddress).
    addEventListener('hashchange', (event) => void this.#follow(parse(new URL(event.newURL).hash)));
    try {
      this.info = await load<MapInfo>('map.js', 'map');
    } catch {
      this.trouble = noMap;
      return;
    }
    if (this.info.format > k_format) {
      this.trouble = newerMap(this.info.program);
      return;
    }
    document.title = this.info.title ? `${this.info.title} · Orbis` : 'Orbis map';
    if (this.info.live) this.#listen();
    if (this.info.worlds.length === 0) this.trouble = noWorld(this.live);
    else await this.#follow(parse(location.hash));
  }

  /// Opens a world of the list.
  async open(folder: string, address: Address = {}): Promise<void> {
    const turn = ++this.#opening;
    if (!address.world) this.strayed = '';
    let index: WorldIndex;
    try {
      index = await readIndex(folder, this.live);
      // Nothing is called empty before it is known whether something cannot be read.
      if (this.live && !index.bounds && this.statuses.length === 0) this.statuses = (await api.worlds().catch(() => ({ worlds: [] }))).worlds;
    } catch (problem) {
      if (turn === this.#opening) await this.#failed(folder, problem, turn);
      return;
    }
    if (turn !== this.#opening) return;
    if (this.space.open) this.space.leave(); // first, because it places the map
    this.trouble = null;
    this.folder = folder;
    this.index = index;
    this.facts = null;
    this.inspectData = null;
    this.inspector.findings = null;
    this.lostTiles = 0;
    this.worldOpen = false;
    this.select(null);
    this.#view?.points.clear();
    this.#view?.world(folder, this.live, index, false);
    this.#goTo(address);
    this.#layerOf(address);
    if (address.space) this.space.enter(address.space);
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
    this.hint = '';
    this.#applyLayer();
    this.#writeAddress();
  }

  /// The height of a slice in which a chosen block is seen, where the layer that is shown hides it.
  sliceToSee({ y, block }: Selection): number | null {
    const heights = this.choices.find((each) => each.id === 'slice')?.heights;
    if (!heights || y === null || !this.index || (block && y >= block.height)) return null;
    const height = heightToSee(heights, y, this.index.height);
    return height < y || (this.layer === 'slice' && this.y === height) ? null : height;
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
    remember(k_shown_key, { ...this.shown });
    this.#applyPoints();
  }

  select(selection: Selection | null): void {
    this.selection?.close();
    this.selection = selection;
    this.somewhere = null;
    this.#view?.choose(selection ? [selection.x, selection.z] : null);
    this.space.redraw();
    if (!selection) this.#view?.settle();
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
    } else if (this.chunks.known && !this.chunks.has(x, z)) {
      selection.absent();
    } else if (this.chunks.problemAt(x, z)) {
      selection.unreadable({
        message: `this chunk could not be read when the map was created: ${this.chunks.problemAt(x, z)?.message}`,
        advice: 'orbis verify WORLD says what is wrong, and orbis repair WORLD --from BACKUP restores it from a backup',
      });
    } else {
      const here = this.facts ? containersAt(this.facts, x, z, y) : [];
      const first = here[0];
      selection.fromFacts(y ?? (first && here.length === 1 ? (this.facts?.containers.y[first.index] ?? null) : null));
    }
  }

  /// Asks for another block of the chosen column; the address follows when it is known which one that is.
  askHeight(y: number | null): void {
    void this.selection?.ask(y).then(() => {
      this.space.redraw();
      this.#writeAddress();
    });
  }

  /// Goes to a place of a search or of a list, and shows what is there.
  visit(place: Place): void {
    if (!isPoint(place)) this.select(null);
    const zoom = place.side ? (place.side > k_chunk ? -0.5 : 2.5) : isPoint(place) ? 4 : 2.5;
    this.#view?.visit({ x: place.x, z: place.z, zoom: Math.max(zoom, this.camera.zoom) });
    this.space.visit(place.x, place.y, place.z);
    if (isPoint(place)) {
      const name = place.kind === 'block' ? place.name : '';
      return this.selectBlock(Math.floor(place.x), Math.floor(place.z), place.y === null ? null : Math.floor(place.y), name);
    }
    const side = place.side ?? k_chunk;
    if (!place.side) this.somewhere = place;
    this.#view?.choose([Math.floor(place.x / side) * side, Math.floor(place.z / side) * side], side);
  }

  /// Shows a chunk, in which something was found.
  visitChunk([cx, cz]: [number, number]): void {
    const middle = k_chunk / 2;
    this.visit({ kind: 'place', name: '', detail: '', y: null, x: cx * k_chunk + middle, z: cz * k_chunk + middle, side: k_chunk });
  }

  // What the map says.

  /// Where the flat map is when it is seen again.
  placeMap(camera: Camera): void {
    this.#view?.place(camera);
    this.camera = this.#view?.camera() ?? camera;
  }

  addressChanged(): void {
    this.#writeAddress();
  }

  moved(camera: Camera): void {
    this.camera = camera;
    this.#lookAround();
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

  retryTiles(): void {
    this.lostTiles = 0;
    this.#view?.forgetTiles('all');
  }

  /// How much of the map other things cover, in screen pixels: left, top, right, bottom.
  covered(insets: [number, number, number, number], lift: number): void {
    if (this.#view) Object.assign(this.#view, { insets, lift });
  }

  fit = (): void => this.#view?.fit(true);
  zoomBy = (step: number): void => (this.space.open ? this.space.zoom(2 ** -step) : this.#view?.zoomBy(step));
  pan = (right: number, down: number): void => this.#view?.pan(right, down);

  // Inside.

  async #follow(address: Address): Promise<void> {
    const worlds = this.info?.worlds ?? [];
    const named = worlds.find((world) => world.name === address.world || world.folder === address.world);
    const wanted = named ?? worlds[0];
    if (!wanted) return;
    this.strayed = address.world && !named ? `There is no world “${address.world.slice(0, 80)}” here; this is “${wanted.name}”.` : '';
    if (wanted.folder !== this.folder) return this.open(wanted.folder, address);
    if (format(address) === this.#address()) return;
    if (!address.space && this.space.open) this.space.leave(); // first, because it places the map
    this.#goTo(address);
    this.#layerOf(address);
    if (address.space) this.space.enter(address.space);
    if (address.at) this.selectBlock(address.at[0], address.at[2], address.at[1]);
    else this.select(null);
  }

  /// A world without an index: nothing of another one is left on the map.
  async #failed(folder: string, problem: unknown, turn: number): Promise<void> {
    if (this.space.open) this.space.leave();
    this.folder = folder;
    this.index = this.facts = this.inspectData = this.inspector.findings = null;
    this.select(null);
    this.#view?.points.clear();
    this.#view?.clear();
    if (!this.live) return void (this.trouble = brokenWorld(false, folder, problem));
    const [answer, list] = await Promise.all([refusal(indexAddress(folder, this.live)), api.worlds().catch(() => null)]);
    if (turn !== this.#opening || this.index) return;
    if (list) this.statuses = list.worlds;
    this.trouble = this.#nothing() ?? brokenWorld(true, folder, answer ?? problem);
    if (!answer) await this.#refresh(true); // it is there by now
  }

  /// Why there is nothing to show.
  #nothing(): Trouble | null {
    if (this.statuses.length > 0 && !this.status) return goneWorld(true);
    return emptyWorld(this.live, this.index, this.status, this.inspectData);
  }

  /// The layer that an address names, or why it cannot be shown.
  #layerOf({ layer = 'surface', y }: Address): void {
    this.setLayer(layer, y);
    const wanted = { id: layer, ...(y === undefined ? {} : { y }) };
    this.hint = this.index?.bounds ? missingLayer(wanted, this.choices, { id: this.layer, y: this.y }) : '';
  }

  async #readMore(index: WorldIndex): Promise<void> {
    this.#reading = true;
    const { facts, inspect } = await readFiles(this.folder, index);
    if (this.index !== index) return;
    this.#reading = false;
    if (facts || !this.facts) this.facts = facts;
    if (!this.live || this.search.state === 'failed' || !this.search.complete) this.search.changed(true);
    if (inspect || !this.inspectData) this.inspectData = inspect;
    this.trouble = this.#nothing();
    if (!this.live) this.inspector.findings = exportedFindings(this.inspectData);
    this.#view?.hatch(this.chunks.unreadable.map(({ chunk }) => chunk));
    this.#lookAround();
    this.#applyPoints();
    if (this.layer.startsWith('inspect:')) this.setLayer(this.choice ? this.layer : 'surface');
  }

  /// Whether any chunk is in sight.
  #lookAround(): void {
    const sight = this.#view?.sight();
    const bounds = this.index?.bounds;
    if (!sight || !bounds) return void (this.away = false);
    const inBounds = [0, 1].every((i) => bounds.max[i]! > sight.min[i]! && bounds.min[i]! < sight.max[i]!);
    this.away = !(inBounds && (!this.chunks.known || this.chunks.anyIn(sight)));
  }

  #goTo(address: Address): void {
    if (address.x !== undefined && address.z !== undefined) {
      this.#view?.place({ x: address.x, z: address.z, ...(address.zoom === undefined ? {} : { zoom: address.zoom }) });
    } else {
      this.#view?.fit(false);
    }
    if (this.#view) this.camera = this.#view.camera(); // the map itself says so a moment later
  }

  #usualHeight(): number {
    return this.index?.spawn?.[1] ?? 64;
  }

  #applyLayer(): void {
    if (this.layer.startsWith('inspect:')) {
      if (this.layer === 'inspect:findings' && matchMedia('(min-width: 1000px)').matches) this.worldOpen = true;
      this.#view?.layer('surface');
      this.inspector.show(this.layer.slice('inspect:'.length), this.inspectData, this.live ? this.folder : null);
    } else {
      this.inspector.hide();
      this.#view?.layer(tileLayerOf(this.layer, this.y));
    }
  }

  #applyPoints(): void {
    const view = this.#view;
    if (!view) return;
    const markers = this.index?.bounds ? this.markers : []; // on nothing they would stand nowhere
    for (const set of pointSets(this.facts, markers, this.shown)) view.points.put(set);
    view.grid(this.shown.grid);
    this.space.redraw();
    this.#showFound(this.search.places);
  }

  #showFound(places: Place[]): void {
    this.#view?.points.put(foundSet(places));
    const chunks = new Map<string, [number, number]>();
    for (const { kind, x, y, z } of places) if (y === null && kind !== 'place') chunks.set(`${x},${z}`, [chunkOf(x), chunkOf(z)]);
    this.#view?.markChunks([...chunks.values()]);
    this.space.redraw();
  }

  #placeOf(hit: Hit): [number, number | null, number] {
    const { facts } = this;
    if (hit.set.name === 'found') {
      const place = this.search.places.filter(isPoint)[hit.index];
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
      worlds: ({ worlds }) => this.#listed(worlds),
      tiles: (event) => {
        if (event.world !== this.folder && event.world !== this.index?.name) return;
        this.#view?.forgetTiles(event.tiles);
        if (this.selection?.block) void this.selection.ask(this.selection.y);
      },
      chunks: (event) => {
        if (event.world === this.folder || event.world === this.index?.name) this.space.changed(event.chunks);
      },
      world: (event) => {
        if (event.world === this.folder || event.world === this.index?.name) void this.#refresh(false);
      },
      progress: (event) => {
        const all = new Map(this.#progress);
        if (event.done < event.total) all.set(event.world, event);
        else all.delete(event.world);
        this.#progress = all;
      },
    });
  }

  #statusOf(folder: string): WorldStatus | null {
    return this.statuses.find((each) => each.folder === folder) ?? null;
  }

  /// Worlds came or went, or something else is wrong with one.
  #listed(worlds: WorldStatus[]): void {
    const before = this.status;
    const list = worlds.map(({ name, folder }) => ({ name, folder }));
    this.statuses = worlds;
    if (this.info && JSON.stringify(list) !== JSON.stringify(this.info.worlds)) this.info = { ...this.info, worlds: list };
    const now = worlds.find((each) => each.folder === this.folder);
    if (!this.folder) {
      if (worlds.length > 0) void this.#follow(parse(location.hash));
    } else if (!now) {
      this.trouble = goneWorld(worlds.length > 0);
    } else if (before && now.state !== before.state) {
      void this.#refresh(true);
    } else if (this.trouble && !before) {
      void this.#refresh(true); // it is back
    } else if (this.trouble) {
      this.trouble = this.#nothing() ?? this.trouble;
    }
  }

  /// Without events: looks for changed tiles, and whether the index was replaced.
  async #poll(): Promise<void> {
    const { folder } = this;
    if (!folder || document.hidden) return;
    await this.#view?.revalidate();
    const index = await readIndex(folder, this.live).catch(() => null);
    if (index && folder === this.folder && index.generation !== this.index?.generation) await this.#refresh(false);
  }

  /// Reads the index again; after a lost connection also every tile, because changes were missed.
  async #refresh(everything: boolean): Promise<void> {
    const { folder } = this;
    if (!folder) return;
    try {
      const index = await readIndex(folder, this.live);
      if (folder !== this.folder) return;
      const grew = !this.index?.bounds && index.bounds;
      this.index = index;
      this.trouble = this.#nothing();
      this.#view?.world(folder, this.live, index, !grew);
      if (grew) this.#view?.fit(false);
      if (everything) this.retryTiles();
      this.space.changed(everything ? undefined : []); // there may be chunks where there were none
      if (everything && this.selection?.state === 'failed') void this.selection.ask(this.selection.y);
      await this.#readMore(index);
    } catch {
      // The server is away again, as the connection says; or the world cannot be read.
      if (folder === this.folder) this.trouble = this.#nothing() ?? this.trouble;
    }
  }

  #address(): string {
    const { selection } = this;
    const space = this.space.address();
    const camera = { ...this.camera, ...(space && this.space.view ? { x: this.space.view.x, z: this.space.view.z } : {}) };
    return format({
      ...(this.info && this.info.worlds.length > 1 && this.index ? { world: this.index.name } : {}),
      x: camera.x,
      z: camera.z,
      zoom: camera.zoom,
      layer: this.layer,
      ...(this.choice?.heights ? { y: this.y } : {}),
      ...(selection ? { at: [selection.x, selection.y, selection.z] } : {}),
      ...(space ? { space } : {}),
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
    this.space.unmount();
    this.search.close();
    clearInterval(this.#pollTimer);
    this.inspector.close();
    clearTimeout(this.#addressTimer);
  }
}
