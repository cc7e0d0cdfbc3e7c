import { brief } from '../ui/text';

/// Small pictures that are drawn thousands of times, made once for each look and pixel ratio.
export type Look = 'container' | 'entity' | 'found' | 'spawn' | 'player' | 'warp' | 'marker' | 'respawn' | 'death';

export const k_colours: Record<Look, string> = {
  container: '#b9770e',
  entity: '#1e8449',
  found: '#c2185b',
  spawn: '#1f6fb2',
  player: '#6c3fb5',
  warp: '#0b7a75',
  marker: '#1f6fb2',
  respawn: '#8a5a2b',
  death: '#444b57',
};

/// Glyphs on a field of 16 × 16, white on the colour.
export const k_glyphs: Record<Look, string> = {
  container: 'M3 6.5 4.5 4h7L13 6.5V12H3zM3 7.5h10M8 6.5v2.2',
  entity: 'M4.2 8.4a3.8 3.8 0 0 1 7.6 0c0 2.3-1.7 3.9-3.8 3.9S4.2 10.7 4.2 8.4zM5.2 5.6 4 3.6M10.8 5.6 12 3.6',
  found: 'M8 4.2a3.8 3.8 0 1 1 0 7.6 3.8 3.8 0 0 1 0-7.6z',
  spawn: 'M5 13V3.5h6.5L10 6l1.5 2.5H5',
  player: 'M8 3.4a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4zM3.8 12.8c.3-2.3 2-3.6 4.2-3.6s3.9 1.3 4.2 3.6',
  warp: 'M8 3.2a4.8 4.8 0 1 1-4.8 4.8M8 5.8a2.2 2.2 0 1 1-2.2 2.2',
  marker: 'M8 3.5l1.4 2.9 3.1.4-2.3 2.2.6 3.1L8 10.6l-2.8 1.5.6-3.1-2.3-2.2 3.1-.4z',
  respawn: 'M3 12.5V5M3 9.5h10v3M5.5 9.5V7.5H10a3 3 0 0 1 3 2',
  death: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
};

const k_size = 24;
export const k_pin = { width: 28, height: 36 };

export class Sprites {
  readonly #made = new Map<string, HTMLCanvasElement>();

  /// A badge with the glyph, centred on its place.
  badge(look: Look, ratio: number): HTMLCanvasElement {
    return this.#get(`badge ${look}`, k_size, k_size, ratio, (context) => {
      context.beginPath();
      if (look === 'container') context.roundRect(2, 2, 20, 20, 6);
      else context.arc(12, 12, 10, 0, 2 * Math.PI);
      fill(context, k_colours[look]);
      context.translate(4, 4);
      glyph(context, look);
    });
  }

  /// A pin whose tip is at the middle of the lower edge.
  pin(look: Look, ratio: number): HTMLCanvasElement {
    const { width, height } = k_pin;
    return this.#get(`pin ${look}`, width, height, ratio, (context) => {
      context.beginPath();
      context.moveTo(14, 34);
      context.bezierCurveTo(11, 27, 3, 23, 3, 14);
      context.arc(14, 14, 11, Math.PI, 0);
      context.bezierCurveTo(25, 23, 17, 27, 14, 34);
      fill(context, k_colours[look]);
      context.translate(6, 6);
      glyph(context, look);
    });
  }

  /// A circle with a number, larger for larger ones; its side is in CSS pixels.
  bubble(look: Look, count: number, ratio: number): { picture: HTMLCanvasElement; side: number } {
    const side = 26 + 4 * Math.min(5, Math.floor(Math.log10(count) * 1.5));
    const text = brief(count);
    const picture = this.#get(`bubble ${look} ${text} ${side}`, side, side, ratio, (context) => {
      const middle = side / 2;
      context.beginPath();
      context.arc(middle, middle, middle - 1, 0, 2 * Math.PI);
      context.globalAlpha = 0.28;
      context.fillStyle = k_colours[look];
      context.fill();
      context.globalAlpha = 1;
      context.beginPath();
      context.arc(middle, middle, middle - 4, 0, 2 * Math.PI);
      context.globalAlpha = 0.9;
      context.fillStyle = k_colours[look];
      context.fill();
      context.globalAlpha = 1;
      context.fillStyle = '#fff';
      context.font = `600 ${text.length > 3 ? 10 : 11}px system-ui, sans-serif`;
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      context.fillText(text, middle, middle + 0.5);
    });
    return { picture, side };
  }

  #get(
    name: string,
    width: number,
    height: number,
    ratio: number,
    paint: (context: CanvasRenderingContext2D) => void,
  ): HTMLCanvasElement {
    const key = `${name} ${ratio}`;
    const known = this.#made.get(key);
    if (known) return known;
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(width * ratio);
    canvas.height = Math.ceil(height * ratio);
    const context = canvas.getContext('2d');
    if (context) {
      context.scale(ratio, ratio);
      paint(context);
    }
    this.#made.set(key, canvas);
    return canvas;
  }
}

function fill(context: CanvasRenderingContext2D, colour: string): void {
  context.save();
  context.shadowColor = 'rgb(0 0 0 / 35%)';
  context.shadowBlur = 3;
  context.shadowOffsetY = 1;
  context.fillStyle = colour;
  context.fill();
  context.restore();
  context.lineWidth = 1.5;
  context.strokeStyle = '#fff';
  context.stroke();
}

function glyph(context: CanvasRenderingContext2D, look: Look): void {
  context.lineWidth = 1.5;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = '#fff';
  context.stroke(new Path2D(k_glyphs[look]));
}
