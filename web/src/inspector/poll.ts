const k_poll_ms = 1000;

/// Asks at once and then every second, until the function that it returns is called. While it rests nothing is asked; an
/// answer that does not come is asked for again.
export function poll(ask: (signal: AbortSignal) => Promise<void>, rests: () => boolean = () => false, pause = k_poll_ms): () => void {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  const next = async (): Promise<void> => {
    if (first || !rests()) await ask(abort.signal).catch(() => {});
    first = false;
    if (!abort.signal.aborted) timer = setTimeout(() => void next(), pause);
  };
  void next();
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}
