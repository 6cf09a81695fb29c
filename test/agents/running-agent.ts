import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { CommandBody } from '../../protocol/command.ts';
import { workload } from '../../protocol/workload.ts';
import { until } from '../ground/until.ts';
import { sampleLayout } from '../images/sample-image.ts';
import { type AgentPeer, agentPeer } from './agent-peer.ts';
import { agentHome } from './installed-agent.ts';

const program = join(import.meta.dirname, '../../agent/main.ts');

/** An agent as a process of its own for all tests of a file, with one instance, and the control plane that it asks. */
export class RunningAgent {
  readonly home = agentHome();
  readonly path = join(this.home.path, 'agent');
  /** Where programs that a test runs in the instance leave their traces. */
  readonly traces = join(this.home.path, 'traces');
  readonly said: string[] = [];
  instance = '';
  #peer: AgentPeer | undefined;
  #process: ChildProcess | undefined;

  constructor() {
    beforeAll(() => this.#begin());
    afterEach(() => {
      this.peer.disturb = () => undefined;
    });
    afterAll(async () => {
      this.process.kill('SIGKILL');
      await this.home.close();
      await this.peer.stop();
    });
  }

  get peer(): AgentPeer {
    if (this.#peer === undefined) throw new Error('There is no control plane yet.');
    return this.#peer;
  }

  get process(): ChildProcess {
    if (this.#process === undefined) throw new Error('There is no agent yet.');
    return this.#process;
  }

  async #begin(): Promise<void> {
    const peer = await agentPeer();
    this.#peer = peer;
    mkdirSync(this.traces);
    chmodSync(this.home.path, 0o755);
    chmodSync(this.traces, 0o777);
    const { layout } = await sampleLayout(join(this.home.path, 'layout'));
    const described = { release: 'one', image: { layout }, processes: [{ name: 'web', kind: 'worker' }] };
    peer.desired = {
      revision: 1,
      slices: [{ key: 'sample', revision: 1, workload: workload.parse(described) }],
      broken: [],
      removed: [],
    };
    // The answer to the first attempt to enrol is lost: the second asks with the same credential.
    let lost = false;
    peer.disturb = (path) => {
      if (path !== 'enrol' || lost) return undefined;
      lost = true;
      return 'cut-after';
    };
    this.start();
    this.instance = await until('the instance', async () => this.running()?.id);
  }

  start(): void {
    const tokenFile = join(this.home.path, 'token');
    if (!existsSync(join(this.path, 'agent.json'))) writeFileSync(tokenFile, this.peer.token);
    const options = ['--home', this.path, '--url', this.peer.url, '--token-file', tokenFile, '--driver', 'process'];
    this.#process = spawn(process.execPath, [program, 'agent', 'run', ...options, '--ingress-port', '0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process.stderr?.on('data', (bytes: Buffer) => this.said.push(String(bytes)));
  }

  async kill(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  /** In the last report that tells of a slice: one may tell of the machine alone. */
  running() {
    return this.peer.reports
      .findLast(({ slices }) => slices.length > 0)
      ?.slices[0]?.instances.find(({ state }) => state === 'running' || state === 'ready');
  }

  command(body: CommandBody, attempt = 1): string {
    const id = randomUUID();
    this.peer.commands.set(id, { id, attempt, body });
    return id;
  }

  /** Leaves a line for each time it runs, says something, and ends with 7. */
  exec(id: string, seconds: number): CommandBody {
    const trace = join(this.traces, id);
    const script = `echo $$ >${trace}.pid; echo ran >>${trace}; echo begun; sleep ${seconds}; echo ended; exit 7`;
    return { kind: 'exec', instance: this.instance, command: ['sh', '-c', script], timeoutSeconds: 30 };
  }

  runs(name: string): number {
    const trace = join(this.traces, name);
    return existsSync(trace) ? readFileSync(trace, 'utf8').split('\n').length - 1 : 0;
  }

  resultOf(id: string) {
    return until('a result', async () => this.peer.results.find((told) => told.id === id)?.result);
  }

  journalled(id: string): string | undefined {
    try {
      const { state }: { state: string } = JSON.parse(readFileSync(join(this.path, 'journal', `${id}.json`), 'utf8'));
      return state;
    } catch {
      return undefined;
    }
  }
}
