import type { Facts } from './types';

export interface Stack {
  slot: string;
  item: string;
  count: number;
  note: string;
}

export interface Inventory {
  title: string;
  capacity: number | null;
  stacks: Stack[];
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/// Every inventory in the components of a block, however deep: chests, benches, and what comes later.
export function inventories(components: Json): Inventory[] {
  const found: Inventory[] = [];
  const walk = (value: unknown, name: string, depth: number): void => {
    if (!isObject(value) || depth > 8) return;
    if (isObject(value['Items'])) {
      found.push({
        title: name,
        capacity: typeof value['Capacity'] === 'number' ? value['Capacity'] : null,
        stacks: Object.entries(value['Items']).flatMap(([slot, stack]) => stackOf(slot, stack)),
      });
      return;
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, key, depth + 1);
  };
  walk(components, '', 0);
  return found;
}

function stackOf(slot: string, stack: unknown): Stack[] {
  if (!isObject(stack) || typeof stack['Id'] !== 'string') return [];
  const amount = stack['Quantity'];
  const [left, most] = [stack['Durability'], stack['MaxDurability']];
  const worn = typeof left === 'number' && typeof most === 'number' && left < most;
  return [
    {
      slot,
      item: stack['Id'],
      count: typeof amount === 'number' ? amount : 1,
      note: worn ? `${Math.round((100 * left) / most)} % durability` : '',
    },
  ];
}

/// The contents of a container of the facts; equal items together.
export function contents(facts: Facts, container: number): Stack[] {
  const { first, item, count } = facts.containers;
  const sums = new Map<number, number>();
  for (let at = first[container] ?? 0; at < (first[container + 1] ?? 0); ++at) {
    const id = item[at] ?? -1;
    sums.set(id, (sums.get(id) ?? 0) + (count[at] ?? 0));
  }
  return [...sums].map(([id, sum], i) => ({ slot: String(i), item: facts.names[id] ?? '?', count: sum, note: '' }));
}
