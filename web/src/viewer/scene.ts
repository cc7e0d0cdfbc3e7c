import {
  DataTexture,
  GLSL3,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  NearestFilter,
  PerspectiveCamera,
  RawShaderMaterial,
  RGBAFormat,
  Scene,
  Sphere,
  UnsignedByteType,
  Vector2,
  Vector3,
  type WebGLRenderer,
} from 'three';
import type { MeshData } from './mesh_data';
import type { Pickable, Vector } from './pick';
import { k_fragment, k_material_row, k_tint_chunks, k_vertex } from './shaders';
import type { Daylight } from './sun';

const k_side = 32;
/// Kinds of colours: more than worlds have. What comes after them looks like the first.
const k_most_materials = 4096;
/// Rows of tints that wait for a picture: in a hidden tab none is drawn, and from here on all rows are sent at once.
const k_most_rows = 40_000;
/// Positions are counted from here, so that they are exact far out too; a multiple of the tints' picture.
export const k_origin_step = k_tint_chunks * k_side;

interface Chunk extends Pickable {
  meshes: Mesh[];
}

/// One number for each colour that chunks have, the same for all of them.
class MaterialTable {
  readonly texture: DataTexture;
  readonly #bytes = new Uint8Array(k_most_materials * 8);
  readonly #numbers = new Map<string, number>();

  constructor() {
    this.texture = new DataTexture(this.#bytes, k_material_row, (k_most_materials * 2) / k_material_row, RGBAFormat, UnsignedByteType);
  }

  /// The numbers of the materials of a mesh.
  add(materials: Uint8Array): Uint16Array {
    const numbers = new Uint16Array(materials.length / 8);
    for (let i = 0; i < numbers.length; ++i) {
      const material = materials.subarray(i * 8, i * 8 + 8);
      const key = material.join();
      let number = this.#numbers.get(key);
      if (number === undefined && this.#numbers.size < k_most_materials) {
        number = this.#numbers.size;
        this.#numbers.set(key, number);
        const [r = 0, g = 0, b = 0, pr = 0, pg = 0, pb = 0, percent = 0, alpha = 0] = material;
        this.#bytes.set([r, g, b, percent, pr, pg, pb, alpha], number * 8);
        this.texture.needsUpdate = true;
      }
      numbers[i] = number ?? 0;
    }
    return numbers;
  }
}

/// What the graphics card has of the chunks.
export class ChunkScene {
  readonly scene = new Scene();
  readonly #chunks = new Map<string, Chunk>();
  readonly #table = new MaterialTable();
  readonly #tintBytes = new Uint8Array((k_tint_chunks * k_side) ** 2 * 4);
  readonly #tints = new DataTexture(this.#tintBytes, k_tint_chunks * k_side, k_tint_chunks * k_side, RGBAFormat, UnsignedByteType);
  readonly #uniforms = {
    materials: { value: this.#table.texture },
    tints: { value: this.#tints },
    sun: { value: new Vector3(0, 1, 0) },
    day: { value: 1 },
    sky: { value: new Vector3(0.6, 0.8, 0.9) },
    middle: { value: new Vector2() },
    fog: { value: new Vector2(1e6, 1e7) },
  };
  readonly #opaque = this.#material(false);
  readonly #clear = this.#material(true);
  #origin: [number, number] = [0, 0];
  #allRows = false;

  constructor() {
    for (const texture of [this.#table.texture, this.#tints]) {
      texture.minFilter = texture.magFilter = NearestFilter;
      texture.generateMipmaps = false;
    }
    this.#tints.onUpdate = () => (this.#allRows = false);
    this.#tints.needsUpdate = true;
    this.#table.texture.needsUpdate = true;
    this.scene.matrixWorldAutoUpdate = true;
  }

  #material(clear: boolean): RawShaderMaterial {
    return new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: k_vertex,
      fragmentShader: k_fragment,
      uniforms: this.#uniforms,
      transparent: clear,
      depthWrite: !clear,
    });
  }

  get origin(): [number, number] {
    return this.#origin;
  }

