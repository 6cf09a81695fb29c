import { readFileSync } from 'node:fs';
import { contentOf } from '../../../../machine/files.ts';
import type { Process } from '../../../../protocol/workload.ts';
import { Refusal } from '../../../program/refusal.ts';
import type { InstanceSpec } from '../../driver.ts';
import { runInside } from '../run-inside.ts';
import { programOfMachine } from './command-of.ts';

/** Handed over as an argument, since the users of instances need not be able to read the agent's program. */
const script = readFileSync(new URL('./own-network.sh', import.meta.url), 'utf8');
const patienceMillis = 20_000;
/** Ports of this machine's loopback at which services are found (`db/workloads/internal-ports.ts`). */
const [firstInternal, lastInternal] = [10_000, 19_999];

/** The one port that a program listens on whatever PORT says. Undefined: it listens where it is told. */
export function fixedPortOf({ fixedPort, port }: Process): number | undefined {
  return fixedPort === true ? port : undefined;
}

/**
 * Networks of their own for programs with a fixed port, of which several listen on the same one: a port of this machine
 * leads to each. They share nothing else with a container; files, users and limits are those of every instance.
 */
export class OwnNetwork {
  readonly #become: (shell: readonly string[]) => string[];
  #asked: Promise<string | undefined> | undefined;

  /** `become`: as an instance does, with a user of its own where instances have one. */
  constructor(become: (shell: readonly string[]) => string[]) {
    this.#become = become;
  }

  /** The reason why there are none on this machine. Asked again until there are. */
  async missing(): Promise<string | undefined> {
    this.#asked ??= this.#ask();
    const why = await this.#asked;
    if (why !== undefined) this.#asked = undefined;
    return why;
  }

  /** Throws if an instance needs one that it cannot have here. */
  async check({ process }: InstanceSpec): Promise<void> {
    const why = fixedPortOf(process) === undefined ? undefined : await this.missing();
    if (why !== undefined)
      throw new Refusal(`The process ${process.name} has a fixed port, which needs a network of its own here. ${why}`);
  }

  /** The shell that an instance becomes in its own network, reached at `port` of this machine. Undefined: it needs none. */
  shell({ process, environment }: InstanceSpec, port: number | undefined): string[] | undefined {
    const fixed = fixedPortOf(process);
    if (fixed === undefined || port === undefined) return undefined;
    const named = [...internalPortsIn(environment)].filter((one) => one !== fixed);
    return this.#shell(`127.0.0.1/${port}:${fixed}`, named.length === 0 ? 'none' : named.join(','));
  }

  /** A shell in the network of an instance whose program is this process. Undefined: it has none of its own. */
  shellBeside({ process }: InstanceSpec, pid: number | undefined): string[] | undefined {
    if (fixedPortOf(process) === undefined || pid === undefined) return undefined;
    const nsenter = programOfMachine('nsenter');
    if (nsenter === undefined) throw new Error('The program nsenter (util-linux) is missing: install it.');
    return [nsenter, '--target', String(pid), '--user', '--net', '--preserve-credentials', '--', '/bin/sh', '-s'];
  }

  #shell(portsIn: string, portsOut: string): string[] {
    const pasta = programOfMachine('pasta');
    if (pasta === undefined) throw new Error('The program pasta (of the package passt) is missing: install it.');
    return ['/bin/sh', '-c', script, 'own-network', pasta, portsIn, portsOut, '--', '/bin/sh', '-s'];
  }

  async #ask(): Promise<string | undefined> {
    if (programOfMachine('pasta') === undefined) return 'The program pasta is missing: install the package passt.';
    if (programOfMachine('unshare') === undefined || programOfMachine('nsenter') === undefined)
      return 'The programs unshare and nsenter are missing: install util-linux.';
    const resolver = onlyLoopback(nameservers());
    if (resolver !== undefined)
      return `Names are resolved at ${resolver} of this machine, which a network of its own does not reach: let /etc/resolv.conf name the servers behind it, as /run/systemd/resolve/resolv.conf does.`;
    let said = '';
    try {
      const { code } = await runInside([], this.#become(this.#shell('none', 'none')), 'exit 0\n', {
        output: (_, bytes) => {
          if (said.length < 1_000) said += bytes.toString();
        },
        signal: AbortSignal.timeout(patienceMillis),
      });
      if (code === 0) return undefined;
    } catch (error) {
      said ||= String(error);
    }
    if (/tun socket/.test(said))
      return 'A network of its own could not be made, since not every user may open /dev/net/tun here: chmod 666 /dev/net/tun.';
    // Where nothing takes lines for the log of the system, pasta says so first.
    const [first = ''] = said.split('\n').filter((line) => line !== '' && !line.endsWith('to syslog'));
    return `A network of its own could not be made: ${first.replace(/\.$/, '')}.`;
  }
}

/** Addresses of other services in the values of variables. Ports of programs of the machine stay its own. */
function internalPortsIn(environment: Readonly<Record<string, string>>): Set<number> {
  const values = Object.values(environment);
  const found = values.flatMap((value) =>
    [...value.matchAll(/127\.0\.0\.1:(\d{5})\b/g)].map(([, port]) => Number(port)),
  );
  return new Set(found.filter((port) => port >= firstInternal && port <= lastInternal));
}

function nameservers(): string[] {
  const text = contentOf('/etc/resolv.conf');
  return [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map(([, address = '']) => address);
}

function onlyLoopback(servers: readonly string[]): string | undefined {
  return servers.every((address) => address === '::1' || address.startsWith('127.')) ? servers[0] : undefined;
}
