import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../domain/settings/settings.ts';
import { type ProcessIdentity, processesWorkingIn } from '../../machine/process-identity.ts';
import { type Ground, startGround } from '../../runtime/ground.ts';
import { certificateFiles } from '../../runtime/home/certificates.ts';
import { type Home, readHome } from '../../runtime/home/home.ts';
import { answers } from '../../runtime/postgres/postgres.ts';
import { postgresUrl } from '../../runtime/postgres/postgres-address.ts';
import { readRunRecord } from '../../runtime/supervisor/run-record.ts';
import { temporalServes } from '../../runtime/temporal-server/grpc-health.ts';
import { removeHome } from '../ground/remove-home.ts';
import { until } from '../ground/until.ts';

const { TEMPORAL_SERVER: temporalServer } = readSettings(process.env);
const program = new URL('../../runtime/ground.ts', import.meta.url).href;

/** PostgreSQL and Temporal of a test's own, in a home that it may spoil. */
export class OwnGround {
  readonly path: string;
  /** Lines logged since the last time somebody emptied it. */
  readonly lines: string[] = [];
  running: Ground | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'ballast-ground-'));

  /** The name of the home may be one in which no socket fits. */
  constructor(name = 'home') {
    this.path = join(this.#directory, name);
  }

  get home(): Home {
    return readHome(this.path);
  }

  begin(): Promise<Ground> {
    return startGround({ home: this.path, temporalServer, log: (line) => this.lines.push(line) });
  }

  async start(): Promise<void> {
    this.running = await this.begin();
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  /** Started by a process of its own, so that it can be killed. */
  async startElsewhere() {
    const script = `
      const { startGround } = await import(${JSON.stringify(program)});
      await startGround({ home: ${JSON.stringify(this.path)}, temporalServer: ${JSON.stringify(temporalServer)}, log: () => {} });
      process.stdout.write('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(child.stdout, 'data');
    if (String(said) !== 'ready') throw new Error(`It said ${said}.`);
    return child;
  }

  part(name: 'postgres' | 'temporal'): ProcessIdentity {
    const found = readRunRecord(this.home)?.parts[name];
    if (found === undefined) throw new Error(`${name} is not in the record`);
    return found;
  }

  /** Everything that belongs to this home, by the directories the processes work in. */
  processes(): ProcessIdentity[] {
    return [realpathSync(this.home.postgres), join(this.path, 'temporal')].flatMap(processesWorkingIn);
  }

  postgresAnswers(): Promise<boolean> {
    return answers(postgresUrl(this.home, 'ballast'));
  }

  temporalAnswers(): Promise<boolean> {
    return temporalServes(this.home.record.ports.temporal ?? 0, certificateFiles(this.home));
  }

  async healed(name: 'postgres' | 'temporal', before: ProcessIdentity): Promise<void> {
    await until('another process is written down', async () => {
      const now = readRunRecord(this.home)?.parts[name];
      return now !== undefined && now.pid !== before.pid;
    });
    await until('both answer', async () => (await this.postgresAnswers()) && (await this.temporalAnswers()));
  }

  async close(): Promise<void> {
    await this.stop();
    const own = this.home.record.sockets?.own;
    removeHome(this.path);
    if (own) rmSync(own, { recursive: true, force: true });
    rmSync(this.#directory, { recursive: true });
  }
}