  /// Counts positions from near this place.
  recentre(x: number, z: number): void {
    const step = k_origin_step;
    const near: [number, number] = [Math.round(x / step) * step, Math.round(z / step) * step];
    if (Math.hypot(near[0] - this.#origin[0], near[1] - this.#origin[1]) < 4 * step) return;
    this.#origin = near;
    for (const chunk of this.#chunks.values()) for (const mesh of chunk.meshes) this.#place(mesh, chunk.corner);
  }

  #place(mesh: Mesh, corner: Vector): void {
    mesh.position.set(corner[0] - this.#origin[0], 0, corner[2] - this.#origin[1]);
    mesh.updateMatrix();
  }

  light({ sun, day, sky }: Daylight): void {
    this.#uniforms.sun.value.set(...sun);
    this.#uniforms.day.value = day;
    this.#uniforms.sky.value.set(...sky);
  }

  /// What is farther than this from a place fades away.
  fog(x: number, z: number, from: number, to: number): void {
    this.#uniforms.middle.value.set(x - this.#origin[0], z - this.#origin[1]);
    this.#uniforms.fog.value.set(from, to);
  }

  put(key: string, cx: number, cz: number, data: MeshData): void {
    this.remove(key);
    const numbers = this.#table.add(data.materials);
    const { quads, opaque } = data;
    let [low, high] = [320, 0];
    for (let i = 0; i < quads.length; i += 2) {
      quads[i + 1] = ((quads[i + 1]! & 0xffff0000) | numbers[quads[i + 1]! & 0xffff]!) >>> 0;
      const y = (quads[i]! >>> 10) & 511;
      const up = quads[i]! >>> 29 < 2 ? 1 : ((quads[i]! >>> 24) & 31) + 1;
      low = Math.min(low, y);
      high = Math.max(high, y + up);
    }
    const corner: Vector = [cx * k_side, 0, cz * k_side];
    const chunk: Chunk = { corner, quads, low, high, meshes: [] };
    const add = (part: Uint32Array, material: RawShaderMaterial, order: number): void => {
      if (part.length === 0) return;
      const geometry = new InstancedBufferGeometry();
      geometry.setDrawRange(0, 6); // two triangles, whose corners the shader makes
      geometry.setAttribute('quad', new InstancedBufferAttribute(part, 2));
      geometry.instanceCount = part.length / 2;
      const half = (high - low) / 2;
      geometry.boundingSphere = new Sphere(new Vector3(16, low + half, 16), Math.hypot(16, 16, half));
      const mesh = new Mesh(geometry, material);
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = order;
      this.#place(mesh, corner);
      this.scene.add(mesh);
      chunk.meshes.push(mesh);
    };
    add(quads.subarray(0, opaque * 2), this.#opaque, 0);
    add(quads.subarray(opaque * 2), this.#clear, 1);
    this.#chunks.set(key, chunk);
    this.#putTints(cx, cz, data.tints);
  }

  #putTints(cx: number, cz: number, tints: Uint8Array): void {
    const n = k_tint_chunks;
    const [px, pz] = [(((cx % n) + n) % n) * k_side, (((cz % n) + n) % n) * k_side];
    const row = n * k_side * 4;
    if (this.#tints.updateRanges.length > k_most_rows) {
      this.#tints.clearUpdateRanges();
      this.#allRows = true;
    }
    for (let z = 0; z < k_side; ++z) {
      this.#tintBytes.set(tints.subarray(z * k_side * 4, (z + 1) * k_side * 4), (pz + z) * row + px * 4);
      // Only these rows go to the graphics card.
      if (!this.#allRows) this.#tints.addUpdateRange((pz + z) * row + px * 4, k_side * 4);
    }
    this.#tints.needsUpdate = true;
  }

  remove(key: string): void {
    const chunk = this.#chunks.get(key);
    if (!chunk) return;
    for (const mesh of chunk.meshes) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
    }
    this.#chunks.delete(key);
  }

  get chunks(): Iterable<Pickable> {
    return this.#chunks.values();
  }

  chunkAt(key: string): Pickable | undefined {
    return this.#chunks.get(key);
  }

  /// What chunks and their pictures take: faces here and on the graphics card, and the pictures twice too.
  get memory(): number {
    let bytes = (this.#tintBytes.length + k_most_materials * 8) * 2;
    for (const chunk of this.#chunks.values()) bytes += chunk.quads.byteLength * 2;
    return bytes;
  }

  render(renderer: WebGLRenderer, camera: PerspectiveCamera): void {
    renderer.render(this.scene, camera);
  }

  close(): void {
    for (const key of [...this.#chunks.keys()]) this.remove(key);
    this.#opaque.dispose();
    this.#clear.dispose();
    this.#tints.dispose();
    this.#table.texture.dispose();
  }
}
