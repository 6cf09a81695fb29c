import { programOfMachine } from '../../drivers/process/launch/command-of.ts';

/** The programs of the machine by which a sandbox is made, and the packages that have them. */
const needed = {
  ...{ unshare: 'util-linux', mount: 'mount', umount: 'mount', pivot_root: 'util-linux', setpriv: 'util-linux' },
  ...{ prlimit: 'util-linux', mkfifo: 'coreutils', env: 'coreutils', chown: 'coreutils', du: 'coreutils' },
  ...{ rm: 'coreutils', find: 'findutils' },
};
type Name = keyof typeof needed;

export type Programs = Readonly<Record<Name, string>>;

/** Where they are, or a sentence that names those that are missing. */
export function findPrograms(): Programs | string {
  const found: Partial<Record<Name, string>> = {};
  for (const [name, pack] of Object.entries(needed) as [Name, string][]) {
    const path = programOfMachine(name);
    if (path === undefined) return `Builds need the program ${name}, which this machine lacks: install ${pack}.`;
    found[name] = path;
  }
  return found as Programs;
}

/** Its number inside, where an agent without root has only its own. */
export const mappedUser = 1000;
const namespaces = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child=KILL'];
const noRights = ['--no-new-privs', '--inh-caps=-all', '--ambient-caps=-all'];

/** Prefix of the command that is first in the namespaces of a sandbox. It dies with the agent, and all of them with it. */
export function enter({ setpriv, unshare }: Programs, user: number | undefined): string[] {
  const asRoot = user === undefined ? ['--user', '--map-root-user'] : [];
  return [setpriv, '--pdeathsig=KILL', unshare, ...asRoot, ...namespaces, '--'];
}

/** The shell of the build: its user, no rights, and limits of each process. `processes`: of all, without control groups. */
export function become(
  { setpriv, unshare, prlimit }: Programs,
  user: number | undefined,
  { processes, fileBytes }: { processes: number | undefined; fileBytes: number },
): string[] {
  const most = processes === undefined ? [] : [`--nproc=${processes}`];
  const bounded = [prlimit, ...most, `--fsize=${fileBytes}`, '--core=0', '--'];
  const shell = ['--', '/bin/sh', '-s'];
  if (user === undefined) {
    const as = ['--user', '--cgroup', `--map-user=${mappedUser}`, `--map-group=${mappedUser}`];
    return [unshare, ...as, '--', ...bounded, setpriv, ...noRights, ...shell];
  }
  const as = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--bounding-set=-all'];
  return [unshare, '--cgroup', '--', ...bounded, setpriv, ...as, ...noRights, ...shell];
}
