import { crc32, deflateSync, inflateSync } from 'node:zlib';

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/// A PNG of RGBA pixels.
export function png(width: number, height: number, pixels: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; ++y) rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export interface Picture {
  width: number;
  height: number;
  at(x: number, y: number): [number, number, number];
}

/// The pixels of a screenshot: eight bits of RGB or RGBA, not interlaced.
export function readPng(file: Buffer): Picture {
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const step = file[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * step;
  const out = new Uint8Array(row * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)] ?? 0;
    for (let x = 0; x < row; ++x) {
      const left = x >= step ? (out[y * row + x - step] ?? 0) : 0;
      const up = y > 0 ? (out[(y - 1) * row + x] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (out[(y - 1) * row + x - step] ?? 0) : 0;
      out[y * row + x] = (raw[y * (row + 1) + 1 + x] ?? 0) + [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
    }
  }
  return { width, height, at: (x, y) => [0, 1, 2].map((i) => out[y * row + x * step + i] ?? 0) as [number, number, number] };
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
