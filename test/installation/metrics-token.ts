import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The token that reads an installation's /metrics. */
export function metricsToken(home: string): string {
  return `Bearer ${readFileSync(join(home, 'keys', 'metrics-token'), 'utf8').trim()}`;
}
