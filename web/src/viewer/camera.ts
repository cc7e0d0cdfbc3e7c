/// How a place is looked at.
export interface View {
  /// What is looked at, in blocks; in flight where the eye is.
  x: number;
  y: number;
  z: number;
  /// Degrees: 0 looks north, 90 east; 90 is straight down.
  yaw: number;
  pitch: number;
  /// From what is looked at to the eye, in blocks; 0 in flight.
  distance: number;
  mode: 'orbit' | 'fly';
}

export const k_fov = 50;
export const k_nearest = 6;
export const k_farthest = 6000;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/// Where the eye looks, of length 1.
export function direction({ yaw, pitch }: { yaw: number; pitch: number }): [number, number, number] {
  const [a, b] = [radians(yaw), radians(pitch)];
  return [Math.sin(a) * Math.cos(b), -Math.sin(b), -Math.cos(a) * Math.cos(b)];
}

export function eye(view: View): [number, number, number] {
  const [x, y, z] = direction(view);
  const far = view.mode === 'orbit' ? view.distance : 0;
  return [view.x - x * far, view.y - y * far, view.z - z * far];
}

/// The same with angles and distances that exist.
export function settled(view: View): View {
  return {
    ...view,
    yaw: ((view.yaw % 360) + 360) % 360,
    pitch: view.mode === 'orbit' ? clamp(view.pitch, 3, 90) : clamp(view.pitch, -89, 89),
    y: clamp(view.y, -64, 2000),
    distance: clamp(view.distance, k_nearest, k_farthest),
  };
}

/// From one way to move to the other, with the eye where it was.
export function inMode(view: View, mode: View['mode']): View {
  if (view.mode === mode) return view;
  const [x, y, z] = eye(view);
  if (mode === 'fly') return settled({ ...view, x, y, z, mode });
  const ahead = clamp(view.distance, 20, 80);
  const pitch = clamp(view.pitch, 3, 90);
  const to = direction({ yaw: view.yaw, pitch });
  return settled({ ...view, x: x + to[0] * ahead, y: y + to[1] * ahead, z: z + to[2] * ahead, pitch, distance: ahead, mode });
}

/// Moves over the ground: to the right and forwards as it is looked at, and up, in blocks.
export function moved(view: View, right: number, ahead: number, up: number): View {
  const a = radians(view.yaw);
  return settled({
    ...view,
    x: view.x + Math.cos(a) * right + Math.sin(a) * ahead,
    y: view.y + up,
    z: view.z + Math.sin(a) * right - Math.cos(a) * ahead,
  });
}

/// Flies where it is looked at.
export function flown(view: View, right: number, ahead: number, up: number): View {
  const to = direction(view);
  const a = radians(view.yaw);
  return settled({
    ...view,
    x: view.x + Math.cos(a) * right + to[0] * ahead,
    y: view.y + to[1] * ahead + up,
    z: view.z + Math.sin(a) * right + to[2] * ahead,
  });
}

/// The distance at which a block is as large as on the flat map, and back.
export const distanceOf = (resolution: number, height: number): number =>
  clamp((resolution * height) / (2 * Math.tan(radians(k_fov) / 2)), k_nearest, k_farthest);
export const resolutionAt = (distance: number, height: number): number => (distance * 2 * Math.tan(radians(k_fov) / 2)) / height;
