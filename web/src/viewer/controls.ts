import { flown, inMode, k_fov, moved, settled, type View } from './camera';

/// What moves the view: pointers, the wheel and keys.
export interface ControlsHost {
  view(): View;
  change(view: View): void;
  /// A pointer came down and up again at the same place.
  clicked(x: number, y: number): void;
  pointed(x: number, y: number): void;
  unpointed(): void;
}

const k_click_pixels = 5;
const k_turn = 0.28; // degrees for a pixel
/// Blocks in a second.
const k_speed = 24;
const k_fast = 5;

const k_moves: Record<string, [number, number, number]> = {
  w: [0, 1, 0],
  s: [0, -1, 0],
  a: [-1, 0, 0],
  d: [1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ' ': [0, 0, 1],
  r: [0, 0, 1],
  f: [0, 0, -1],
};

export class Controls {
  readonly #target: HTMLElement;
  readonly #host: ControlsHost;
  readonly #pointers = new Map<number, { x: number; y: number; button: number }>();
  /// What the keys that are held do, by their place on the keyboard: with Alt or Shift a key has another name.
  readonly #held = new Map<string, [number, number, number]>();
  readonly #end = new AbortController();
  #start: { x: number; y: number; moved: boolean } | null = null;
  #fast = false;

  constructor(target: HTMLElement, host: ControlsHost) {
    this.#target = target;
    this.#host = host;
    const { signal } = this.#end;
    const on = <Name extends keyof HTMLElementEventMap>(name: Name, call: (event: HTMLElementEventMap[Name]) => void, passive = true): void =>
      target.addEventListener(name, call, { signal, passive });
    on('pointerdown', (event) => this.#down(event));
    on('pointermove', (event) => this.#move(event));
    on('pointerup', (event) => this.#up(event));
    on('pointercancel', (event) => this.#up(event));
    on('pointerleave', () => host.unpointed());
    on('wheel', (event) => this.#wheel(event), false);
    on('contextmenu', (event) => event.preventDefault(), false);
    addEventListener('blur', () => this.#held.clear(), { signal });
    addEventListener('keyup', (event) => this.#held.delete(event.code), { signal });
    // What is let go of while one of these is down is not always said.
    addEventListener('keydown', (event) => ['Alt', 'Meta'].includes(event.key) && this.#held.clear(), { signal });
  }

  /// Whether the key moves the view.
  key(event: KeyboardEvent): boolean {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    this.#fast = event.shiftKey;
    const move = k_moves[key];
    if (move) {
      this.#held.set(event.code, move);
      return true;
    }
    const turns: Record<string, [number, number]> = { Home: [-10, 0], End: [10, 0], PageUp: [0, -5], PageDown: [0, 5] };
    const turn = turns[key];
    if (turn) {
      const view = this.#host.view();
      this.#host.change(settled({ ...view, yaw: view.yaw + turn[0], pitch: view.pitch + turn[1] }));
      return true;
    }
    return false;
  }

  get moving(): boolean {
    return this.#held.size > 0;
  }

  /// What the keys that are held do in some seconds.
  step(seconds: number): void {
    const sum: [number, number, number] = [0, 0, 0];
    for (const move of this.#held.values()) move.forEach((part, i) => (sum[i]! += part));
    if (sum.every((part) => part === 0)) return;
    const view = this.#host.view();
    const speed = (view.mode === 'fly' ? k_speed : Math.max(8, view.distance * 0.8)) * (this.#fast ? k_fast : 1) * seconds;
    const [right, ahead, up] = sum.map((part) => part * speed) as [number, number, number];
    this.#host.change((view.mode === 'fly' ? flown : moved)(view, right, ahead, up));
  }

  zoom(factor: number): void {
    const view = this.#host.view();
    if (view.mode === 'fly') this.#host.change(flown(view, 0, (1 - factor) * 40, 0));
    else this.#host.change(settled({ ...view, distance: view.distance * factor }));
  }

  setMode(mode: View['mode']): void {
    this.#host.change(inMode(this.#host.view(), mode));
  }

  close(): void {
    this.#end.abort();
  }

  #place(event: PointerEvent): { x: number; y: number } {
    const box = this.#target.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event: PointerEvent): void {
    this.#target.setPointerCapture(event.pointerId);
    const place = this.#place(event);
    this.#pointers.set(event.pointerId, { ...place, button: event.button });
    this.#start = this.#pointers.size === 1 ? { ...place, moved: false } : null;
  }

  #up(event: PointerEvent): void {
    const had = this.#pointers.get(event.pointerId);
    this.#pointers.delete(event.pointerId);
    if (had && this.#start && !this.#start.moved && event.type === 'pointerup' && had.button === 0) this.#host.clicked(this.#start.x, this.#start.y);
    this.#start = null;
  }

  #move(event: PointerEvent): void {
    const place = this.#place(event);
    const before = this.#pointers.get(event.pointerId);
    if (!before) return this.#host.pointed(place.x, place.y);
    if (this.#start && Math.hypot(place.x - this.#start.x, place.y - this.#start.y) > k_click_pixels) this.#start.moved = true;
    if (this.#start && !this.#start.moved) return;
    this.#host.unpointed();
    const [dx, dy] = [place.x - before.x, place.y - before.y];
    const others = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
    const view = this.#host.view();
    const other = others[0];
    if (other) this.#pinch(view, before, place, other);
    else if (view.mode === 'orbit' && (before.button === 2 || event.shiftKey)) this.#pan(view, dx, dy);
    else this.#turn(view, dx, dy);
    this.#pointers.set(event.pointerId, { ...place, button: before.button });
  }

  /// In orbit the ground follows the pointer; in flight the eye turns.
  #turn(view: View, dx: number, dy: number): void {
    const sign = view.mode === 'orbit' ? 1 : -1;
    this.#host.change(settled({ ...view, yaw: view.yaw + sign * -dx * k_turn, pitch: view.pitch + sign * dy * k_turn }));
  }

  #pan(view: View, dx: number, dy: number): void {
    const blocks = (view.distance * 2 * Math.tan((k_fov * Math.PI) / 360)) / Math.max(1, this.#target.clientHeight);
    this.#host.change(moved(view, -dx * blocks, (dy * blocks) / Math.max(0.3, Math.sin((view.pitch * Math.PI) / 180)), 0));
  }

  /// Two fingers: apart and together for the distance, around each other to turn, aside to move.
  #pinch(view: View, before: { x: number; y: number }, now: { x: number; y: number }, other: { x: number; y: number }): void {
    const apart = (at: { x: number; y: number }): number => Math.max(10, Math.hypot(at.x - other.x, at.y - other.y));
    const angle = (at: { x: number; y: number }): number => Math.atan2(at.y - other.y, at.x - other.x);
    const turned = ((angle(now) - angle(before)) * 180) / Math.PI;
    const wide = turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned;
    this.zoom(apart(before) / apart(now));
    this.#host.change(settled({ ...this.#host.view(), yaw: view.yaw - wide }));
    if (view.mode === 'orbit') this.#pan(this.#host.view(), (now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.0018));
  }
}
