import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Releases } from '../../agent/update/releases.ts';
import { identify, isAlive, type ProcessIdentity, signal } from '../../machine/process-identity.ts';
import { processesNaming } from './installed-agent.ts';

export interface Typed {
  code: number | null;
  said: string;
}

/** The PATH of a bare machine, without the Node that runs the tests. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The home directory of somebody on another machine: what they type there, and the agents that they install. */
export class OtherMachine {
  readonly path = mkdtempSync(join(tmpdir(), 'ballast-other-machine-'));
  readonly #started: ChildProcess[] = [];

  /**
   * Types a command into a shell. `secret` may be in the arguments of no process meanwhile: the shell reads the command
   * as a terminal's would.
   */
  async type(command: string, { secret, home = this.path }: { secret?: string; home?: string } = {}): Promise<Typed> {
    const child = spawn('sh', ['-s'], { env: this.#environment(home), cwd: home, stdio: 'pipe' });
    child.stdin.end(`${command}\n`);
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const over = ended.then(() => true);
    const seen = new Set<number>();
    while (!(await Promise.race([over, new Promise<false>((resolve) => setTimeout(() => resolve(false), 20))]))) {
      if (secret !== undefined) for (const pid of processesNaming(secret)) seen.add(pid);
    }
    if (seen.size > 0) throw new Error(`The secret was in the arguments of ${seen.size} processes.`);
    return { code: await ended, said: (await said).join('') };
  }

  /** `ballast agent …` of what is installed in a home. `program` is the home whose program it is. */
  agent(home: string, words: string[], { input = '', program = home } = {}): Promise<Typed & { out: string }> {
    const releases = new Releases(program);
    const file = join(releases.path(releases.read()?.current ?? ''), 'ballast');
    const [name = '', ...rest] = words;
    return new Promise((resolve) => {
      const args = ['agent', name, '--home', home, ...rest];
      const child = execFile(file, args, { env: this.#environment() }, (error, out, errors) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, said: out + errors });
      });
      child.stdin?.end(input);
    });
  }

  async status(home: string): Promise<Record<string, unknown>> {
    return JSON.parse((await this.agent(home, ['status', '--json'])).out);
  }

  /** Starts an installed agent as whoever boots the machine does, but so that its end is seen. */
  launch(home: string): { ended: Promise<number | null>; over(): boolean } {
    const args = [join(home, 'launcher.sh'), home, '--driver', 'process', '--ingress-port', '0'];
    const child = spawn('sh', args, { env: this.#environment(), cwd: home, stdio: 'ignore', detached: true });
    this.#started.push(child);
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    return { ended, over: () => child.exitCode !== null || child.signalCode !== null };
  }

  /** Launchers and agents of a home, not what they run. */
  keepers(home: string): number[] {
    return [...processesNaming(`${home}/launcher.sh`), ...processesNaming(`agent run --home ${home} `)];
  }

  directory(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path);
    return path;
  }

  write(name: string, content: string): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  read(path: string): string {
    return readFileSync(path, 'utf8');
  }

  /** Ends what a test that failed has left: launchers first, since they start the rest again. */
  close(): void {
    for (let round = 0; round < 50; round += 1) {
      const found = processesNaming(this.path).sort((one, other) => one - other);
      if (found.length === 0) break;
      for (const one of found.map(identify).filter(isProcess)) signal(one, 'SIGKILL');
    }
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }

  #environment(home = this.path): NodeJS.ProcessEnv {
    return { PATH: systemPath, HOME: home };
  }
}

function isProcess(one: ProcessIdentity | undefined): one is ProcessIdentity {
  return one !== undefined && isAlive(one);
}
