import 'ol/ol.css';
import OlMap from 'ol/Map';
import View from 'ol/View';
import { easeOut } from 'ol/easing';
import { defaults as interactions } from 'ol/interaction/defaults';
import TileLayer from 'ol/layer/Tile';
import Projection from 'ol/proj/Projection';
import type { WorldIndex } from '../data/types';
import { CanvasLayer, type Frame, screenX, screenY } from './canvas_layer';
import {
  blockAt,
  type Bounds,
  type Extent,
  extentOf,
  farthestZoom,
  k_chunk,
  k_nearest,
  k_region,
  k_tile,
  resolutionOf,
  zoomOf,
} from './grid';
import type { InspectPainter } from './inspect_painter';
import { paintHatched } from './hatch';
import { type Hit, Points } from './points';
import { k_colours } from './sprites';
import { TileSource } from './tile_source';

export interface Camera {
  x: number;
  z: number;
  zoom: number;
}

export interface MapListener {
  moved(camera: Camera): void;
  pointed(block: [number, number] | null, screen: [number, number] | null, hit: Hit | undefined): void;
  clicked(block: [number, number], hit: Hit | undefined): void;
  tileProblem(address: string): void;
  tileLoaded(): void;
}

const k_projection = new Projection({ code: 'orbis', units: 'pixels', extent: [-(2 ** 31), -(2 ** 31), 2 ** 31, 2 ** 31] });

const k_fly_ms = 450;

/// The map on the screen: tiles, values per chunk, points, the chosen block.
export class MapView {
  readonly points = new Points();
  /// What panels cover: left, top, right, bottom. The whole world is shown in what is left.
  insets: [number, number, number, number] = [0, 0, 0, 0];
  /// By how many pixels above the middle a place is shown that somebody goes to: on a phone, a sheet covers the rest.
  lift = 0;
  readonly #map: OlMap;
  readonly #tiles = new TileLayer<TileSource>({ cacheSize: 128, preload: 1 });
  readonly #over: CanvasLayer;
  readonly #listener: MapListener;
  readonly #calm: boolean;
  /// Where the map was before it made room for a sheet, and where it came to rest then.
  #shift: { back: Camera; at: Camera | null } | null = null;
  #source: TileSource | null = null;
  #sourceKey = '';
  #bounds: Bounds | null = null;
  #viewBounds = '';
  #inspect: InspectPainter | null = null;
  #grid = false;
  #marked: [number, number][] = [];
  #hatched: [number, number][] = [];
  #chosen: { x: number; z: number; side: number } | null = null;
  #zoomTarget: number | null = null;

