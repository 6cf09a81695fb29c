import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { dataOfRoot } from '../postgres/postgres-data.ts';
import type { Home } from './home.ts';

/**
 * Where the agent of this machine keeps what it runs. As root this is beside PostgreSQL's data: instances run as users of
 * their own that must be able to get there, and the home itself lets nobody in. Not within PostgreSQL's own directory: its
 * user could put another agent there, which root would run.
 */
export function agentHome(home: Home): string {
  return process.getuid?.() === 0 ? join(dataOfRoot, `${home.record.installation}-agent`) : join(home.path, 'agent');
}

/** Whether an agent was ever started on this machine for this home. */
export function hasAgentHome(home: Home): boolean {
  return existsSync(agentHome(home));
}

export function makeAgentHome(home: Home): string {
  const directory = agentHome(home);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    mkdirSync(dataOfRoot, { recursive: true, mode: 0o711 });
    chmodSync(dataOfRoot, 0o711);
  }
  mkdirSync(directory, { recursive: true, mode: asRoot ? 0o711 : 0o700 });
  const link = join(home.path, 'agent');
  if (asRoot && lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(directory, link);
  return directory;
}
