const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/// 12345 as 12,345.
export const count = (value: number): string => grouped.format(value);

/// 12345 as 12.3k, for small labels.
export function brief(value: number): string {
  const units: [number, string][] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [unit, sign] of units) {
    if (value >= unit) return `${Number((value / unit).toFixed(value >= unit * 100 ? 0 : 1))}${sign}`;
  }
  return String(Number(value.toFixed(1)));
}

/// Bytes as people read them.
export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let size = value / 1024;
  let unit = 0;
  while (size >= 1024 && unit + 1 < units.length) {
    size /= 1024;
    ++unit;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}

/// A key of the game as words: `Furniture_Village_Chest_Small` becomes `Furniture Village Chest Small`, and a state
/// `*Chest_State_Definitions_Open` becomes `Chest (Open)`.
export const words = (key: string): string =>
  key
    .replace(/^.*:/, '')
    .replace(/^\*/, '')
    .replace(/_State_Definitions_(.+)$/, ' ($1)')
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim() || key;

/// What a program says in passing as a sentence: with a capital letter, but for a command, and a full stop.
export function sentence(text: string): string {
  const whole = text.trim();
  if (whole === '') return '';
  return `${whole.startsWith('orbis ') ? whole[0] : whole[0]!.toUpperCase()}${whole.slice(1)}${/[.!?…:]$/.test(whole) ? '' : '.'}`;
}

/// A text in parts, with the commands in it apart: `orbis`, a verb, and options, NAMES and paths after it.
export function phrases(text: string): { text: string; code: boolean }[] {
  const parts = text.split(/(\borbis [a-z]+(?: (?:--?[a-z-]+|[A-Z][A-Z@]+\b|[~.]?\/\S*[^\s.,;:]))*)/);
  return parts.map((part, i) => ({ text: part, code: i % 2 === 1 })).filter((part) => part.text !== '');
}

export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;
