import { describe, expect, test } from 'vitest';
import type { SpanRow } from './api';
import { asciiByte, bytesOf, hexByte, SpanTree, titleOf } from './spans';

/// A chat message and a list of two numbers after it.
const rows: SpanRow[] = [
  [-1, 0, 16, 'value', 'Made', '', null, -1],
  [0, 0, 1, 'presence', '', '', null, -1],
  [0, 1, 6, 'value', 'message', 'text (up to 9)', '"hello"', -1],
  [2, 1, 1, 'count', '', '', null, -1],
  [0, 7, 9, 'value', 'numbers', 'list of i32', null, -1],
  [4, 7, 1, 'count', '', '', null, -1],
  [4, 8, 4, 'value', '0', 'i32', '7', -1],
  [4, 12, 4, 'value', '1', 'i32', '8', -1],
];

describe('spans', () => {
  test('each byte belongs to the innermost span', () => {
    const tree = new SpanTree(rows);
    expect([0, 1, 2, 6, 7, 8, 11, 12, 15].map((byte) => tree.ownerOf(byte))).toEqual([1, 3, 2, 2, 5, 6, 6, 7, 7]);
    expect(tree.ownerOf(16)).toBe(-1);
    expect(tree.ownerOf(1000)).toBe(-1);
    expect(new SpanTree([]).ownerOf(0)).toBe(-1);
  });

  test('bytes that no field has belong to the packet', () => {
    const tree = new SpanTree([[-1, 0, 8, 'value', 'Made', '', null, -1], [0, 2, 2, 'value', 'a', 'i16', '1', -1]]);
    expect([0, 1, 2, 3, 4, 7].map((byte) => tree.ownerOf(byte))).toEqual([0, 0, 1, 1, 0, 0]);
  });

  test('fields that overlap, as in damaged packets, are no problem', () => {
    const tree = new SpanTree([[-1, 0, 8, 'value', 'Made', '', null, -1], [0, 2, 4, 'value', 'a', '', '1', -1], [0, 4, 4, 'value', 'b', '', '1', -1]]);
    expect([2, 4, 5, 7].map((byte) => tree.ownerOf(byte))).toEqual([1, 2, 2, 2]);
  });

  test('the tree shows what is open, in order', () => {
    const tree = new SpanTree(rows);
    expect(tree.rows(new Set(), false)).toEqual([0]);
    expect(tree.rows(new Set([0]), false)).toEqual([0, 1, 2, 4]);
    expect(tree.rows(new Set([0, 4]), true)).toEqual([0, 2, 4, 6, 7]);
    expect(tree.wayTo(7)).toEqual([0, 4, 7]);
    expect([...tree.usuallyOpen()]).toEqual([0, 2, 4]);
    expect(tree.nodes.map(titleOf)).toEqual(['Made', 'presence bits', 'message', 'count', 'numbers', 'count', '[0]', '[1]']);
  });

  test('a parent that comes later is not believed', () => {
    const tree = new SpanTree([[-1, 0, 4, 'value', 'Made', '', null, -1], [2, 0, 2, 'value', 'a', '', '1', -1], [1, 2, 2, 'value', 'b', '', '1', -1]]);
    expect(tree.rows(new Set([0, 1, 2]), false)).toEqual([0]);
  });

  test('65,536 spans are searched at once', () => {
    const many: SpanRow[] = [[-1, 0, 4 * 65_535, 'value', 'Made', '', null, -1]];
    for (let i = 0; i < 65_535; ++i) many.push([0, 4 * i, 4, 'value', String(i), 'i32', '1', -1]);
    const tree = new SpanTree(many);
    expect(tree.ownerOf(4 * 40_000 + 3)).toBe(40_001);
    expect(tree.usuallyOpen().size).toBe(0);
  });

  test('bytes are read and shown', () => {
    expect([...bytesOf('00ff417e')]).toEqual([0, 255, 65, 126]);
    expect(hexByte(10)).toBe('0a');
    expect([0, 65, 127, 255].map(asciiByte).join('')).toBe('·A··');
  });
});
