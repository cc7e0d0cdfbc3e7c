import { api, meshAddress } from '../data/api';
import { resolutionOf, zoomOf } from '../map/grid';
import { SpaceOverlay } from '../map/space_overlay';
import { distanceOf, resolutionAt, type View } from '../viewer/camera';
import type { Picked } from '../viewer/pick';
import { type Cut, k_no_cut, type OpenViewer, type Project, type Stats, type Viewer } from '../viewer/types';
import type { Atlas } from './atlas.svelte';
import { type SpacePoint, spacePoints } from './space_points';
import type { SpaceAddress } from './url';

declare const __ORBIS_VIEWER__: string;

const k_ground = 64;
/// Points are gathered again when the view has moved this far.
const k_gather_step = 64;
const k_stats_ms = 250;
const k_cut_ms = 150;

let script: Promise<OpenViewer> | null = null;

/// Loads what draws three dimensions: nobody else pays for it.
function loadViewer(): Promise<OpenViewer> {
  script ??= new Promise<OpenViewer>((resolve, reject) => {
    const element = document.createElement('script');
    element.src = __ORBIS_VIEWER__;
    element.onload = () => (window.orbisViewer ? resolve(window.orbisViewer) : reject(new Error('the viewer did not start')));
    element.onerror = () => reject(new Error(`${__ORBIS_VIEWER__} could not be loaded`));
    document.head.append(element);
  }).catch((problem: unknown) => {
    script = null; // so that another try loads it again
    throw problem;
  });
  return script;
}

