/// The files of a map folder, as docs/formats/map.md says them.

export interface MapInfo {
  format: number;
  program: string;
  live: boolean;
  title: string;
  worlds: { name: string; folder: string }[];
}

export type TileTable = Record<string, Record<string, string>>;

export interface LayerInfo {
  title: string;
  kind: 'tiles';
  height?: number;
  tiles: TileTable;
}

export interface LegendEntry {
  key: string;
  colour: string;
  guessed?: boolean;
  cells?: number;
}

export interface WorldIndex {
  format: number;
  name: string;
  generation: number;
  bounds: { min: [number, number]; max: [number, number] } | null;
  chunks: number;
  levels: number;
  spawn: [number, number, number] | null;
  height: { min: number; max: number };
  layers: Record<string, LayerInfo>;
  inspect: { file: string } | null;
  facts: { file: string } | null;
  legend: {
    blocks: LegendEntry[];
    /// Fluids as they are drawn, the commonest colour first.
    fluids?: { key: string; cells: number; colours: string[] }[];
    environments: LegendEntry[];
    height: { value: number; colour: string }[];
  };
}

export interface Marker {
  kind: string;
  name: string;
  x: number;
  y: number;
  z: number;
}

export interface Containers {
  block: number[];
  x: number[];
  y: number[];
  z: number[];
  first: number[];
  item: number[];
  count: number[];
}

export interface Entities {
  type: number[];
  name: number[];
  x: number[];
  y: number[];
  z: number[];
}

export interface BlockFacts {
  key: string;
  cells: number;
  /// Chunk x, chunk z, cells and a place of each: x + 32 z + 1024 y in the chunk, or −1.
  chunks: number[];
  all: boolean;
}

export interface Facts {
  names: string[];
  markers: Marker[];
  containers: Containers;
  entities: Entities;
  blocks: BlockFacts[];
}

export interface InspectLayer {
  id: string;
  title: string;
  unit?: string;
}

export interface Inspect {
  layers: InspectLayer[];
  x: number[];
  z: number[];
  values: Record<string, number[]>;
  /// What a check found, when there was one.
  findings?: Finding[];
  left_out?: number;
  /// Files that could not be read.
  problems?: Problem[];
  /// Chunks that are there and could not be read.
  unreadable?: { x: number[]; z: number[]; message: string[] };
}

export interface Column {
  x: number;
  z: number;
  chunk: [number, number];
  height: number | null;
  exists: boolean;
  /// Why the chunk cannot be read.
  unreadable?: Problem | null;
}

/// What is wrong and what to do, in words of the program.
export interface Problem {
  message: string;
  advice: string;
  file?: string;
  region?: [number, number] | null;
}

/// A world as `orbis up` lists it.
export interface WorldStatus {
  name: string;
  folder: string;
  state: 'opening' | 'ready' | 'failed';
  problems: Problem[];
  left_out: number;
}

export interface Finding {
  code: string;
  severity: string;
  message: string;
  file?: string;
  part?: string;
  chunk?: [number, number];
  count?: number;
  help?: string;
}

export interface Findings {
  state: 'running' | 'done';
  checked: number;
  chunks: number;
  findings: Finding[];
  left_out?: number;
}

export type PlaceKind = 'block' | 'item' | 'entity' | 'marker' | 'place';

/// One hit of a search. Without a height (`y` null) the place is a whole chunk.
export interface Place {
  kind: PlaceKind;
  name: string;
  x: number;
  y: number | null;
  z: number;
  detail: string;
  /// Where a whole square is meant: its side in blocks, around x and z.
  side?: number;
}

/// Everything the program knows of a block (`orbis get --json`).
export interface BlockAnswer {
  x: number;
  y: number;
  z: number;
  block: string;
  known: boolean;
  fluid: string;
  fluid_level: number;
  environment: string;
  height: number;
  components: Record<string, unknown>;
  [more: string]: unknown;
}
