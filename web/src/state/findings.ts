import type { Finding, Findings, Inspect } from '../data/types';
import { InspectPainter } from '../map/inspect_painter';
import { findingColour, findingScale, type Scale, severityRank } from '../map/ramp';

/// The findings that an exported map has; null if the world was not checked.
export function exportedFindings(inspect: Inspect | null): Findings | null {
  if (!inspect?.findings) return null;
  const chunks = inspect.x.length;
  return { state: 'done', checked: chunks, chunks, findings: inspect.findings, left_out: inspect.left_out ?? 0 };
}

interface ChunkFindings {
  x: number;
  z: number;
  count: number;
  rank: number;
}

/// Chunks with the number of their findings and how bad the worst is; chunks without any have 0.
export function byChunk(findings: Finding[], inspect: Inspect | null): ChunkFindings[] {
  const chunks = new Map<string, ChunkFindings>();
  const { x = [], z = [] } = inspect ?? {};
  x.forEach((cx, i) => chunks.set(`${cx},${z[i]}`, { x: cx, z: z[i] ?? 0, count: 0, rank: 0 }));
  for (const { chunk, count = 1, severity } of findings) {
    if (!chunk) continue;
    const known = chunks.get(chunk.join(',')) ?? { x: chunk[0], z: chunk[1], count: 0, rank: 0 };
    known.count += count;
    known.rank = Math.max(known.rank, severityRank(severity));
    chunks.set(chunk.join(','), known);
  }
  return [...chunks.values()];
}

/// The same from the values of an export, which has every chunk but not every line.
export function byValues({ x, z, values }: Inspect): ChunkFindings[] | null {
  const { findings, severity } = values;
  if (!findings || !severity) return null;
  return x.map((cx, i) => ({ x: cx, z: z[i] ?? 0, count: findings[i] ?? 0, rank: Math.max(0, (severity[i] ?? 0) - 1) }));
}

/// The worst finding of a chunk gives its colour, their number the shade.
export function paintFindings(all: ChunkFindings[]): { scale: Scale; painter: InspectPainter } {
  const most = all.reduce((sum, { count }) => Math.max(sum, count), 0);
  const scale = findingScale(new Set(all.filter(({ count }) => count > 0).map(({ rank }) => rank)));
  const columns = [all.map((each) => each.x), all.map((each) => each.z), all.map((each) => each.count)] as const;
  return { scale, painter: new InspectPainter(...columns, (value, i) => findingColour(all[i]?.rank ?? 0, value, most)) };
}

export interface FindingGroup {
  code: string;
  severity: string;
  message: string;
  help: string;
  /// How often it was found in all of its chunks.
  count: number;
  chunks: [number, number][];
}

/// Findings in chunks by their code, the worst first.
export function byCode(findings: Finding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup & { seen: Set<string> }>();
  for (const { code, severity, message, help = '', chunk, count = 1 } of findings) {
    if (!chunk) continue;
    const known = groups.get(code) ?? { code, severity, message, help, count: 0, chunks: [], seen: new Set<string>() };
    known.count += count;
    if (!known.seen.has(chunk.join(','))) known.chunks.push(chunk);
    known.seen.add(chunk.join(','));
    groups.set(code, known);
  }
  return [...groups.values()].sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || b.chunks.length - a.chunks.length);
}
