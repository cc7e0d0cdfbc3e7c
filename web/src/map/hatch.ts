import { type Frame, screenX, screenY } from './canvas_layer';
import { k_chunk } from './grid';

export const k_hatch = { ground: '#6e2530', line: '#e8707c' };
const k_step = 8;

let pattern: CanvasPattern | null = null;

/// Slanted lines that fit together at all edges.
function lines(context: CanvasRenderingContext2D): CanvasPattern | string {
  if (pattern) return pattern;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = k_step;
  const pen = canvas.getContext('2d');
  if (!pen) return k_hatch.ground;
  pen.fillStyle = k_hatch.ground;
  pen.fillRect(0, 0, k_step, k_step);
  pen.strokeStyle = k_hatch.line;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const from of [-k_step, 0, k_step]) {
    pen.moveTo(from - 2, k_step + 2);
    pen.lineTo(from + k_step + 2, -2);
  }
  pen.stroke();
  pattern = context.createPattern(canvas, 'repeat');
  return pattern ?? k_hatch.ground;
}

/// Fills chunks so that nobody takes them for ungenerated ones.
export function paintHatched(context: CanvasRenderingContext2D, frame: Frame, chunks: [number, number][]): void {
  const side = k_chunk / frame.resolution;
  const shown = Math.max(3, side);
  context.save();
  context.fillStyle = lines(context);
  for (const [cx, cz] of chunks) {
    const [x, y] = [screenX(frame, cx * k_chunk), screenY(frame, cz * k_chunk)];
    if (x + shown < 0 || y + shown < 0 || x > frame.width || y > frame.height) continue;
    context.fillRect(x, y, shown, shown);
  }
  context.restore();
}
