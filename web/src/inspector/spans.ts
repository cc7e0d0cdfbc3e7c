import type { SpanRow } from './api';

/// A part of a payload in the tree.
export interface Node {
  index: number;
  parent: number;
  depth: number;
  at: number;
  size: number;
  part: string;
  name: string;
  type: string;
  value: string | null;
  bit: number;
  children: number[];
}

const k_open_children = 60;

/// The spans of a packet, as a tree and by their bytes.
export class SpanTree {
  readonly nodes: Node[];
  /// Starts of the spans that no other comes after at the same byte, ascending, for the search by byte.
  readonly #starts: number[];
  readonly #owners: number[];

  constructor(rows: SpanRow[]) {
    this.nodes = rows.map(([parent, at, size, part, name, type, value, bit], index) => ({
      index, parent, depth: 0, at, size, part, name, type, value, bit, children: [],
    }));
    for (const node of this.nodes) {
      const around = this.nodes[node.parent];
      if (!around || node.parent >= node.index) continue;
      node.depth = around.depth + 1;
      around.children.push(node.index);
    }
    // Paint all spans over each other, outer ones first: what is seen at last is the innermost.
    const edges = new Set<number>();
    for (const { at, size } of this.nodes) edges.add(at).add(at + size);
    this.#starts = [...edges].sort((a, b) => a - b);
    this.#owners = this.#paint();
  }

  /// The innermost span that has a byte; −1 if none has.
  ownerOf(byte: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= byte) low = middle + 1;
      else high = middle;
    }
    return low > 0 ? this.#owners[low - 1]! : -1;
  }

  /// From the outermost to this one.
  wayTo(index: number): number[] {
    const way: number[] = [];
    for (let at = index; at >= 0 && this.nodes[at]; at = this.nodes[at]!.parent) way.unshift(at);
    return way;
  }

  /// Those that are open when a packet is first shown: structs, and short lists.
  usuallyOpen(): Set<number> {
    return new Set(this.nodes.filter(({ children, depth }) => children.length > 0 && children.length <= k_open_children && depth < 3).map(({ index }) => index));
  }

  /// The rows of the tree, from above, where these are open. What only the format needs can be left out.
  rows(open: ReadonlySet<number>, plain: boolean): number[] {
    const rows: number[] = [];
    const stack = this.nodes.length > 0 ? [0] : [];
    while (stack.length > 0) {
      const index = stack.pop()!;
      rows.push(index);
      if (!open.has(index)) continue;
      const { children } = this.nodes[index]!;
      for (let i = children.length - 1; i >= 0; --i) {
        const child = children[i]!;
        if (!plain || isValue(this.nodes[child]!)) stack.push(child);
      }
    }
    return rows;
  }

  /// Spans come after those around them, so later ones are inner ones. An edge that was painted keeps no memory of others:
  /// each span goes over the edges inside of it, of which all spans of one depth have no more than there are.
  #paint(): number[] {
    const owners = new Array<number>(this.#starts.length).fill(-1);
    const place = new Map(this.#starts.map((start, i) => [start, i]));
    for (const { index, at, size } of this.nodes) {
      for (let i = place.get(at)!; i < owners.length && this.#starts[i]! < at + size; ++i) owners[i] = index;
    }
    return owners;
  }
}

export const isValue = ({ part }: Node): boolean => part === 'value' || part === 'key' || part === 'unreadable';

const k_words: Record<string, string> = { presence: 'presence bits', slot: 'offset', count: 'count', type: 'type id', absent: 'absent' };

/// What a row of the tree is called.
export function titleOf(node: Node): string {
  const word = k_words[node.part];
  if (node.part === 'key') return `${node.name} key`;
  if (!word) return /^\d+$/.test(node.name) ? `[${node.name}]` : node.name;
  return node.name ? `${node.name} (${word})` : word;
}

/// The bytes of a text of hex digits.
export function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

export const hexByte = (byte: number): string => byte.toString(16).padStart(2, '0');
export const asciiByte = (byte: number): string => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·');
