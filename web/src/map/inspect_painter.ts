import { type Frame, screenX, screenY } from './canvas_layer';
import { k_chunk } from './grid';
import type { Rgb } from './ramp';

const k_side = 128; // chunks

/// Values per chunk as pictures of a pixel per chunk, which are drawn enlarged.
export class InspectPainter {
  readonly #sheets = new Map<string, { x: number; z: number; canvas: HTMLCanvasElement }>();
  readonly #values = new Map<string, number>();

  constructor(x: number[], z: number[], values: number[], colour: (value: number, index: number) => Rgb | null) {
    const pixels = new Map<string, ImageData>();
    for (let i = 0; i < values.length; ++i) {
      const [cx, cz, value] = [x[i] ?? 0, z[i] ?? 0, values[i] ?? 0];
      this.#values.set(`${cx},${cz}`, value);
      const [sx, sz] = [Math.floor(cx / k_side), Math.floor(cz / k_side)];
      const key = `${sx},${sz}`;
      let sheet = pixels.get(key);
      if (!sheet) pixels.set(key, (sheet = new ImageData(k_side, k_side)));
      const known = colour(value, i);
      const [r, g, b] = known ?? [128, 128, 128];
      const at = ((cz - sz * k_side) * k_side + (cx - sx * k_side)) * 4;
      sheet.data.set([r, g, b, known ? 255 : 40], at);
    }
    for (const [key, data] of pixels) {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = k_side;
      canvas.getContext('2d')?.putImageData(data, 0, 0);
      const [sx = 0, sz = 0] = key.split(',').map(Number);
      this.#sheets.set(key, { x: sx * k_side * k_chunk, z: sz * k_side * k_chunk, canvas });
    }
  }

  value(chunkX: number, chunkZ: number): number | undefined {
    return this.#values.get(`${chunkX},${chunkZ}`);
  }

  paint(context: CanvasRenderingContext2D, frame: Frame): void {
    context.save();
    context.imageSmoothingEnabled = frame.resolution > k_chunk;
    context.globalAlpha = 0.82;
    const side = (k_side * k_chunk) / frame.resolution;
    for (const sheet of this.#sheets.values()) {
      const [x, y] = [screenX(frame, sheet.x), screenY(frame, sheet.z)];
      if (x > frame.width || y > frame.height || x + side < 0 || y + side < 0) continue;
      context.drawImage(sheet.canvas, x, y, side, side);
    }
    context.restore();
  }
}
