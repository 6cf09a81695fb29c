import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Refusal } from './refusal.ts';

const run = promisify(execFile);

/** Where systemd has its units, what is there while it runs, and its command. */
export interface Systemd {
  units: string;
  running: string;
  systemctl: string;
}
const ofThisMachine: Systemd = {
  units: '/etc/systemd/system',
  running: '/run/systemd/system',
  systemctl: 'systemctl',
};

/** Takes the unit away that the install script made for this home, so that nothing starts an agent that has left. */
export async function removeUnit(home: string, systemd: Systemd = ofThisMachine): Promise<void> {
  const unit = findUnit(home, systemd);
  if (unit === undefined) return;
  try {
    if (existsSync(systemd.running)) await run(systemd.systemctl, ['disable', '--now', unit]);
    for (const path of [join('multi-user.target.wants', unit), unit])
      rmSync(join(systemd.units, path), { force: true });
    if (existsSync(systemd.running)) await run(systemd.systemctl, ['daemon-reload']);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refusal(`systemd still starts the agent (${why.trim()}); run this as root.`);
  }
}

/** By the home that it starts, whatever it is called. */
function findUnit(home: string, { units }: Systemd): string | undefined {
  if (!existsSync(units)) return undefined;
  return readdirSync(units)
    .filter((name) => /^ballast-agent(-\d+)?\.service$/.test(name))
    .find((name) => readFileSync(join(units, name), 'utf8').includes(` ${home}/launcher.sh ${home} `));
}
