import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Option } from '../program/options.ts';

/** The default home of an agent. */
function defaultHome(): string {
  return process.getuid?.() === 0 ? '/var/lib/ballast-agent' : join(homedir(), '.local', 'share', 'ballast-agent');
}

/** Readable to nobody else where it can be; instances of other users only walk through it. */
export function openHome(path: string): string {
  const home = isAbsolute(path) ? path : resolve(path);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  return home;
}

export const homeOption: Option = {
  value: 'DIRECTORY',
  what: "Directory of the agent's data.",
  variable: 'BALLAST_AGENT_HOME',
  default: defaultHome(),
  defaultInHelp: '/var/lib/ballast-agent for root, else ~/.local/share/ballast-agent',
};
