import type { Picked, Vector } from './pick';
import type { View } from './camera';

/// Planes that cut the world: what is before the first or behind the last block is not there.
export interface Cut {
  min: [number | null, number | null, number | null];
  max: [number | null, number | null, number | null];
}

export const k_no_cut: Cut = { min: [null, null, null], max: [null, null, null] };

export interface Stats {
  /// Milliseconds for one picture, on the average of the last ones.
  frame: number;
  triangles: number;
  chunks: number;
  waiting: number;
  unreadable: number;
  /// What chunks take, in bytes.
  memory: number;
}

/// Where a place of the world is on the screen; null behind the eye.
export type Project = (place: Vector) => { x: number; y: number; depth: number } | null;

/// What the viewer needs of the page around it.
export interface Host {
  /// The address of the mesh of a chunk.
  address(cx: number, cz: number, cut: Cut): string;
  /// Whether the world may have this chunk.
  exists(cx: number, cz: number): boolean;
  moved(view: View): void;
  /// After each picture, so that names and pins follow.
  drawn(project: Project): void;
  clicked(picked: Picked | null, screen: [number, number]): void;
  pointed(screen: [number, number] | null): void;
}

export interface Viewer {
  view: View;
  hour: number;
  cut: Cut;
  /// Chunks have changed; nothing means that all may have.
  changed(chunks?: [number, number][]): void;
  draw(): void;
  /// Whether the key moves the view; then it does.
  key(event: KeyboardEvent): boolean;
  /// Nearer or farther.
  zoom(factor: number): void;
  setMode(mode: View['mode']): void;
  pick(x: number, y: number): Picked | null;
  /// The highest block that is loaded in a column.
  heightAt(x: number, z: number): number | null;
  stats(): Stats;
  resized(): void;
  close(): void;
}

export type OpenViewer = (target: HTMLElement, host: Host, view: View) => Viewer;

declare global {
  interface Window {
    orbisViewer?: OpenViewer;
  }
}
