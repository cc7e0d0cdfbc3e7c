import { type Frame, screenX, screenY } from './canvas_layer';
import { type Cells, Clusters, levelFor } from './clusters';
import { k_pin, type Look, Sprites } from './sprites';

/// Things at places that are drawn together and toggled together.
export interface PointSet {
  name: string;
  x: ArrayLike<number>;
  z: ArrayLike<number>;
  look: (index: number) => Look;
  /// Pins stand on their place, badges lie on it.
  style: 'badge' | 'pin';
  /// The screen pixels within which points are gathered in one bubble.
  cell: number;
  /// Whether labels are written on the map, or only shown under the pointer.
  named?: boolean;
  /// Higher ones are drawn later.
  rank: number;
  /// Screen pixels by which bubbles stand aside, so that two sets do not hide each other.
  aside?: number;
  label?: (index: number) => string;
}

/// Something that was drawn: what a pointer at this place of the screen means.
export interface Hit {
  set: PointSet;
  index: number;
  count: number;
  x: number;
  z: number;
  /// Blocks along the edge of the cell that was gathered.
  side: number;
}

interface Drawn {
  hit: Hit;
  x: number;
  y: number;
  radius: number;
}

const k_margin = 40;

// Safari has no idle callbacks.
const whenIdle = (work: () => void): void => void (window.requestIdleCallback ?? ((each: () => void) => setTimeout(each, 30)))(work);

export class Points {
  readonly #sprites = new Sprites();
  readonly #sets = new Map<string, { set: PointSet; clusters: Clusters }>();
  #drawn: Drawn[] = [];

  /// Adds or replaces a set. The same arrays are not gathered again.
  put(set: PointSet): void {
    const before = this.#sets.get(set.name)?.clusters;
    const same = before && before.x === set.x && before.z === set.z;
    const clusters = same ? before : new Clusters(set.x, set.z);
    if (!same) clusters.prepare(whenIdle);
    this.#sets.set(set.name, { set, clusters });
    const ordered = [...this.#sets].sort((a, b) => a[1].set.rank - b[1].set.rank);
    this.#sets.clear();
    for (const [name, entry] of ordered) this.#sets.set(name, entry);
  }

  clear(): void {
    this.#sets.clear();
  }

  /// What is drawn at a place of the screen, the uppermost first.
  at(x: number, y: number): Hit | undefined {
    for (let i = this.#drawn.length - 1; i >= 0; --i) {
      const each = this.#drawn[i]!;
      if ((each.x - x) ** 2 + (each.y - y) ** 2 <= each.radius ** 2) return each.hit;
    }
    return undefined;
  }

  paint(context: CanvasRenderingContext2D, frame: Frame): void {
    this.#drawn = [];
    const labels: { text: string; x: number; y: number }[] = [];
    for (const { set, clusters } of this.#sets.values()) {
      const cells = clusters.level(levelFor(frame.resolution, set.cell));
      this.#paintCells(context, frame, set, cells, labels);
    }
    paintLabels(context, labels);
  }

  #paintCells(
    context: CanvasRenderingContext2D,
    frame: Frame,
    set: PointSet,
    cells: Cells,
    labels: { text: string; x: number; y: number }[],
  ): void {
    const left = frame.left - k_margin * frame.resolution;
    const right = frame.left + (frame.width + k_margin) * frame.resolution;
    const top = frame.top - k_margin * frame.resolution;
    const bottom = frame.top + (frame.height + k_margin) * frame.resolution;
    for (let i = 0; i < cells.x.length; ++i) {
      const [x, z, count, index] = [cells.x[i]!, cells.z[i]!, cells.count[i]!, cells.one[i]!];
      if (x < left || x > right || z < top || z > bottom) continue;
      const [sx, sy] = [screenX(frame, x), screenY(frame, z)];
      const hit: Hit = { set, index, count, x, z, side: cells.side };
      if (count > 1 && !(set.named && count < 10)) {
        const { picture, side } = this.#sprites.bubble(set.look(index), count, frame.pixelRatio);
        const [bx, by] = [sx + (set.aside ?? 0), sy + (set.aside ?? 0)];
        context.drawImage(picture, bx - side / 2, by - side / 2, side, side);
        this.#drawn.push({ hit, x: bx, y: by, radius: side / 2 });
      } else if (set.style === 'pin') {
        const { width, height } = k_pin;
        context.drawImage(this.#sprites.pin(set.look(index), frame.pixelRatio), sx - 14, sy - 34, width, height);
        this.#drawn.push({ hit, x: sx, y: sy - 20, radius: 15 });
        const text = set.named ? `${set.label?.(index) ?? ''}${count > 1 ? ` +${count - 1}` : ''}` : '';
        if (text) labels.push({ text, x: sx, y: sy + 8 });
      } else {
        context.drawImage(this.#sprites.badge(set.look(index), frame.pixelRatio), sx - 12, sy - 12, 24, 24);
        this.#drawn.push({ hit, x: sx, y: sy, radius: 13 });
      }
    }
  }
}

/// Names under pins, as far as they do not cover each other.
export function paintLabels(context: CanvasRenderingContext2D, labels: { text: string; x: number; y: number }[]): void {
  context.save();
  context.font = '600 12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3.5;
  context.strokeStyle = 'rgb(255 255 255 / 92%)';
  context.fillStyle = '#1d232b';
  const taken: { left: number; right: number; y: number }[] = [];
  for (const { text, x, y } of labels.slice(0, 300)) {
    const half = context.measureText(text).width / 2 + 4;
    if (taken.some((other) => Math.abs(other.y - y) < 16 && x - half < other.right && x + half > other.left)) continue;
    taken.push({ left: x - half, right: x + half, y });
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
  context.restore();
}
