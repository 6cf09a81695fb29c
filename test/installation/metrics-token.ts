import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an installation's /metrics is read with. */
export function metricsToken(home: string): string {
  return `Bearer ${readFileSync(join(home, 'keys', 'metrics-token'), 'utf8').trim()}`;
}
