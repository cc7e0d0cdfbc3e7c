/// Light and sky at an hour of the day: the sun rises at 6 in the east and sets at 18 in the west.
export interface Daylight {
  /// Where the sun is, of length 1.
  sun: [number, number, number];
  /// 1 by day, 0 by night.
  day: number;
  sky: [number, number, number];
}

const k_day: readonly number[] = [0.66, 0.8, 0.93];
const k_dusk: readonly number[] = [0.93, 0.66, 0.47];
const k_night: readonly number[] = [0.03, 0.04, 0.09];
/// South of straight up, so that walls differ at noon.
const k_south = 0.35;

const smooth = (from: number, to: number, value: number): number => {
  const part = Math.max(0, Math.min(1, (value - from) / (to - from)));
  return part * part * (3 - 2 * part);
};

export function daylight(hour: number): Daylight {
  const angle = ((hour - 6) / 12) * Math.PI;
  const [east, up] = [Math.cos(angle), Math.sin(angle)];
  const length = Math.hypot(east, up, k_south);
  const day = smooth(-0.12, 0.25, up);
  // Near the horizon by day and a little below it the sky is red.
  const red = smooth(-0.15, 0.02, up) * (1 - smooth(0.02, 0.4, up));
  const sky = [0, 1, 2].map((i) => {
    const plain = k_night[i]! + (k_day[i]! - k_night[i]!) * day;
    return plain + (k_dusk[i]! - plain) * red * 0.7;
  }) as [number, number, number];
  return { sun: [east / length, up / length, k_south / length], day, sky };
}
