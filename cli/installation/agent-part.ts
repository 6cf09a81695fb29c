import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIdentity } from '../../agent/home/identity.ts';
import { readStatus } from '../../agent/home/status.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { writeFileAtomically } from '../../machine/files.ts';
import { makeAgentHome } from '../../runtime/home/agent-home.ts';
import type { Home } from '../../runtime/home/home.ts';
import type { Part } from '../../runtime/supervisor/part.ts';
import { localAddress } from './node-parts.ts';

const launcher = join(import.meta.dirname, '../..', 'agent', 'update', 'launcher.sh');

/**
 * The agent of the cluster on this machine. It is installed, enrolled, launched and updated as on any other machine; only the token
 * and the bundle come to it without a detour.
 */
export function agentPart(home: Home, settings: Settings): Part {
  const directory = makeAgentHome(home);
  const url = localAddress(settings);
  const tokenFile = join(directory, 'run', 'enrolment-token');
  return {
    name: 'agent',
    title: 'Agent of the local cluster',
    async prepare() {
      await install(directory, join(home.path, 'cache'));
      if (readIdentity(directory)?.cluster === undefined) await writeToken(settings, tokenFile);
    },
    command: () => ({
      file: '/bin/sh',
      args: [
        join(directory, 'launcher.sh'),
        directory,
        ...['--url', url, '--token-file', tokenFile, '--driver', settings.LOCAL_DRIVER],
        ...['--ingress-port', String(settings.INGRESS_PORT), '--ingress-listen', settings.INGRESS_LISTEN],
      ],
      // Nothing of what the control plane is told: the agent sees neither its database nor its keys.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG, BALLAST_NODE: process.execPath },
      cwd: directory,
    }),
    ready: async () => readStatus(directory)?.connected ?? false,
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

/** Once; later releases come as updates, as to every cluster. */
async function install(directory: string, cache: string): Promise<void> {
  const { Releases } = await import('../../agent/update/releases.ts');
  const releases = new Releases(directory);
  if (releases.read() === undefined) {
    const { keptBundle } = await import('../../agent/bundle/kept-bundle.ts');
    const { unpackBundle } = await import('../../agent/update/unpack-bundle.ts');
    const { digest, bytes } = await keptBundle(cache);
    const release = digest.slice('sha256:'.length, 'sha256:'.length + 12);
    mkdirSync(releases.directory, { recursive: true, mode: 0o755 });
    const archive = releases.path(`${release}.part`);
    writeFileSync(archive, bytes);
    await unpackBundle(archive, releases.path(release), digest);
    rmSync(archive);
    releases.write({ current: release });
  }
  const installed = join(directory, 'launcher.sh');
  if (!existsSync(installed)) copyFileSync(launcher, installed);
}

async function writeToken(settings: Settings, path: string): Promise<void> {
  const { localEnrolmentToken } = await import('./local-enrolment.ts');
  const secret = await localEnrolmentToken(settings);
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
  writeFileAtomically(path, `${secret}\n`);
}
