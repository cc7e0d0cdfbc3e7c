export type Theme = 'auto' | 'light' | 'dark';

const k_key = 'orbis-theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(k_key);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto'; // a browser may refuse storage to pages without a server
  }
}

/// Light, dark, or what the system wants.
class ThemeChoice {
  value = $state<Theme>(stored());
  #system = $state(matchMedia('(prefers-color-scheme: dark)').matches);

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => (this.#system = event.matches));
    this.#apply();
  }

  get dark(): boolean {
    return this.value === 'dark' || (this.value === 'auto' && this.#system);
  }

  set(value: Theme): void {
    this.value = value;
    try {
      localStorage.setItem(k_key, value);
    } catch {
      // Then it holds for this visit.
    }
    this.#apply();
  }

  #apply(): void {
    if (this.value === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = this.value;
  }
}

export const theme = new ThemeChoice();
