import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { identify } from '../../machine/process-identity.ts';
import { chooseDriver } from '../drivers/choose-driver.ts';
import { homeOption } from '../home/home.ts';
import { forgetIdentity, readIdentity } from '../home/identity.ts';
import { endAgent, runningAgent } from '../home/sole-agent.ts';
import { TrustFile } from '../home/trust.ts';
import { Ingress } from '../ingress/ingress.ts';
import { lineLog } from './log.ts';
import type { AgentCommand } from './options.ts';
import { Refusal } from './refusal.ts';

/** Longer than any instance is given to end by itself; an engine that hangs is not waited for. */
const longest = 60_000;

export const usualDockerSocket = '/var/run/docker.sock';

interface EndedInstances {
  ended: number;
  /** The reason why some may still be running, and what to do. */
  left?: string;
}

/**
 * Ends everything that runs here for an agent that does not run any more, and its ingress, whatever becomes of the rest.
 * Volumes stay. `caches`: those of builds in an engine go as well.
 */
export async function endInstances(
  home: string,
  /** Of the engine; the last agent's, if it is not said. */
  dockerSocket: string | undefined,
  { caches = false } = {},
): Promise<EndedInstances> {
  const over = new AbortController();
  const late = pause(longest, undefined, { signal: over.signal }).then(() => {
    throw new Error(`The driver did not end them within ${longest / 1000} s.`);
  });
  late.catch(() => {});
  try {
    return { ended: await Promise.race([endAll(home, dockerSocket, caches), late]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ended: 0, left: `The instances could not be ended: ${why}` };
  } finally {
    over.abort();
    const ingress = new Ingress({ home, port: 0, listen: '127.0.0.1', program: [process.execPath], log: lineLog });
    await ingress.stop();
  }
}

async function endAll(home: string, saidSocket: string | undefined, caches: boolean): Promise<number> {
  const last = lastDriver(home);
  const dockerSocket = saidSocket ?? last.dockerSocket ?? usualDockerSocket;
  const driver = await chooseDriver(last.driver, { home, socket: dockerSocket, log: lineLog });
  const instances = await driver.list();
  await Promise.all(instances.map(({ id, process }) => driver.stop(id, Math.min(10, process.drainSeconds))));
  for (const { id } of instances) await driver.remove(id);
  if (driver.name === 'docker') {
    const { endBuilders } = await import('../builders/docker/builder/builders.ts');
    await endBuilders(home, dockerSocket, { caches });
  }
  return instances.filter(({ state }) => state === 'running').length;
}

/** The driver that the last agent was told to use, or chose by itself, and the engine that it spoke to. */
function lastDriver(home: string): { driver: string; dockerSocket?: string } {
  const path = join(home, 'run', 'status.json');
  if (!existsSync(path)) return { driver: 'process' };
  const { driver = 'process', dockerSocket }: { driver?: string; dockerSocket?: string } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  return { driver, ...(dockerSocket === undefined ? {} : { dockerSocket }) };
}

export const leave: AgentCommand = {
  name: 'leave',
  summary: 'Takes this machine out of its cluster: ends the agent and its instances.',
  details: 'Volumes are kept. The control plane is not informed: delete the cluster there, or enrol another agent.',
  options: {
    home: homeOption,
    'docker-socket': {
      value: 'PATH',
      what: "The Docker engine's socket; the one that the agent ran with by default.",
      variable: 'BALLAST_AGENT_DOCKER_SOCKET',
    },
    yes: { what: 'Confirms it.' },
  },
  async run(values) {
    const home = resolve(values.needed('home'));
    const identity = readIdentity(home);
    if (identity === undefined) throw new Refusal(`No agent is enrolled in ${home}.`);
    if (!values.has('yes')) {
      throw new Refusal(
        `This ends everything that the agent of ${identity.cluster?.name ?? home} runs; confirm with --yes.`,
      );
    }
    // First who would start the agent again.
    await removeUnit(home);
    await endLauncher(home);
    const agent = runningAgent(home);
    if (agent !== undefined) await endAgent(agent);
    const { left } = await endInstances(home, values.text('docker-socket'), { caches: true });
    if (left !== undefined) throw new Refusal(`${left} Then run this again; the ingress has ended.`);
    forgetIdentity(home);
    new TrustFile(home).forget();
    // Without `releases/state` a launcher that something starts all the same says so and ends.
    for (const name of ['journal', 'desired.json', 'keep', join('releases', 'state')]) {
      rmSync(join(home, name), { recursive: true, force: true });
    }
    process.stdout.write(
      `This machine has left the cluster ${identity.cluster?.name ?? ''}; volumes are kept in ${home}.\n`,
    );
    return 0;
  },
};

async function endLauncher(home: string): Promise<void> {
  const path = join(home, 'run', 'launcher.pid');
  if (!existsSync(path)) return;
  const launcher = identify(Number(readFileSync(path, 'utf8')));
  // A pid that was given to somebody else since is not ours to end.
  if (launcher === undefined || !commandOf(launcher.pid).includes(`launcher.sh ${home}`)) return;
  process.kill(launcher.pid, 'SIGKILL');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

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
