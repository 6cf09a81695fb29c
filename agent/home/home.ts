import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The default home of an agent. */
export function defaultHome(): string {
  return process.getuid?.() === 0 ? '/var/lib/ballast-agent' : join(homedir(), '.local', 'share', 'ballast-agent');
}

/** Readable to nobody else where it can be; instances of other users only walk through it. */
export function openHome(path: string): string {
  const home = isAbsolute(path) ? path : resolve(path);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  return home;
}
