import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

/// Debian's Chromium, without any traffic of its own.
export function launch(): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser']).toString().trim();
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox', // root has none
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-default-apps',
      '--disable-domain-reliability',
      '--disable-sync',
      '--no-first-run',
      '--no-pings',
      '--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,DialMediaRouteProvider,InterestFeedContentSuggestions',
      '--disable-dev-shm-usage',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--ignore-gpu-blocklist',
    ],
  });
}
