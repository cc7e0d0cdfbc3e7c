import { api, ApiError } from '../data/api';
import type { Findings, Inspect } from '../data/types';
import { chunkOf } from '../map/grid';
import { InspectPainter } from '../map/inspect_painter';
import { type Scale, scaleFor } from '../map/ramp';
import { byChunk, byValues, paintFindings } from './findings';

/// The inspector layers: one value for each chunk, such as its size or its findings.
export class Inspector {
  scale = $state.raw<Scale | null>(null);
  findings = $state.raw<Findings | null>(null);
  #painter = $state.raw<InspectPainter | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  /// `paint` shows a layer on the map, or none.
  constructor(readonly paint: (painter: InspectPainter | null) => void) {}

  /// Shows the values of an export, or the findings that the server has of the world `live`.
  show(id: string, data: Inspect | null, live: string | null): void {
    this.close();
    const values = data?.values[id];
    if (id === 'findings' && live !== null) {
      void this.#readFindings(live, data);
    } else if (id === 'findings' && data && byValues(data)) {
      this.#show(paintFindings(byValues(data) ?? []));
    } else if (data && values) {
      const scale = scaleFor(id, values);
      this.#show({ scale, painter: new InspectPainter(data.x, data.z, values, scale.colour) });
    }
  }

  hide(): void {
    this.close();
    this.#painter = null;
    this.scale = null;
    this.paint(null);
  }

  /// The value in the chunk of a block.
  valueAt(block: [number, number]): number | undefined {
    return this.#painter?.value(chunkOf(block[0]), chunkOf(block[1]));
  }

  /// Asks the server no more.
  close(): void {
    ++this.#turn;
    clearTimeout(this.#timer);
  }

  #show({ scale, painter }: { scale: Scale; painter: InspectPainter }): void {
    this.scale = scale;
    this.#painter = painter;
    this.paint(painter);
  }

  /// Asks for the findings again while the server still checks.
  async #readFindings(world: string, data: Inspect | null): Promise<void> {
    const turn = this.#turn;
    const again = (ms: number): void => void (this.#timer = setTimeout(() => void this.#readFindings(world, data), ms));
    try {
      const findings = await api.findings(world);
      if (turn !== this.#turn) return; // something else is shown by now
      this.findings = findings;
      this.#show(paintFindings(byChunk(findings.findings, data)));
      if (findings.state === 'running') again(1000);
    } catch (problem) {
      if (turn !== this.#turn || (problem instanceof ApiError && problem.status === 0)) return; // the banner says it
      again(3000);
    }
  }
}
