import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program of the agent: in a bundle it stands beside us as one file; in a checkout it is its source, which Node runs as well. */
export function ownProgram(name: string, source: URL): string {
  const bundled = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(source);
}
