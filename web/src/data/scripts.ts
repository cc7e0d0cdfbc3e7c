/// Data files are scripts that call `orbis(name, value)`: the only way to read a file next to a page that was
/// opened by a double click.

type Receiver = (name: string, value: unknown) => void;

const arrived = new Map<string, unknown>();

declare global {
  var orbis: Receiver;
}

globalThis.orbis = (name, value) => void arrived.set(name, value);

export class MissingFile extends Error {
  constructor(readonly address: string) {
    super(`${address} could not be read`);
  }
}

/// Loads the script at an address and hands over what it says under `name`.
export function load<T>(address: string, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    const end = (): void => script.remove();
    script.onload = () => {
      end();
      const value = arrived.get(name);
      arrived.delete(name);
      if (value === undefined) reject(new MissingFile(address));
      else resolve(value as T);
    };
    script.onerror = () => {
      end();
      reject(new MissingFile(address));
    };
    document.head.append(script);
  });
}
