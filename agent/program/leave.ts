import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { identify } from '../../machine/process-identity.ts';
import { homeOption } from '../home/home-option.ts';
import { forgetIdentity, readIdentity } from '../home/identity.ts';
import { endAgent, runningAgent } from '../home/sole-agent.ts';
import { TrustFile } from '../home/trust.ts';
import { endInstances } from './end-instances.ts';
import type { AgentCommand } from './options.ts';
import { Refusal } from './refusal.ts';
import { removeUnit } from './systemd-unit.ts';

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
