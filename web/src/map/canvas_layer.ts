import type { FrameState } from 'ol/Map';
import Layer from 'ol/layer/Layer';

/// Where things of the world are on the canvas, in CSS pixels.
export interface Frame {
  width: number;
  height: number;
  resolution: number;
  /// World coordinates of the left and upper edge.
  left: number;
  top: number;
  pixelRatio: number;
}

export const screenX = (frame: Frame, x: number): number => (x - frame.left) / frame.resolution;
export const screenY = (frame: Frame, z: number): number => (z - frame.top) / frame.resolution;

/// A layer of the map that is painted by a function, in each frame.
export class CanvasLayer extends Layer {
  readonly #canvas = document.createElement('canvas');
  readonly #paint: (context: CanvasRenderingContext2D, frame: Frame) => void;

  constructor(paint: (context: CanvasRenderingContext2D, frame: Frame) => void) {
    super({});
    this.#paint = paint;
    Object.assign(this.#canvas.style, { position: 'absolute', inset: '0', width: '100%', height: '100%' });
    this.#canvas.className = 'ol-layer';
  }

  override render(state: FrameState | null): HTMLElement {
    if (!state) return this.#canvas;
    const [width = 1, height = 1] = state.size;
    const { pixelRatio } = state;
    const wide = Math.round(width * pixelRatio);
    const high = Math.round(height * pixelRatio);
    if (this.#canvas.width !== wide || this.#canvas.height !== high) {
      this.#canvas.width = wide;
      this.#canvas.height = high;
    }
    const context = this.#canvas.getContext('2d');
    if (!context) return this.#canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, wide, high);
    context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    const { resolution, center } = state.viewState;
    this.#paint(context, {
      width,
      height,
      resolution,
      left: (center[0] ?? 0) - (width / 2) * resolution,
      top: -(center[1] ?? 0) - (height / 2) * resolution,
      pixelRatio,
    });
    return this.#canvas;
  }
}
