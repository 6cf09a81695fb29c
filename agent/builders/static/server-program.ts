import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** In a bundle it stands beside us as one file; in a checkout it is its source, which Node runs as well. */
export function serverProgram(): { path: string; name: string } {
  const bundled = fileURLToPath(new URL('file-server.mjs', import.meta.url));
  if (existsSync(bundled)) return { path: bundled, name: 'server.mjs' };
  return { path: fileURLToPath(new URL('./file-server.ts', import.meta.url)), name: 'server.ts' };
}
