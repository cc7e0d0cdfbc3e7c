import { Color, PerspectiveCamera, Vector3, WebGLRenderer } from 'three';
import { direction, eye, k_fov, settled, type View } from './camera';
import { Controls } from './controls';
import { k_reach, keyOf, Loader, type Loaded } from './loader';
import { type MeshData, quadWords } from './mesh_data';
import { pick, type Picked, type Ray, type Vector } from './pick';
import { ChunkScene } from './scene';
import { daylight } from './sun';
import { type Cut, type Host, k_no_cut, type Project, type Stats, type Viewer } from './types';

const k_side = 32;
const k_frames = 30;

/// A chunk that cannot be read: red glass in its place, so that it does not pass for a hole in the world.
function unreadable(): MeshData {
  const words: number[] = [];
  for (let y = 0; y < 128; y += 32) {
    for (let face = 2; face < 6; ++face) {
      const [x, z] = [face === 5 ? 31 : 0, face === 3 ? 31 : 0];
      words.push(...quadWords({ x, y, z, width: 32, height: 32, face, material: 0, shape: 0, light: 0 }));
    }
  }
  words.push(...quadWords({ x: 0, y: 127, z: 0, width: 32, height: 32, face: 0, material: 0, shape: 0, light: 0 }));
  return {
    allFaces: false,
    incomplete: true,
    materials: new Uint8Array([214, 40, 57, 255, 255, 255, 0, 110]),
    tints: new Uint8Array(4096).fill(255),
    quads: new Uint32Array(words),
    opaque: 0,
  };
}

/// A world in three dimensions in an element of the page.
export class WorldViewer implements Viewer {
  readonly #host: Host;
  readonly #target: HTMLElement;
  readonly #renderer: WebGLRenderer;
  readonly #camera = new PerspectiveCamera(k_fov, 1, 0.5, 12_000);
  readonly #scene = new ChunkScene();
  readonly #loader: Loader;
  readonly #controls: Controls;
  readonly #unreadable = new Set<string>();
  #view: View;
  #hour = 12;
  #cut: Cut = k_no_cut;
  #middle = '';
  #dirty = true;
  #handle = 0;
  #last = 0;
  #times: number[] = [];
  #closed = false;

