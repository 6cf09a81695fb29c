import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Two starts with the same digest run the same ingress, wherever their files lie. A bundle is one file; sources are all
 * that lie beside the first.
 */
export function programDigest(program: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const argument of program.slice(1)) {
    if (/\.ts$/.test(argument)) {
      const directory = dirname(argument);
      for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
        if (/\.ts$/.test(name) && !/\.test\.ts$/.test(name))
          hash.update(name).update(readFileSync(join(directory, name)));
      }
    } else if (/\.([cm]?js|sh)$/.test(argument)) hash.update(readFileSync(argument));
    else hash.update(argument);
    hash.update('\0');
  }
  return hash.digest('hex');
}
