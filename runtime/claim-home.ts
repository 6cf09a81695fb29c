import { firstStartBytes, laterStartBytes, refuseFullDisk } from './disk.ts';
import { type Home, openHome } from './home.ts';
import { innerPorts } from './home-record.ts';
import { type Lock, tryLock } from './lock.ts';
import { freePorts } from './ports.ts';
import { Refusal } from './refusal.ts';
import { endOrphans, readRunRecord } from './run-record.ts';

export interface ClaimedHome {
  home: Home;
  lock: Lock;
}

/** Opens the home for a start: takes its lock, ends what a killed start left behind and picks the inner ports. */
export async function claimHome(path: string, onOrphan: (part: string) => void): Promise<ClaimedHome> {
  const home = openHome(path);
  const lock = tryLock(home.file('run', 'lock'));
  if (lock === undefined) {
    const address = readRunRecord(home)?.address;
    throw new Refusal(
      `Ballast is already running${address ? ` at ${address}` : ''} with the home ${path}; stop it first, or set BALLAST_HOME and PORT to start another.`,
    );
  }
  try {
    refuseFullDisk(path, home.record.postgresMajor === undefined ? firstStartBytes : laterStartBytes);
    await endOrphans(home, onOrphan);
    home.keep({ ports: await freePorts(innerPorts, home.record.ports) });
    return { home, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}
