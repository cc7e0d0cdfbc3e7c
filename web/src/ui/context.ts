import { getContext, setContext } from 'svelte';
import type { Atlas } from '../state/atlas.svelte';

const k_key = Symbol('atlas');

export const provideAtlas = (atlas: Atlas): Atlas => setContext(k_key, atlas);
export const useAtlas = (): Atlas => getContext<Atlas>(k_key);
