import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../../machine/process-identity.ts';
import type { OutboundRules } from '../../../outbound/rules.ts';
import { ControlGroups, removeGroups } from '../../drivers/process/launch/control-groups.ts';
import { killAll } from '../../drivers/process/leftovers.ts';
import { findPrograms } from './inside.ts';
import { allFolders, foldersIn, groupOf, initOf, removeFolder } from './mounts.ts';
import { runSandboxed, type Sandbox, type Sandboxed } from './run.ts';

export { runSandboxed, type Sandbox, type SandboxEnd, type Sandboxed } from './run.ts';

/**
 * The user of all builds of an agent that is root: below those that systemd and the process driver give away, and nobody's.
 * Namespaces keep builds from each other; one user for all of them keeps a cache its owner.
 */
const buildUser = 61_183;

const probed = { seconds: 60, memoryBytes: 2 ** 28, diskBytes: 2 ** 26, processes: 64 };

/** The abilities of this machine: tried once, for real, at the agent's start; `why` is a sentence that names what to change. */
export async function openSandbox({
  home,
  outbound,
}: {
  home: string;
  outbound: OutboundRules;
}): Promise<{ sandbox: Sandbox } | { why: string }> {
  if (process.platform !== 'linux') return { why: `Builds need Linux, and this machine runs ${process.platform}.` };
  const programs = findPrograms();
  if (typeof programs === 'string') return { why: programs };
  mkdirSync(foldersIn(home), { recursive: true, mode: 0o700 });
  const groups = groupsOf(home);
  const held = groups.holds('memory').holds && groups.holds('pids').holds;
  const sandbox: Sandbox = {
    ...{ heldBy: held ? 'control groups' : 'watcher', user: process.getuid?.() === 0 ? buildUser : undefined },
    ...{ home, programs, outbound, groups },
  };
  const why = await faultOf(sandbox);
  return why === undefined ? { sandbox } : { why };
}

/** Ends what an agent that was killed has left: processes and with them their mounts, folders, control groups. */
export async function endSandboxLeftovers(home: string): Promise<void> {
  const folders = allFolders(home);
  await killAll(() => folders.flatMap((folder) => initOf(folder) ?? []).filter(isAlive));
  const groups = groupsOf(home);
  removeGroups(folders.flatMap((folder) => groups.named(groupOf(folder))));
  groups.close();
  for (const folder of folders) await removeFolder(folder);
}

/** Beside those of the workloads: two homes, and two agents, have groups of their own. */
function groupsOf(home: string): ControlGroups {
  return new ControlGroups(`builds-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`);
}

/** A build that does nothing, for real: whether namespaces may be made is decided in many places of a machine. */
async function faultOf(sandbox: Sandbox): Promise<string | undefined> {
  const directory = mkdtempSync(join(foldersIn(sandbox.home), 'probe-'));
  let said = '';
  const run: Sandboxed = {
    ...{ command: '[ "$(id -u)" != 0 ] && echo >/build/probe', directory, workdir: '', caches: [], tools: [] },
    ...{ environment: {}, limits: probed, signal: new AbortController().signal },
    output: (_, bytes) => {
      said = `${said}${bytes}`.slice(0, 1_000);
    },
  };
  try {
    const end = await runSandboxed(sandbox, run);
    if (end.ended === 'exited' && end.code === 0) return undefined;
    return explain('message' in end ? end.message : said.trim() || JSON.stringify(end), sandbox.user);
  } catch (error) {
    return explain(error instanceof Error ? error.message : String(error), sandbox.user);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function explain(fault: string, user: number | undefined): string {
  const told = fault.replace(/\s*\n\s*/g, '; ').replace(/\.?$/, '.');
  if (!/not permitted|denied|No space left|Invalid argument|I.O error/i.test(fault))
    return `Builds cannot be separated: ${told}`;
  const remedy =
    user === undefined
      ? 'allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1, ' +
        'kernel.apparmor_restrict_unprivileged_userns=0, as far as the machine has them) or run the agent as root'
      : 'in a container, start it with --privileged, or with CAP_SYS_ADMIN, CAP_NET_ADMIN and without seccomp and AppArmor';
  return `Builds cannot be separated, since this machine does not allow ${user === undefined ? `user ${process.getuid?.()}` : 'root'} the namespaces they need: ${remedy}. It said: ${told}`;
}
