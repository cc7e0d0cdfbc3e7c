import type { View } from '../viewer/camera';
import type { Cut } from '../viewer/types';

/// How the world is looked at in three dimensions; the place is that of the map.
export interface SpaceAddress {
  view: Partial<Pick<View, 'y' | 'yaw' | 'pitch' | 'distance' | 'mode'>>;
  hour?: number;
  cut?: Cut;
}

/// What the address of the page says after `#`, so that a place can be shared and the back button works.
export interface Address {
  world?: string;
  x?: number;
  z?: number;
  zoom?: number;
  layer?: string;
  /// The height of a slice or of the cave view.
  y?: number;
  /// A chosen block; a column where the height is not known.
  at?: [number, number | null, number];
  space?: SpaceAddress;
}

const number = (text: string | null, least: number, most: number): number | undefined => {
  if (text === null || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= least && value <= most ? value : undefined;
};

const k_far = 2 ** 31;

/// `eye=yaw,pitch,distance,y`, `fly=1`, `hour=6.5` and `cut=x,y,z,x,y,z` with nothing where nothing is cut off.
function parseSpace(fields: URLSearchParams): SpaceAddress | undefined {
  if (!fields.has('eye')) return undefined;
  const [yaw, pitch, distance, y] = (fields.get('eye') ?? '').split(',').map((text) => number(text, -100_000, 100_000));
  const view = Object.fromEntries(Object.entries({ yaw, pitch, distance, y }).filter(([, value]) => value !== undefined));
  const space: SpaceAddress = { view: { ...view, mode: fields.get('fly') === '1' ? 'fly' : 'orbit' } };
  const hour = number(fields.get('hour'), 0, 24);
  if (hour !== undefined) space.hour = hour;
  const planes = (fields.get('cut') ?? '').split(',').map((text) => number(text, -k_far, k_far - 1) ?? null);
  const [x0 = null, y0 = null, z0 = null, x1 = null, y1 = null, z1 = null] = planes.map((value) => value && Math.round(value));
  if (planes.length === 6) space.cut = { min: [x0, y0, z0], max: [x1, y1, z1] };
  return space;
}

/// Takes what it understands: an address that people type or cut off must not break the page.
export function parse(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const address: Address = {};
  const world = fields.get('world');
  const layer = fields.get('layer');
  const x = number(fields.get('x'), -k_far, k_far);
  const z = number(fields.get('z'), -k_far, k_far);
  const zoom = number(fields.get('zoom'), -32, 8);
  const y = number(fields.get('y'), -4096, 4096);
  if (world) address.world = world;
  if (layer && /^[a-z:_]{1,40}$/.test(layer)) address.layer = layer;
  if (x !== undefined && z !== undefined) Object.assign(address, { x, z });
  if (zoom !== undefined) address.zoom = zoom;
  if (y !== undefined) address.y = Math.round(y);
  const at = (fields.get('at') ?? '').split(',').map((text) => number(text, -k_far, k_far));
  const whole = at.flatMap((value) => (value === undefined ? [] : [Math.floor(value)]));
  const [ax = 0, ay = 0, az = 0] = whole;
  if (at.length === 3 && whole.length === 3) address.at = [ax, ay, az];
  if (at.length === 2 && whole.length === 2) address.at = [ax, null, ay];
  const space = parseSpace(fields);
  if (space) address.space = space;
  return address;
}

const short = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

export function format(address: Address): string {
  const fields: string[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) fields.push(`${name}=${value}`);
  };
  add('world', address.world && encodeURIComponent(address.world));
  add('x', address.x === undefined ? undefined : short(address.x, 1));
  add('z', address.z === undefined ? undefined : short(address.z, 1));
  add('zoom', address.zoom === undefined ? undefined : short(address.zoom, 2));
  add('layer', address.layer);
  add('y', address.y === undefined ? undefined : String(address.y));
  add('at', address.at?.filter((value) => value !== null).join(','));
  if (address.space) {
    const { view, hour, cut } = address.space;
    const { yaw = 0, pitch = 0, distance = 0, y = 0 } = view;
    add('eye', [yaw, pitch, distance, y].map((value) => short(value, 1)).join(','));
    add('fly', view.mode === 'fly' ? '1' : undefined);
    add('hour', hour === undefined ? undefined : short(hour, 2));
    const planes = cut ? [...cut.min, ...cut.max] : [];
    add('cut', planes.some((value) => value !== null) ? planes.map((value) => value ?? '').join(',') : undefined);
  }
  return `#${fields.join('&')}`;
}
