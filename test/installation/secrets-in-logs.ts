import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

/** Which secrets of the installation stand in which of its logs, and in what it has printed; none should. */
export function secretsInLogs(installation: Installation): string[] {
  const logs = join(installation.home, 'logs');
  const texts = new Map(readdirSync(logs).map((name) => [name, readFileSync(join(logs, name), 'utf8')]));
  texts.set('what `up` printed', installation.output);
  for (const [index, one] of installation.beside.entries()) texts.set(`process beside ${index + 1}`, one.output());
  const found: string[] = [];
  for (const [what, secret] of secretsOf(installation)) {
    for (const [name, text] of texts) if (text.includes(secret)) found.push(`${what} in ${name}`);
  }
  return found;
}

/** By what they are: the test that finds one must not print it. */
function secretsOf(installation: Installation): [what: string, secret: string][] {
  const keys = join(installation.home, 'keys');
  const secrets: [string, string][] = [];
  for (const name of readdirSync(keys)) {
    const text = readFileSync(join(keys, name), 'utf8');
    if (name.endsWith('.json')) secrets.push(...stringsIn(JSON.parse(text), name).filter(isLong));
    else if (text.includes('PRIVATE KEY')) {
      const lines = text.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
      secrets.push(...lines.map((line): [string, string] => [name, line]));
    }
  }
  for (const secret of installation.secrets) {
    // Of a token the last part is the secret; what stands before it names the token and may be read.
    const own = secret.startsWith('svc_') ? secret.split('_').slice(2).join('_') : secret;
    secrets.push([secret === own ? 'a session' : 'a token', own]);
  }
  return secrets;
}

/** Names of keys are no secrets: only values are. */
function stringsIn(value: unknown, where: string): [string, string][] {
  if (typeof value === 'string') return [[where, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === 'current' ? [] : stringsIn(inner, where)));
}

function isLong([, secret]: [string, string]): boolean {
  return secret.length >= 20;
}
