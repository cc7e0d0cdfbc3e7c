/// A list of rows of one height of which only those in sight exist. Browsers do not lay out more than some ten million
/// pixels, so in a longer list the scroll bar stands for more rows than it has pixels.

export const k_tallest = 8_000_000;

export interface ListShape {
  rows: number;
  /// Pixels of a row and of what is seen.
  row: number;
  view: number;
}

/// How tall the content of the scrolled element is.
export const heightOf = ({ rows, row }: ListShape): number => Math.min(rows * row, k_tallest);

/// Whether a pixel of the scroll bar is more than a pixel of the list.
export const isSqueezed = ({ rows, row }: ListShape): boolean => rows * row > k_tallest;

/// The row at the upper edge when everything is scrolled down.
export const lastTop = ({ rows, row, view }: ListShape): number => Math.max(0, rows - view / row);

/// The row at the upper edge, with its fraction, for a place of the scroll bar.
export function topAt(shape: ListShape, scroll: number): number {
  const room = heightOf(shape) - shape.view;
  return room <= 0 ? 0 : Math.max(0, Math.min(1, scroll / room)) * lastTop(shape);
}

/// The place of the scroll bar for a row.
export function scrollAt(shape: ListShape, top: number): number {
  const last = lastTop(shape);
  const room = Math.max(0, heightOf(shape) - shape.view);
  return last <= 0 ? 0 : (Math.max(0, Math.min(last, top)) / last) * room;
}

/// The rows to draw, the last not included, and by how many pixels the first is above the upper edge.
export function inSight(shape: ListShape, top: number): { from: number; to: number; above: number } {
  const at = Math.max(0, Math.min(lastTop(shape), top));
  const from = Math.floor(at);
  const to = Math.min(shape.rows, from + Math.ceil(shape.view / shape.row) + 1);
  return { from, to, above: (at - from) * shape.row };
}

/// The least move of `top` after which a row is in sight as a whole.
export function reveal(shape: ListShape, top: number, row: number): number {
  const whole = Math.max(1, Math.floor(shape.view / shape.row));
  const at = row < top ? row : row > top + whole - 1 ? row - whole + 1 : top;
  return Math.max(0, Math.min(lastTop(shape), at));
}
