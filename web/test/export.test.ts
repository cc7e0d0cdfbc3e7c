import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateBytes } from 'gltf-validator';
import { Box3, BufferGeometry, Mesh, type MeshStandardMaterial, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from './orbis.ts';

let world: string;
const work = (name: string): string => join(inject('work'), name);

// What the box is said to have in it, by the program itself but not by its meshes.
const k_box = '-40,0,-40..40,319,40';

beforeAll(() => {
  world = work('export-source');
  run('sample', world);
});

/// Twice the area of a triangle, and six times the volume between it and the origin.
function measure(geometry: BufferGeometry): { area: number; volume: number } {
  const position = geometry.getAttribute('position');
  const index = geometry.getIndex();
  const count = index ? index.count : position.count;
  const corner = (i: number): Vector3 => new Vector3().fromBufferAttribute(position, index ? index.getX(i) : i);
  let [area, volume] = [0, 0];
  for (let i = 0; i < count; i += 3) {
    const [a, b, c] = [corner(i), corner(i + 1), corner(i + 2)];
    area += b.clone().sub(a).cross(c.clone().sub(a)).length() / 2;
    volume += a.dot(b.clone().cross(c)) / 6;
  }
  return { area, volume };
}

const cells = (box: string, keys: string[]): number =>
  Number(run('sql', world, '--csv', `SELECT count(*) FROM blocks WHERE ${box} AND key IN (${keys.map((key) => `'${key}'`).join(',')})`).split('\n')[1]);

describe('orbis export', () => {
  test('writes a .glb that the validator of Khronos has nothing to say about', async () => {
    const file = work('box.glb');
    const said = JSON.parse(run('export', world, k_box, file, '--json')) as { triangles: number; bytes: number };
    const bytes = readFileSync(file);
    expect(bytes.length).toBe(said.bytes);
    const report = await validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
    expect(report.issues.messages).toEqual([]);
    expect(report.info.totalTriangleCount).toBe(said.triangles);

    const scene = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    const size = new Box3().setFromObject(scene.scene).getSize(new Vector3());
    expect([size.x, size.z], 'a block is a metre').toEqual([81, 81]);
    const names = new Set<string>();
    scene.scene.traverse((node) => {
      if (node instanceof Mesh) names.add((node.material as MeshStandardMaterial).name);
    });
    const counted = run('blocks', world, '--json').split('\n').filter(Boolean);
    expect(counted.join('\n')).toContain([...names][0]!);
    expect(names.size).toBeGreaterThan(5);
  });

  test('writes an .obj with the same faces, and its materials beside it', () => {
    const file = work('box.obj');
    const said = JSON.parse(run('export', world, k_box, file, '--json')) as { rectangles: number };
    const text = readFileSync(file, 'utf8');
    const materials = readFileSync(work('box.mtl'), 'utf8');
    const used = [...text.matchAll(/^usemtl (.+)$/gm)].map((match) => match[1]!);
    for (const name of used) expect(materials).toContain(`newmtl ${name}\n`);
    const group = new OBJLoader().parse(text);
    let area = 0;
    group.traverse((node) => {
      if (node instanceof Mesh) area += measure(node.geometry as BufferGeometry).area;
    });
    expect([...text.matchAll(/^f /gm)].length).toBe(said.rectangles);
    expect(area).toBeGreaterThan(81 * 81);
  });

  test('writes an .stl that is a closed body as large as its blocks', () => {
    // Below the ground there is nothing but full cubes.
    const box = 'x BETWEEN -20 AND 20 AND y BETWEEN 1 AND 20 AND z BETWEEN -20 AND 20';
    const file = work('box.stl');
    run('export', world, '-20,1,-20..20,20,20', file, '--scale', '2');
    const bytes = readFileSync(file);
    const { volume } = measure(new STLLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer));
    const keys = run('sql', world, '--csv', `SELECT DISTINCT key FROM blocks WHERE ${box}`).trim().split('\n').slice(1);
    expect(volume).toBeCloseTo(8 * cells(box, keys), 1);
  });

  test('gives the same bytes for the same box', () => {
    const sums = ['one.glb', 'two.glb'].map((name) => {
      run('export', world, k_box, work(name));
      return execFileSync('sha256sum', [work(name)], { encoding: 'utf8' }).split(' ')[0];
    });
    expect(sums[0]).toBe(sums[1]);
  });
});
