import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify, type ProcessIdentity } from '../../machine/process-identity.ts';
import { readHome } from '../../runtime/home/home.ts';
import { freePort } from '../ground/free-port.ts';
import { endWhatGoesOn, keepLogs, removeHome } from '../ground/remove-home.ts';
import { type CommandResult, type RunningCommand, runShellIn, startProgram } from '../installation/ballast-command.ts';
import { familyOf } from '../installation/process-family.ts';
import { RunningParts } from '../installation/running-parts.ts';
import { barePath } from './bare-machine.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

interface Wanted {
  /** An authority (PEM) that the machine trusts besides the usual ones. */
  ca: string;
  settings: Record<string, string>;
}

/**
 * A machine as the README expects it: Node, npm and git, a home and a cache with nothing in them, and a clone of what is
 * committed here. Only npm is not new: its registry and its cache are this machine's.
 */
export class NewMachine {
  readonly directory = mkdtempSync(join(tmpdir(), 'ballast-new-machine-'));
  readonly checkout = join(this.directory, 'ballast');
  /** At its usual place. */
  readonly home = join(this.checkout, '.ballast');
  readonly parts = new RunningParts(this.home);
  readonly port: number;
  readonly ingressPort: number;
  readonly #env: Record<string, string>;

  private constructor({ ca, settings }: Wanted, port: number, ingressPort: number) {
    this.port = port;
    this.ingressPort = ingressPort;
    const authorities = join(this.directory, 'authorities.pem');
    const { NODE_EXTRA_CA_CERTS: usual } = process.env;
    writeFileSync(authorities, usual ? readFileSync(usual) : '');
    appendFileSync(authorities, ca);
    mkdirSync(join(this.directory, 'home'));
    this.#env = {
      ...npmOfThisMachine(),
      ...{ PATH: barePath(this.directory), HOME: join(this.directory, 'home'), NODE_EXTRA_CA_CERTS: authorities },
      XDG_CACHE_HOME: join(this.directory, 'cache'),
      LOCAL_DOCKER_SOCKET: join(this.directory, 'no-docker.sock'),
      ...{ PORT: String(port), INGRESS_PORT: String(ingressPort), ...settings },
    };
    execFileSync('git', ['clone', '--quiet', checkout, this.checkout]);
  }

  static async prepare(wanted: Wanted): Promise<NewMachine> {
    return new NewMachine(wanted, await freePort(), await freePort());
  }

  /** Starts a command in the clone as a terminal does. */
  start(program: string, ...words: string[]): RunningCommand {
    return startProgram(program, words, { cwd: this.checkout, env: this.#env });
  }

  /** Commands as somebody pastes them into a shell in the clone. */
  shell(script: string): Promise<CommandResult> {
    return runShellIn({ cwd: this.checkout, env: this.#env }, script);
  }

  /** Everything that runs of it, with all that descends from that. */
  processes(): ProcessIdentity[] {
    const places = [this.directory, ...this.#installation()];
    const named = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => places.some((place) => line.includes(place)))
      .map((line) => Number.parseInt(line, 10));
    const found = familyOf(...named, ...this.parts.roots());
    return found.filter(({ pid }) => identify(pid) !== undefined);
  }

  async remove(): Promise<void> {
    if (this.#installation().length > 0) {
      keepLogs(this.home, 'first-hour');
      await endWhatGoesOn(this.home);
      removeHome(this.home);
    }
    rmSync(this.directory, { recursive: true, maxRetries: 5 });
  }

  /** Of root, data and agent lie elsewhere, beneath the name of the installation. */
  #installation(): string[] {
    try {
      return [readHome(this.home).record.installation];
    } catch {
      return [];
    }
  }
}

/** Where npm looks for packages and by whose credentials, whatever `HOME` is. */
function npmOfThisMachine(): Record<string, string> {
  const names = ['registry', 'cache', 'userconfig', 'globalconfig'];
  const told = execFileSync('npm', ['config', 'get', ...names], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries([
    ...told
      .trim()
      .split('\n')
      .map((line) => [`npm_config_${line.slice(0, line.indexOf('='))}`, line.slice(line.indexOf('=') + 1)]),
    ...proxies.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ]);
}
