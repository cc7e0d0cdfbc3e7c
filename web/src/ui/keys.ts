import type { Atlas } from '../state/atlas.svelte';

export interface KeyActions {
  focusSearch(): void;
  escape(): void;
  help(): void;
}

const k_step = 120;

const k_arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
const k_own_keys: Record<string, string[]> = {
  radio: [...k_arrows, ' '],
  checkbox: [' '],
  range: [...k_arrows, 'Home', 'End', 'PageUp', 'PageDown'],
};

/// Whether what has the focus needs a key for itself: a text needs all, a switch or slider only a few.
function needs(target: HTMLElement, key: string): boolean {
  const field = target.closest('input, select, textarea, [role="listbox"]');
  if (!field) return false;
  return field instanceof HTMLInputElement ? (k_own_keys[field.type]?.includes(key) ?? true) : true;
}

/// Keys of the whole page. Fields, lists and sliders use theirs first.
export function handleKey(event: KeyboardEvent, atlas: Atlas, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === 'Escape') return actions.escape();
  if (needs(event.target as HTMLElement, event.key)) return;
  if (atlas.space.open && event.key === 'F3') {
    event.preventDefault();
    return atlas.space.toggleStats();
  }
  // A button that has the focus takes the space bar for itself.
  const pressed = event.key === ' ' && (event.target as HTMLElement).closest('button') !== null;
  if (atlas.space.state === 'on' && !pressed && atlas.space.key(event)) return event.preventDefault();
  const step = event.shiftKey ? k_step * 4 : k_step;
  const keys: Record<string, () => void> = {
    ArrowLeft: () => atlas.pan(-step, 0),
    ArrowRight: () => atlas.pan(step, 0),
    ArrowUp: () => atlas.pan(0, -step),
    ArrowDown: () => atlas.pan(0, step),
    '+': () => atlas.zoomBy(1),
    '=': () => atlas.zoomBy(1),
    '-': () => atlas.zoomBy(-1),
    ...(atlas.space.open ? {} : { '0': () => atlas.fit(), Home: () => atlas.fit() }),
    PageUp: () => atlas.stepHeight(event.shiftKey ? 10 : 1),
    PageDown: () => atlas.stepHeight(event.shiftKey ? -10 : -1),
    '/': () => actions.focusSearch(),
    '?': () => actions.help(),
    v: () => atlas.space.toggle(),
    ...(atlas.space.state === 'on' ? { b: () => atlas.space.setMode(atlas.space.view?.mode === 'fly' ? 'orbit' : 'fly') } : {}),
    g: () => atlas.show('grid', !atlas.shown.grid),
    c: () => atlas.show('containers', !atlas.shown.containers),
    e: () => atlas.show('entities', !atlas.shown.entities),
    m: () => atlas.show('markers', !atlas.shown.markers),
  };
  const all = [...atlas.choices, ...atlas.inspectChoices];
  const number = /^[1-9]$/.test(event.key) && !atlas.space.open ? all.find((choice) => choice.key === Number(event.key)) : undefined;
  const action = number ? () => atlas.setLayer(number.id) : keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
