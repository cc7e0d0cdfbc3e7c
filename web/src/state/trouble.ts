import { ApiError } from '../data/api';
import { MissingFile } from '../data/scripts';
import type { Inspect, WorldIndex, WorldStatus } from '../data/types';
import { plural, sentence } from '../ui/text';

/// Why there is nothing to show, and what to do.
export interface Trouble {
  title: string;
  text: string;
  advice?: string;
  command?: string;
}

const k_make = 'orbis map WORLD FOLDER';

export const noMap: Trouble = {
  title: 'There is no map here yet',
  text: 'This page shows a map folder, but there is no readable map.js beside it. Create a map of a world and open index.html in its folder:',
  command: k_make,
};

export const newerMap = (program: string): Trouble => ({
  title: 'This map is newer than its page',
  text: `It was written by ${program} in a format that this page cannot read. Create the map again with one program:`,
  command: k_make,
});

export const noWorld = (live: boolean): Trouble => ({
  title: 'There is no world here',
  text: 'There is no world at this path. Use a universe, a world folder, a region file or a backup:',
  command: live ? 'orbis up UNIVERSE' : k_make,
});

export const goneWorld = (others: boolean): Trouble => ({
  title: 'This world is gone',
  text: `It was removed or renamed. ${others ? 'Choose another one above; if' : 'If'} it comes back, it appears here again.`,
});

/// A world without an index. A server says itself what is wrong.
export function brokenWorld(live: boolean, folder: string, problem: unknown): Trouble {
  const title = 'This world cannot be shown';
  if (problem instanceof ApiError && problem.status > 0) return { title, text: problem.message, advice: problem.advice };
  const text =
    problem instanceof ApiError
      ? problem.message
      : problem instanceof MissingFile
        ? `${problem.address} is missing or damaged. ${live ? 'Is the server still running?' : 'Create the map again:'}`
        : `${folder}: ${String(problem)}`;
  return { title, text, command: live ? 'orbis up' : k_make };
}

/// Why a world has nothing to show; null when it has. What cannot be read is told by the server (`status`) or by the
/// export (`inspect`).
export function emptyWorld(live: boolean, index: WorldIndex | null, status: WorldStatus | null, inspect: Inspect | null): Trouble | null {
  const failed = status?.state === 'failed' && status.problems.length > 0;
  if (!failed && (!index || index.bounds)) return null;
  const problems = status?.problems.length ? status.problems : (inspect?.problems ?? []);
  const [problem] = problems;
  if (problem) {
    const others = problems.length - 1 + (status?.left_out ?? 0);
    const more = others > 0 ? ` ${plural(others, 'other file')} cannot be read either.` : '';
    const text = `${problem.file ? `${problem.file}: ` : ''}${sentence(problem.message)}${more}`;
    return { title: 'The chunks of this world cannot be read', text, advice: sentence(problem.advice) };
  }
  return {
    title: 'This world has no chunks yet',
    text: live
      ? 'Chunks appear here as soon as the game saves them.'
      : 'There is nothing to draw. When the game has saved some chunks, create the map again:',
    ...(live ? {} : { command: k_make }),
  };
}
