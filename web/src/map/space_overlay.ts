import type { SpacePoint } from '../state/space_points';
import type { Project } from '../viewer/types';
import { paintLabels } from './points';
import { k_pin, Sprites } from './sprites';

interface Drawn {
  point: SpacePoint;
  x: number;
  y: number;
  radius: number;
}

/// Pins, names and the chosen block over a picture of three dimensions.
export class SpaceOverlay {
  readonly #sprites = new Sprites();
  readonly #canvas: HTMLCanvasElement;
  #drawn: Drawn[] = [];

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /// What is drawn at a place of the screen, the nearest first.
  at(x: number, y: number): SpacePoint | undefined {
    return this.#drawn.findLast((each) => (each.x - x) ** 2 + (each.y - y) ** 2 <= each.radius ** 2)?.point;
  }

  paint(points: SpacePoint[], chosen: [number, number, number] | null, project: Project): void {
    const ratio = Math.min(2, devicePixelRatio);
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    if (this.#canvas.width !== Math.round(width * ratio) || this.#canvas.height !== Math.round(height * ratio)) {
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
    }
    const context = this.#canvas.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (chosen) paintBox(context, chosen, project);
    const seen = points
      .flatMap((point) => {
        const at = project([point.x, point.y, point.z]);
        return at && at.x > -40 && at.y > -40 && at.x < width + 40 && at.y < height + 40 ? [{ point, ...at }] : [];
      })
      .sort((a, b) => b.depth - a.depth);
    this.#drawn = [];
    for (const { point, x, y } of seen) this.#paintPoint(context, point, x, y, ratio);
    // The nearest first: they keep their names where there is no room for all.
    const labels = seen.filter(({ point }) => point.named).reverse();
    paintLabels(context, labels.map(({ point, x, y }) => ({ text: point.label, x, y: y + 8 })));
  }

  #paintPoint(context: CanvasRenderingContext2D, point: SpacePoint, x: number, y: number, ratio: number): void {
    if (point.style === 'badge') {
      context.drawImage(this.#sprites.badge(point.look, ratio), x - 12, y - 12, 24, 24);
      this.#drawn.push({ point, x, y, radius: 13 });
      return;
    }
    context.drawImage(this.#sprites.pin(point.look, ratio), x - 14, y - 34, k_pin.width, k_pin.height);
    this.#drawn.push({ point, x, y: y - 20, radius: 15 });
  }
}

/// The edges of a block.
function paintBox(context: CanvasRenderingContext2D, [x, y, z]: [number, number, number], project: Project): void {
  const corners = Array.from({ length: 8 }, (_, i) => project([x + (i & 1), y + ((i >> 1) & 1), z + (i >> 2)]));
  context.lineCap = 'round';
  for (const [width, colour] of [
    [4.5, 'rgb(0 0 0 / 55%)'],
    [2, '#fff'],
  ] as const) {
    context.beginPath();
    for (let i = 0; i < 8; ++i) {
      for (const bit of [1, 2, 4]) {
        const [from, to] = [corners[i], corners[i | bit]];
        if ((i & bit) !== 0 || !from || !to) continue;
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
      }
    }
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke();
  }
}
