import type { Place } from '../data/types';
import { k_chunk, k_region } from '../map/grid';

const k_far = 2 ** 31;
const k_number = String.raw`[+-]?\d+(?:\.\d+)?`;
const k_gap = String.raw`(?:\s*[,;]\s*|\s+)`;
const k_plain = new RegExp(`^\\(?(${k_number})${k_gap}(${k_number})(?:${k_gap}(${k_number}))?\\)?$`);
const k_named = new RegExp(`^x\\s*[=:]?\\s*(${k_number})${k_gap}(?:y\\s*[=:]?\\s*(${k_number})${k_gap})?z\\s*[=:]?\\s*(${k_number})$`);
const k_square = new RegExp(`^(chunk|region)\\s*[=:]?\\s*(${k_number})(?:${k_gap}|\\.)(${k_number})$`);
const k_file = /^(-?\d+)\.(-?\d+)\.region\.bin$/;

/// A place that a text names by numbers: `120 64 -33`, `120,-33`, `x=120 z=-33`, `chunk 3 -4`, `region 0.-1`.
/// Nothing for any other text.
export function coordinatesIn(text: string): Place | null {
  const wanted = text.trim().toLowerCase().replaceAll('−', '-');
  const file = k_file.exec(wanted);
  const square = k_square.exec(wanted);
  if (file) return squareAt('region', Number(file[1]), Number(file[2]));
  if (square) return squareAt(square[1] === 'chunk' ? 'chunk' : 'region', Number(square[2]), Number(square[3]));
  const named = k_named.exec(wanted);
  if (named) return blockAt(Number(named[1]), named[2] === undefined ? null : Number(named[2]), Number(named[3]));
  const plain = k_plain.exec(wanted);
  if (!plain) return null;
  const [first, second] = [Number(plain[1]), Number(plain[2])];
  return plain[3] === undefined ? blockAt(first, null, second) : blockAt(first, second, Number(plain[3]));
}

function blockAt(x: number, y: number | null, z: number): Place | null {
  const whole = [x, y ?? 0, z].map(Math.floor);
  if (whole.some((value) => Math.abs(value) >= k_far)) return null;
  const [wx = 0, wy = 0, wz = 0] = whole;
  return { kind: 'place', name: 'Go to', x: wx, y: y === null ? null : wy, z: wz, detail: y === null ? 'Column' : 'Block' };
}

function squareAt(what: 'chunk' | 'region', x: number, z: number): Place | null {
  const side = what === 'chunk' ? k_chunk : k_region;
  const middle = blockAt(Math.floor(x) * side + side / 2, null, Math.floor(z) * side + side / 2);
  return middle && { ...middle, side, detail: `The middle of ${what} ${Math.floor(x)}, ${Math.floor(z)}` };
}