/// The world in three dimensions, over the flat map.
export class Space {
  state = $state<'off' | 'loading' | 'on' | 'failed'>('off');
  /// Counts how often it was begun: each time takes elements of its own.
  round = $state(0);
  view = $state.raw<View | null>(null);
  hour = $state(12);
  cut = $state.raw<Cut>(k_no_cut);
  /// What F3 shows.
  stats = $state.raw<Stats | null>(null);
  problem = $state('');
  tip = $state.raw<{ text: string; x: number; y: number } | null>(null);
  readonly #atlas: Atlas;
  #wanted: SpaceAddress | null = null;
  #viewer: Viewer | null = null;
  #overlay: SpaceOverlay | null = null;
  #points: SpacePoint[] = [];
  #gathered: [number, number] | null = null;
  #turn = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #cutTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(atlas: Atlas) {
    this.#atlas = atlas;
  }

  get open(): boolean {
    return this.state !== 'off';
  }

  /// Whether there is anything to show: meshes come from a server.
  get possible(): boolean {
    return this.#atlas.live && this.#atlas.index?.bounds !== null && this.#atlas.index !== null && __ORBIS_VIEWER__ !== '';
  }

  toggle(): void {
    if (this.open) this.leave();
    else this.enter(null);
  }

  /// Shows what an address says; the place of the map where it says nothing.
  enter(address: SpaceAddress | null): void {
    if (!this.possible) return;
    clearTimeout(this.#cutTimer);
    this.#wanted = address;
    this.hour = address?.hour ?? this.hour;
    this.cut = address?.cut ?? k_no_cut;
    if (this.#viewer && address) {
      this.#viewer.cut = this.cut;
      this.#viewer.hour = this.hour;
      this.#viewer.view = { ...this.#viewer.view, ...address.view, x: this.#atlas.camera.x, z: this.#atlas.camera.z };
    } else if (this.state === 'off' || this.state === 'failed') {
      this.problem = '';
      this.state = 'loading';
      ++this.round;
    }
  }

  /// Back to the flat map, at the place that was looked at.
  leave(): void {
    const view = this.#viewer?.view;
    this.unmount();
    this.state = 'off';
    this.view = null;
    if (view) {
      const zoom = view.mode === 'orbit' ? zoomOf(resolutionAt(view.distance, innerHeight)) : this.#atlas.camera.zoom;
      this.#atlas.placeMap({ x: view.x, z: view.z, zoom: Math.max(-2, Math.min(4, zoom)) });
    }
    this.#atlas.addressChanged();
  }

  /// The element is there that the picture comes into.
  async mount(target: HTMLElement, canvas: HTMLCanvasElement): Promise<void> {
    const turn = ++this.#turn;
    const { camera: asked, folder } = this.#atlas;
    try {
      const [open, column] = await Promise.all([
        loadViewer(),
        this.#wanted?.view.y !== undefined ? null : api.column(folder, Math.floor(asked.x), Math.floor(asked.z), 'surface').catch(() => null),
      ]);
      if (turn !== this.#turn) return;
      const { camera } = this.#atlas; // an address may have been followed meanwhile
      this.#overlay = new SpaceOverlay(canvas);
      const view: View = {
        x: camera.x,
        y: column?.height ?? k_ground,
        z: camera.z,
        yaw: 0,
        pitch: 38,
        distance: Math.min(distanceOf(resolutionOf(camera.zoom), innerHeight), 320),
        mode: 'orbit',
        ...this.#wanted?.view,
      };
      this.#viewer = open(
        target,
        {
          address: (cx, cz, cut) => meshAddress(folder, cx, cz, cut),
          exists: (cx, cz) => this.#exists(cx, cz),
          moved: (now) => this.#moved(now),
          drawn: (project) => this.#drawn(project),
          clicked: (picked, screen) => this.#clicked(picked, screen),
          pointed: (screen) => this.#pointed(screen),
        },
        view,
      );
      this.#viewer.cut = this.cut;
      this.#viewer.hour = this.hour;
      this.view = this.#viewer.view;
      this.state = 'on';
      this.#atlas.addressChanged();
    } catch (problem) {
      if (turn !== this.#turn) return;
      this.unmount();
      this.state = 'failed';
      const why = problem instanceof Error ? problem.message : String(problem);
      this.problem = /webgl/i.test(why) ? 'This browser cannot show three dimensions: WebGL 2 is switched off, or there is no driver for it.' : `Three dimensions cannot be shown: ${why}.`;
    }
  }

  unmount(): void {
    ++this.#turn;
    clearInterval(this.#timer);
    clearTimeout(this.#cutTimer);
    this.stats = null;
    this.tip = null;
    this.#viewer?.close();
    this.#viewer = null;
    this.#overlay = null;
  }

  resized(): void {
    this.#viewer?.resized();
  }

  setHour(hour: number): void {
    this.hour = ((hour % 24) + 24) % 24;
    if (this.#viewer) this.#viewer.hour = this.hour;
    this.#atlas.addressChanged();
  }

  /// While a slider moves, chunks are asked for a moment later.
  setCut(cut: Cut): void {
    this.cut = cut;
    clearTimeout(this.#cutTimer);
    this.#cutTimer = setTimeout(() => {
      if (this.#viewer) this.#viewer.cut = cut;
      this.#atlas.addressChanged();
    }, k_cut_ms);
  }

  setMode(mode: View['mode']): void {
    this.#viewer?.setMode(mode);
  }

  /// Whether the key is one of those that move here.
  key(event: KeyboardEvent): boolean {
    return this.#viewer?.key(event) ?? false;
  }

  zoom(factor: number): void {
    this.#viewer?.zoom(factor);
  }

  toggleStats(): void {
    clearInterval(this.#timer);
    if (this.stats || !this.#viewer) {
      this.stats = null;
      return;
    }
    const read = (): void => void (this.stats = this.#viewer?.stats() ?? null);
    read();
    this.#timer = setInterval(read, k_stats_ms);
  }

  /// Goes where somebody wants to look.
  visit(x: number, y: number | null, z: number): void {
    if (!this.#viewer) return;
    const { view } = this.#viewer;
    const ground = y ?? this.#viewer.heightAt(x, z) ?? view.y;
    this.#viewer.setMode('orbit');
    this.#viewer.view = { ...this.#viewer.view, x, y: ground, z, distance: Math.min(view.mode === 'orbit' ? view.distance : 60, 60) };
  }

  /// Without a list all chunks have changed.
  changed(chunks?: [number, number][] | null): void {
    this.#viewer?.changed(chunks ?? undefined);
  }

  /// Other points are to be shown, or another block is chosen.
  redraw(): void {
    this.#gathered = null;
    this.#viewer?.draw();
  }

  address(): SpaceAddress | null {
    if (this.state !== 'on' || !this.view) return null;
    const { y, yaw, pitch, distance, mode } = this.view;
    return { view: { y, yaw, pitch, distance, mode }, hour: this.hour, cut: this.cut };
  }

  #exists(cx: number, cz: number): boolean {
    const bounds = this.#atlas.index?.bounds;
    return bounds !== null && bounds !== undefined && cx * 32 >= bounds.min[0] && cx * 32 < bounds.max[0] && cz * 32 >= bounds.min[1] && cz * 32 < bounds.max[1];
  }

  #moved(view: View): void {
    this.view = view;
    this.#atlas.addressChanged();
  }

  #drawn(project: Project): void {
    const { view } = this;
    if (!view) return;
    const { facts, markers, shown, search, selection } = this.#atlas;
    if (!this.#gathered || Math.hypot(view.x - this.#gathered[0], view.z - this.#gathered[1]) > k_gather_step) {
      this.#gathered = [view.x, view.z];
      this.#points = spacePoints(facts, markers, shown, search.places, view.x, view.z);
    }
    const chosen: [number, number, number] | null = selection && selection.y !== null ? [selection.x, selection.y, selection.z] : null;
    this.#overlay?.paint(this.#points, chosen, project);
  }

  #clicked(picked: Picked | null, [x, y]: [number, number]): void {
    const point = this.#overlay?.at(x, y);
    if (point) this.#atlas.selectBlock(Math.floor(point.x), Math.floor(point.z), Math.max(0, Math.floor(point.y)));
    else if (picked) this.#atlas.selectBlock(picked.block[0], picked.block[2], picked.block[1]);
    else this.#atlas.select(null);
  }

  #pointed(screen: [number, number] | null): void {
    const point = screen && this.#overlay?.at(...screen);
    this.tip = point && screen ? { text: point.label, x: screen[0], y: screen[1] } : null;
  }
}
