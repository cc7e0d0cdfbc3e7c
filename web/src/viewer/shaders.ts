import { k_extents } from './mesh_data';

/// Chunks along an edge of the picture that has the tints of all of them; a chunk has its place by its position, modulo
/// this. More than are ever loaded in a row.
export const k_tint_chunks = 40;
/// Texels in a row of the picture of materials: two for each.
export const k_material_row = 128;

const float = (value: number): string => value.toFixed(6);
const sides = k_extents.map(([side]) => float(side)).join(', ');
const tops = k_extents.map(([, top]) => float(top)).join(', ');

/// Corners of each face against the clock, seen from outside: bit 0 is x, bit 1 y, bit 2 z.
const k_corners = [
  [2, 6, 7, 3],
  [0, 1, 5, 4],
  [1, 0, 2, 3],
  [4, 5, 7, 6],
  [0, 4, 6, 2],
  [5, 1, 3, 7],
].flat();

/// Makes the four corners of a rectangle of eight bytes.
export const k_vertex = `
precision highp float;
precision highp int;
uniform mat4 modelMatrix;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D materials;
in uvec2 quad;
flat out vec3 base;
flat out vec3 particle;
flat out vec2 part_alpha; // of the tint, and how much of it covers what is behind
flat out vec3 lamps;
flat out int face;
flat out ivec4 cells; // the first and last column, as places in the world
out vec3 place;
const float k_sides[5] = float[5](${sides});
const float k_tops[5] = float[5](${tops});
const int k_corners[24] = int[24](${k_corners.join(', ')});
void main() {
  uint where = quad.x;
  uint look = quad.y;
  face = int(where >> 29);
  int shape = min(int(look >> 16 & 15u), 4);
  vec3 first = vec3(float(where & 31u), float(where >> 10 & 511u), float(where >> 5 & 31u));
  float width = float(where >> 19 & 31u) + 1.0;
  float height = float(where >> 24 & 31u) + 1.0;
  vec3 size = face < 2 ? vec3(width, 1.0, height) : face < 4 ? vec3(width, height, 1.0) : vec3(1.0, height, width);
  float side = k_sides[shape];
  vec3 low = first + vec3(side, 0.0, side);
  vec3 high = first + size - vec3(side, 1.0 - k_tops[shape], side);
  int corner = gl_VertexID < 3 ? gl_VertexID : gl_VertexID == 3 ? 0 : gl_VertexID - 2;
  int bits = k_corners[face * 4 + corner];
  vec3 at = vec3((bits & 1) != 0 ? high.x : low.x, (bits & 2) != 0 ? high.y : low.y, (bits & 4) != 0 ? high.z : low.z);
  vec4 world = modelMatrix * vec4(at, 1.0);
  place = world.xyz;
  ivec2 chunk = ivec2(floor(modelMatrix[3].xz + 0.5));
  cells = ivec4(chunk + ivec2(first.xz), chunk + ivec2(first.xz + size.xz) - 1);
  int texel = int(look & 65535u) * 2;
  ivec2 row = ivec2(texel % ${k_material_row}, texel / ${k_material_row});
  vec4 own = texelFetch(materials, row, 0);
  vec4 dim = texelFetch(materials, row + ivec2(1, 0), 0);
  base = own.rgb;
  particle = dim.rgb;
  part_alpha = vec2(own.a * 2.55, dim.a);
  lamps = vec3(float(look >> 20 & 15u), float(look >> 24 & 15u), float(look >> 28)) / 15.0;
  gl_Position = projectionMatrix * viewMatrix * world;
}
`;

/// The colour of the map (docs/formats/map.md, steps 2 and 3), in the light of the hour.
export const k_fragment = `
precision highp float;
precision highp int;
uniform sampler2D tints;
uniform vec3 sun; // where it is, of length 1
uniform float day; // 1 by day, 0 by night
uniform vec3 sky;
uniform vec2 middle; // of what is loaded
uniform vec2 fog; // from where to where, in blocks
flat in vec3 base;
flat in vec3 particle;
flat in vec2 part_alpha;
flat in vec3 lamps;
flat in int face;
flat in ivec4 cells;
in vec3 place;
out vec4 colour;
const vec3 k_normals[6] = vec3[6](vec3(0, 1, 0), vec3(0, -1, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(-1, 0, 0), vec3(1, 0, 0));
const float k_faces[6] = float[6](1.0, 0.6, 0.88, 0.88, 0.78, 0.78);
void main() {
  const int n = ${k_tint_chunks * 32};
  ivec2 column = clamp(ivec2(floor(place.xz)), cells.xy, cells.zw);
  vec3 tint = texelFetch(tints, ivec2(((column.x % n) + n) % n, ((column.y % n) + n) % n), 0).rgb;
  vec3 c = mix(base, tint, part_alpha.x) * particle;
  float high = max(0.0, dot(k_normals[face], sun));
  float by_day = (0.55 + 0.45 * min(1.0, high / 0.943)) * k_faces[face];
  vec3 by_night = (vec3(0.15, 0.16, 0.24) + lamps * 0.85) * mix(1.0, k_faces[face], 0.5);
  c *= min(vec3(1.0), max(mix(by_night, vec3(by_day), day), lamps * 0.85 * k_faces[face]));
  float far = smoothstep(fog.x, fog.y, distance(place.xz, middle));
  colour = vec4(mix(c, sky, far), mix(part_alpha.y, 1.0, far));
}
`;