  constructor(target: HTMLElement, host: Host, view: View) {
    this.#host = host;
    this.#target = target;
    this.#view = settled(view);
    this.#renderer = new WebGLRenderer({ antialias: true, powerPreference: 'high-performance' });
    this.#renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    target.append(this.#renderer.domElement);
    this.#loader = new Loader({
      address: (cx, cz) => host.address(cx, cz, this.#cut),
      exists: (cx, cz) => host.exists(cx, cz),
      arrived: (cx, cz, loaded) => this.#arrived(cx, cz, loaded),
      left: (cx, cz) => this.#left(cx, cz),
    });
    this.#controls = new Controls(target, {
      view: () => this.#view,
      change: (next) => (this.view = next),
      clicked: (x, y) => host.clicked(this.pick(x, y), [x, y]),
      pointed: (x, y) => host.pointed([x, y]),
      unpointed: () => host.pointed(null),
    });
    this.hour = 12;
    this.resized();
    this.#look();
  }

  get view(): View {
    return this.#view;
  }

  set view(view: View) {
    this.#view = settled(view);
    this.#look();
    this.draw();
    this.#host.moved(this.#view);
  }

  get hour(): number {
    return this.#hour;
  }

  set hour(hour: number) {
    this.#hour = hour;
    const light = daylight(hour);
    this.#scene.light(light);
    this.#renderer.setClearColor(new Color().setRGB(...light.sky, 'srgb'));
    this.draw();
  }

  get cut(): Cut {
    return this.#cut;
  }

  set cut(cut: Cut) {
    if (JSON.stringify(cut) === JSON.stringify(this.#cut)) return;
    this.#cut = cut;
    this.#loader.changed();
  }

  changed(chunks?: [number, number][]): void {
    this.#loader.changed(chunks);
  }

  key(event: KeyboardEvent): boolean {
    const used = this.#controls.key(event);
    if (used) this.draw();
    return used;
  }

  zoom(factor: number): void {
    this.#controls.zoom(factor);
  }

  setMode(mode: View['mode']): void {
    this.#controls.setMode(mode);
  }

  draw(): void {
    this.#dirty = true;
    if (this.#handle === 0 && !this.#closed) this.#handle = requestAnimationFrame((now) => this.#frame(now));
  }

  pick(x: number, y: number): Picked | null {
    return pick(this.#ray(x, y), this.#scene.chunks);
  }

  heightAt(x: number, z: number): number | null {
    const chunk = this.#scene.chunkAt(keyOf(Math.floor(x / k_side), Math.floor(z / k_side)));
    if (!chunk) return null;
    const picked = pick({ from: [Math.floor(x) + 0.5, 400, Math.floor(z) + 0.5], to: [0, -1, 0] }, [chunk]);
    return picked ? picked.block[1] : null;
  }

  stats(): Stats {
    const { there, waiting } = this.#loader.counts;
    const sum = this.#times.reduce((a, b) => a + b, 0);
    return {
      frame: this.#times.length > 0 ? sum / this.#times.length : 0,
      triangles: this.#renderer.info.render.triangles,
      chunks: there,
      waiting,
      unreadable: this.#unreadable.size,
      memory: this.#scene.memory,
    };
  }

  resized(): void {
    const [width, height] = [Math.max(1, this.#target.clientWidth), Math.max(1, this.#target.clientHeight)];
    this.#renderer.setSize(width, height);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    this.draw();
  }

  close(): void {
    this.#closed = true;
    cancelAnimationFrame(this.#handle);
    this.#loader.close();
    this.#controls.close();
    this.#scene.close();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
    this.#renderer.domElement.remove();
  }

  /// Chunks are loaded around what is looked at, in flight around the eye.
  #look(): void {
    const [cx, cz] = [Math.floor(this.#view.x / k_side), Math.floor(this.#view.z / k_side)];
    if (this.#middle === keyOf(cx, cz)) return;
    this.#middle = keyOf(cx, cz);
    this.#scene.recentre(this.#view.x, this.#view.z);
    this.#scene.fog((cx + 0.5) * k_side, (cz + 0.5) * k_side, (k_reach - 4) * k_side, (k_reach - 0.5) * k_side);
    this.#loader.look(cx, cz);
  }

  #arrived(cx: number, cz: number, loaded: Loaded): void {
    const key = keyOf(cx, cz);
    this.#unreadable.delete(key);
    if (loaded.kind === 'absent') this.#scene.remove(key);
    else if (loaded.kind === 'mesh') this.#scene.put(key, cx, cz, loaded.data);
    else {
      this.#unreadable.add(key);
      this.#scene.put(key, cx, cz, unreadable());
    }
    this.draw();
  }

  #left(cx: number, cz: number): void {
    this.#scene.remove(keyOf(cx, cz));
    this.#unreadable.delete(keyOf(cx, cz));
    this.draw();
  }

  #aim(): void {
    const [x, y, z] = eye(this.#view);
    const [ox, oz] = this.#scene.origin;
    const [dx, dy, dz] = direction(this.#view);
    this.#camera.position.set(x - ox, y, z - oz);
    // Straight down there is no north above: a little less steep gives it.
    const angle = (this.#view.yaw * Math.PI) / 180;
    if (Math.abs(dy) > 0.9999) this.#camera.up.set(Math.sin(angle), 0, -Math.cos(angle));
    else this.#camera.up.set(0, 1, 0);
    this.#camera.lookAt(x - ox + dx, y + dy, z - oz + dz);
    // Far away small distances cannot be told apart, and nothing is near.
    const near = this.#view.mode === 'orbit' ? Math.max(0.3, this.#view.distance / 60) : 0.3;
    if (this.#camera.near !== near) {
      this.#camera.near = near;
      this.#camera.updateProjectionMatrix();
    }
    this.#camera.updateMatrixWorld();
  }

  #ray(x: number, y: number): Ray {
    this.#aim();
    const [width, height] = [this.#target.clientWidth, this.#target.clientHeight];
    const to = new Vector3((x / width) * 2 - 1, 1 - (y / height) * 2, 0.5).unproject(this.#camera).sub(this.#camera.position).normalize();
    return { from: eye(this.#view), to: [to.x, to.y, to.z] };
  }

  #frame(now: number): void {
    this.#handle = 0;
    const seconds = Math.min(0.1, this.#last > 0 ? (now - this.#last) / 1000 : 0.016);
    this.#last = now;
    if (this.#controls.moving) this.#controls.step(seconds);
    if (this.#dirty) {
      this.#dirty = false;
      const begin = performance.now();
      this.#aim();
      this.#scene.render(this.#renderer, this.#camera);
      this.#times = [...this.#times, performance.now() - begin].slice(-k_frames);
      this.#host.drawn(this.#project);
    }
    if (this.#controls.moving) this.draw();
    else this.#last = 0;
  }

  readonly #project: Project = (place: Vector) => {
    const [ox, oz] = this.#scene.origin;
    const at = new Vector3(place[0] - ox, place[1], place[2] - oz);
    const depth = at.clone().sub(this.#camera.position).dot(this.#camera.getWorldDirection(new Vector3()));
    if (depth < this.#camera.near) return null;
    at.project(this.#camera);
    return { x: ((at.x + 1) / 2) * this.#target.clientWidth, y: ((1 - at.y) / 2) * this.#target.clientHeight, depth };
  };
}

