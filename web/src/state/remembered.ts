/// What a browser remembers of this page between visits. Private windows and strict settings may refuse it.
export function remembered<T extends Record<string, boolean>>(name: string, usual: T): T {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? '{}') as Record<string, unknown>;
    const known = Object.entries(usual).map(([key, value]) => [key, typeof kept[key] === 'boolean' ? kept[key] : value]);
    return Object.fromEntries(known) as T;
  } catch {
    return { ...usual };
  }
}

export function remember(name: string, value: Record<string, boolean>): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // The page works without.
  }
}