  constructor(target: HTMLElement, listener: MapListener) {
    this.#listener = listener;
    this.#calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#over = new CanvasLayer((context, frame) => this.#paint(context, frame));
    this.#map = new OlMap({
      target,
      layers: [this.#tiles, this.#over],
      controls: [],
      interactions: interactions({ altShiftDragRotate: false, pinchRotate: false, keyboard: false, doubleClickZoom: true }),
      view: this.#newView({ min: [0, 0], max: [1, 1] }),
    });
    this.#tiles.on('prerender', (event) => {
      const context = event.context;
      const state = event.frameState;
      if (!(context instanceof CanvasRenderingContext2D) || !state) return;
      // A block that is larger than a pixel has sharp edges; a smaller one is blended with its neighbours.
      context.imageSmoothingEnabled = state.viewState.resolution / state.pixelRatio > 0.95;
    });
    this.#map.on('moveend', () => this.#listener.moved(this.camera()));
    this.#map.on('pointermove', (event) => {
      if (event.dragging) return this.#listener.pointed(null, null, undefined);
      const [px = 0, py = 0] = event.pixel;
      this.#listener.pointed(blockAt(event.coordinate), [px, py], this.points.at(px, py));
    });
    this.#map.getViewport().addEventListener('pointerleave', () => this.#listener.pointed(null, null, undefined));
    this.#map.on('singleclick', (event) => {
      this.#listener.clicked(blockAt(event.coordinate), this.points.at(event.pixel[0] ?? 0, event.pixel[1] ?? 0));
    });
  }

  /// Shows another world, or another state of the same one. The view stays when the world is the same.
  world(folder: string, live: boolean, index: WorldIndex, same: boolean): void {
    this.#bounds = index.bounds;
    if (!index.bounds) return this.clear();
    const layer = this.#source?.layer ?? 'surface';
    // Whole tiles of the coarsest level, so that a world that grows a little keeps its source.
    const step = k_tile * 2 ** (Math.max(1, index.levels) - 1);
    const extent = extentOf(index.bounds).map((value, i) => (i < 2 ? Math.floor : Math.ceil)(value / step) * step) as Extent;
    const key = `${index.levels} ${extent.join(' ')}`;
    if (same && this.#source && key === this.#sourceKey) {
      this.#source.update(index);
    } else {
      this.#sourceKey = key;
      this.#source = new TileSource(
        { folder, live, index },
        extent,
        k_projection,
        (address) => this.#listener.tileProblem(address),
        () => this.#listener.tileLoaded(),
      );
      this.#source.show(layer);
      this.#tiles.setSource(this.#source);
    }
    const bounds = JSON.stringify(index.bounds);
    if (same && bounds === this.#viewBounds) return;
    this.#viewBounds = bounds;
    const camera = this.camera();
    this.#map.setView(this.#newView(index.bounds));
    if (same) this.place(camera);
  }

  /// Shows no world.
  clear(): void {
    this.#bounds = null;
    this.#source = null;
    this.#hatched = [];
    this.#tiles.setSource(null);
    this.redraw();
  }

  layer(id: string): void {
    this.#source?.show(id);
  }

  forgetTiles(tiles: Record<string, string[]> | 'all'): void {
    if (tiles === 'all') this.#source?.forgetAll();
    else this.#source?.forget(tiles);
  }

  /// Looks for changed tiles without being told which.
  async revalidate(): Promise<void> {
    await this.#source?.revalidate();
  }

  inspect(painter: InspectPainter | null): void {
    this.#inspect = painter;
    this.#tiles.setOpacity(painter ? 0.3 : 1);
    this.redraw();
  }

  /// Chunks that are there and cannot be read: hatched, because they have no pixels.
  hatch(chunks: [number, number][]): void {
    this.#hatched = chunks;
    this.redraw();
  }

  /// The blocks that the screen shows.
  sight(): { min: [number, number]; max: [number, number] } {
    const [width = 1, height = 1] = this.#map.getSize() ?? [];
    const { x, z, zoom } = this.camera();
    const [wide, high] = [(width / 2) * resolutionOf(zoom), (height / 2) * resolutionOf(zoom)];
    return { min: [x - wide, z - high], max: [x + wide, z + high] };
  }

  /// Chunks that stand out, in chunk coordinates.
  markChunks(chunks: [number, number][]): void {
    this.#marked = chunks;
    this.redraw();
  }

  grid(show: boolean): void {
    this.#grid = show;
    this.redraw();
  }

  /// The chosen square: its north-west block and how many blocks its sides have.
  choose(place: [number, number] | null, side = 1): void {
    this.#chosen = place && { x: place[0], z: place[1], side };
    this.redraw();
  }

  redraw(): void {
    this.#over.changed();
  }

  resized(): void {
    this.#map.updateSize();
  }

  camera(): Camera {
    const view = this.#map.getView();
    const [x = 0, y = 0] = view.getCenter() ?? [];
    return { x, z: -y + 0, zoom: zoomOf(view.getResolution() ?? 1) };
  }

  place(camera: Partial<Camera>): void {
    const view = this.#map.getView();
    view.cancelAnimations();
    this.#shift = null;
    const now = this.camera();
    view.setCenter([camera.x ?? now.x, -(camera.z ?? now.z)]);
    view.setResolution(resolutionOf(camera.zoom ?? now.zoom));
  }

  /// Goes to a place, so that it is not covered.
  visit(camera: Camera, back = camera): void {
    const shift = { back, at: null as Camera | null };
    this.fly({ ...camera, z: camera.z + this.lift * resolutionOf(camera.zoom) }, k_fly_ms, () => (shift.at = this.camera()));
    if (this.lift > 0) this.#shift = shift;
  }

  /// The sheet is gone: what was moved for it goes back, where nobody has moved the map since.
  settle(): void {
    const back = this.#wayBack();
    this.#shift = null;
    if (back) this.fly(back);
  }

  #wayBack(): Camera | null {
    if (!this.#shift) return null;
    const { back, at } = this.#shift;
    const now = this.camera();
    const near = (a: number, b: number): boolean => Math.abs(a - b) < 2 * resolutionOf(now.zoom);
    return !at || (near(at.x, now.x) && near(at.z, now.z) && Math.abs(at.zoom - now.zoom) < 0.01) ? back : null;
  }

  /// Moves the map when a block lies below the sheet.
  reveal(x: number, z: number): void {
    const camera = this.camera();
    const { x: middle, z: now, zoom } = camera;
    const below = (z - now) / resolutionOf(zoom);
    if (this.lift > 0 && below > -this.lift / 2) this.visit({ x: Math.abs(x - middle) / resolutionOf(zoom) > 150 ? x : middle, z, zoom }, this.#wayBack() ?? camera);
  }

  fly(camera: Partial<Camera>, duration = k_fly_ms, done: () => void = () => {}): void {
    this.#shift = null;
    const now = this.camera();
    const center = [camera.x ?? now.x, -(camera.z ?? now.z)];
    const resolution = resolutionOf(camera.zoom ?? now.zoom);
    const view = this.#map.getView();
    view.cancelAnimations();
    view.animate({ center, resolution, duration: this.#calm ? 0 : duration, easing: easeOut }, done);
  }

  pan(right: number, down: number): void {
    const { x, z, zoom } = this.camera();
    const resolution = resolutionOf(zoom);
    this.fly({ x: x + right * resolution, z: z + down * resolution }, 120);
  }

  /// Several steps in a row add up, also while the map still moves.
  zoomBy(step: number): void {
    const view = this.#map.getView();
    const from = view.getAnimating() && this.#zoomTarget !== null ? this.#zoomTarget : this.camera().zoom;
    const zoom = Math.max(zoomOf(view.getMaxResolution()), Math.min(k_nearest, from + step));
    this.#zoomTarget = zoom;
    view.cancelAnimations();
    view.animate({ resolution: resolutionOf(zoom), duration: this.#calm ? 0 : 200, easing: easeOut });
  }

  /// The whole world.
  fit(animated: boolean): void {
    if (!this.#bounds) return;
    const [width = 1, height = 1] = this.#map.getSize() ?? [];
    const [left, top, right, bottom] = this.insets;
    const { min, max } = this.#bounds;
    const need = Math.max((max[0] - min[0]) / ((width - left - right) * 0.94), (max[1] - min[1]) / ((height - top - bottom) * 0.94));
    const zoom = Math.min(2, zoomOf(need));
    const aside = resolutionOf(zoom) / 2;
    const camera = {
      x: (min[0] + max[0]) / 2 + (right - left) * aside,
      z: (min[1] + max[1]) / 2 + (bottom - top) * aside,
      zoom,
    };
    if (animated) this.fly(camera);
    else this.place(camera);
  }

  #newView(bounds: Bounds): View {
    const [width = 1000, height = 800] = this.#map?.getSize() ?? [];
    const [left, bottom, right, top] = extentOf(bounds);
    return new View({
      projection: k_projection,
      center: [(left + right) / 2, (bottom + top) / 2],
      resolution: 1,
      minResolution: resolutionOf(k_nearest),
      maxResolution: resolutionOf(farthestZoom(bounds, width, height)),
      enableRotation: false,
      multiWorld: true,
      smoothResolutionConstraint: true,
    });
  }

  #paint(context: CanvasRenderingContext2D, frame: Frame): void {
    if (this.#hatched.length > 0) paintHatched(context, frame, this.#hatched);
    this.#inspect?.paint(context, frame);
    if (this.#grid) this.#paintGrid(context, frame);
    if (this.#marked.length > 0) this.#paintMarked(context, frame);
    if (this.#chosen) this.#paintChosen(context, frame, this.#chosen);
    this.points.paint(context, frame);
  }

  #paintGrid(context: CanvasRenderingContext2D, frame: Frame): void {
    for (const [step, alpha] of [
      [k_chunk, 0.28],
      [k_region, 0.7],
    ] as const) {
      if (step / frame.resolution < 12) continue;
      context.beginPath();
      for (let x = Math.ceil(frame.left / step) * step; screenX(frame, x) < frame.width; x += step) {
        const at = Math.round(screenX(frame, x)) + 0.5;
        context.moveTo(at, 0);
        context.lineTo(at, frame.height);
      }
      for (let z = Math.ceil(frame.top / step) * step; screenY(frame, z) < frame.height; z += step) {
        const at = Math.round(screenY(frame, z)) + 0.5;
        context.moveTo(0, at);
        context.lineTo(frame.width, at);
      }
      context.lineWidth = step === k_region ? 1.5 : 1;
      context.strokeStyle = `rgb(255 255 255 / ${alpha})`;
      context.stroke();
      context.setLineDash([4, 4]);
      context.strokeStyle = `rgb(0 0 0 / ${alpha})`;
      context.stroke();
      context.setLineDash([]);
    }
  }

  #paintMarked(context: CanvasRenderingContext2D, frame: Frame): void {
    const side = k_chunk / frame.resolution;
    const shown = Math.max(3, side - 1); // still seen when chunks are smaller than a pixel
    context.fillStyle = `${k_colours.found}40`;
    context.strokeStyle = `${k_colours.found}99`;
    context.lineWidth = 1;
    for (const [cx, cz] of this.#marked) {
      const [x, y] = [screenX(frame, cx * k_chunk), screenY(frame, cz * k_chunk)];
      if (x + side < 0 || y + side < 0 || x > frame.width || y > frame.height) continue;
      context.fillRect(x, y, shown, shown);
      if (side > 8) context.strokeRect(x + 0.75, y + 0.75, shown - 1.5, shown - 1.5);
    }
  }

  #paintChosen(context: CanvasRenderingContext2D, frame: Frame, { x, z, side: blocks }: { x: number; z: number; side: number }): void {
    const side = Math.max(10, blocks / frame.resolution);
    const [cx, cy] = [screenX(frame, x + blocks / 2), screenY(frame, z + blocks / 2)];
    for (const [width, colour] of [
      [5, 'rgb(0 0 0 / 55%)'],
      [2.5, '#fff'],
    ] as const) {
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.strokeRect(cx - side / 2, cy - side / 2, side, side);
    }
  }
}
