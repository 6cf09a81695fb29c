import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../machine/process-identity.ts';
import { dataOfRoot } from '../postgres/postgres-data.ts';
import { freePorts } from '../sockets/ports.ts';
import { makeSocketDirectory } from '../sockets/socket-directory.ts';
import { endOrphans } from '../supervisor/end-processes.ts';
import { Refusal } from '../supervisor/refusal.ts';
import { readRunRecord } from '../supervisor/run-record.ts';
import { firstStartBytes, laterStartBytes, refuseFullDisk } from './disk.ts';
import { type Home, openHome } from './home.ts';
import { innerPorts } from './home-record.ts';
import { type Lock, tryLock } from './lock.ts';

export interface ClaimedHome {
  home: Home;
  lock: Lock;
}

/** Opens the home for a start: takes its lock, ends what a killed start left behind and picks the inner ports. */
export async function claimHome(path: string, onOrphan: (part: string) => void): Promise<ClaimedHome> {
  const home = openHome(path);
  const lock = await takeLock(home);
  if (lock === undefined) {
    const address = readRunRecord(home)?.address;
    throw new Refusal(
      `Ballast is already running${address ? ` at ${address}` : ''} with the home ${path}; stop it first, or set BALLAST_HOME and PORT to start another.`,
    );
  }
  try {
    const { postgresMajor, namespaceId } = home.record;
    const started = postgresMajor !== undefined || namespaceId !== undefined;
    const places = process.getuid?.() === 0 ? [path, dataOfRoot] : [path];
    for (const place of places) refuseFullDisk(place, started ? laterStartBytes : firstStartBytes);
    await endOrphans(home, onOrphan);
    home.keep({ ports: await freePorts(innerPorts, home.record.ports) });
    makeSocketDirectory(home);
    return { home, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const longestClearing = 15_000;

/** Waits while somebody holds the lock who does not run the installation: it is starting too, or clearing up after a kill. */
export async function takeLock(home: Home): Promise<Lock | undefined> {
  for (const until = Date.now() + longestClearing; ; await wait(50)) {
    const lock = tryLock(home.file('run', 'lock'));
    const running = readRunRecord(home)?.supervisor;
    if (lock || (running && isAlive(running)) || Date.now() > until) return lock;
  }
}
