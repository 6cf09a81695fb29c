import { type Facts, factsOf } from './step.ts';

/** Names of fields whose values nobody is shown. */
const secret = /secret|passw|passphrase|token|credential|key|authorization|cookie/i;
/** Names of fields that hold values of an environment: their names may be seen. */
const environment = /^env(ironment)?$|^env(ironment)?_?var(iable)?s$|^variables$/i;
const mostBytes = 16 * 1024;
const deepest = 20;

/** The attributes of an event as they may be shown: without secrets, and not longer than people would read. */
export function withoutSecrets(attributes: Facts): Facts {
  const shown = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, hide(name, value, 0)]));
  const text = JSON.stringify(shown);
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostBytes) return shown;
  return { cut: `Only the beginning is shown; it has ${Math.ceil(bytes / 1024)} kB.`, beginning: text.slice(0, 8_192) };
}

/** Whether a value, as JSON, has something that nobody is shown. */
export function holdsSecrets(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return JSON.stringify(value) !== JSON.stringify(hide('', value, 0));
  } catch {
    return false;
  }
}

function hide(name: string, value: unknown, depth: number): unknown {
  if (value === null || value === undefined) return null;
  if (secret.test(name)) return 'hidden';
  if (environment.test(name)) return Object.fromEntries(Object.keys(factsOf(value)).map((inner) => [inner, 'hidden']));
  // A password within an address.
  if (typeof value === 'string') return value.replace(/\/\/[^/@\s]+@/g, '//hidden@');
  if (typeof value !== 'object') return value;
  if (depth >= deepest) return 'hidden: it lies too deep';
  if (Array.isArray(value)) return value.map((one: unknown) => hide('', one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, hide(inner, one, depth + 1)]));
}
