import { get } from '../data/api';

/// What the server of the inspector answers, as docs/design/inspector.md says it.

export interface PlayerInfo {
  player: number;
  name?: string;
  build?: string;
  frames: number;
  bytes: number;
}

export interface State {
  source: 'proxy' | 'capture';
  title: string;
  program: string;
  start: string;
  first: number;
  end: number;
  forgotten: number;
  dropped: number;
  complete: boolean;
  damage?: string;
  personal: boolean;
  bytes: number;
  players: PlayerInfo[];
  more_players: number;
}

/// rank, number, microseconds, to, channel, player, packet, size, flags, text
export type Row = [number, number, number, number, number, number, string, number, number, string];

export interface Rows {
  first: number;
  end: number;
  scanned: number;
  complete: boolean;
  rows: Row[];
}

/// parent, at, size, part, name, type, value, bit
export type SpanRow = [number, number, number, string, string, string, string | null, number];

export interface Packet {
  number: number;
  time: number;
  to: number;
  channel: number;
  stream: number;
  player: number;
  build: string;
  packet: string;
  id: number;
  size: number;
  left_out?: 'fields' | 'payload';
  problem?: string;
  payload: { size: number; compressed: boolean; hex: string };
  spans: SpanRow[];
  cut: boolean;
}

export interface Series {
  packet: string;
  to: number;
  channel: number;
  frames: number[];
  bytes: number[];
}

export interface RateTable {
  start: number;
  width: number;
  count: number;
  series: Series[];
}

export type Sample = [number, string, number];

export interface LatencyTable {
  players: { player: number; samples: Sample[] }[];
}

export interface SceneInfo {
  player: number;
  world: number;
  version: number;
  bounds: { min: [number, number]; max: [number, number] } | null;
  chunks: number;
  /// Null for a player whose chunks are not drawn.
  drawn: number | null;
  entities: [number, string, number, number, number][];
  place?: [number, number, number];
  left_out: number;
}

export interface Found {
  found: number | null;
  at: number;
  first: number;
  end: number;
}

const k_restart = 'Start it again with orbis proxy --inspect or orbis capture serve; this page then reconnects by itself.';
const part = encodeURIComponent;
const ask = <T>(address: string, signal?: AbortSignal): Promise<T> => get<T>(`api/${address}`, signal, k_restart);

export const api = {
  state: () => ask<State>('state'),
  rows: (filter: string, from: number, count: number, signal?: AbortSignal) => ask<Rows>(`rows?filter=${part(filter)}&from=${from}&count=${count}`, signal),
  rank: (filter: string, number: number, signal?: AbortSignal) => ask<{ rank: number; scanned: number }>(`rank?filter=${part(filter)}&number=${number}`, signal),
  find: (filter: string, from: number, text: string, back: boolean, signal?: AbortSignal) =>
    ask<Found>(`find?filter=${part(filter)}&from=${from}&q=${part(text)}${back ? '&back=1' : ''}`, signal),
  packet: (number: number, signal?: AbortSignal) => ask<Packet>(`packet/${number}`, signal),
  bytes: (number: number, from: number, count: number, signal?: AbortSignal) =>
    ask<{ from: number; size: number; hex: string }>(`packet/${number}/bytes?from=${from}&count=${count}`, signal),
  rates: (signal?: AbortSignal) => ask<RateTable>('rates', signal),
  latency: (signal?: AbortSignal) => ask<LatencyTable>('latency', signal),
  scene: (player: number, signal?: AbortSignal) => ask<SceneInfo>(`scene/${player}`, signal),
};

/// The address of a file with packets: all that a filter finds, or those between two numbers.
export function exportAddress(filter: string, format: 'pcapng' | 'json', range: [number, number] | null): string {
  const numbers = range ? `&from=${range[0]}&to=${range[1]}` : '';
  return `api/export?filter=${part(filter)}&format=${format}${numbers}`;
}

export const k_channels = ['Default', 'Chunks', 'WorldMap', 'Voice'];
export const channelName = (channel: number): string => k_channels[channel] ?? (channel < 0 ? 'Other' : `Channel ${channel}`);
export const arrow = (to: number): string => (to === 1 ? '→' : to === 0 ? '←' : '?');

/// Microseconds as seconds with six places.
export function seconds(micros: number): string {
  const sign = micros < 0 ? '−' : '';
  const size = Math.abs(micros);
  return `${sign}${Math.floor(size / 1e6)}.${String(Math.floor(size % 1e6)).padStart(6, '0')}`;
}
