import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askingBuiltInProvider, providerIsReady } from '../../api/sign-in/built-in-provider.ts';
import { livingProcesses } from '../../db/engine/processes/processes.ts';
import type { Role, TokenRole } from '../../domain/roles.ts';
import { readSettings, type Settings } from '../../domain/settings/settings.ts';
import { tail } from '../../machine/log-files.ts';
import { isAlive, type ProcessIdentity } from '../../machine/process-identity.ts';
import { embeddedSettings } from '../../runtime/embedded-settings.ts';
import { readHome } from '../../runtime/home/home.ts';
import { freePort } from '../ground/free-port.ts';
import { endWhatGoesOn, keepLogs, removeHome } from '../ground/remove-home.ts';
import { type See, until } from '../ground/until.ts';
import type { WholeDatabase } from '../ground/whole-database.ts';
import { copyPreparedHome } from '../run/home/prepared-home.ts';
import { seedOrganization } from '../seeds/seed.ts';
import { type CommandResult, type RunningCommand, runBallast, runShell, startBallast } from './ballast-command.ts';
import { type BesideProcess, startBeside } from './beside.ts';
import { type Inside, openInside } from './inside.ts';
import { familyInSessionsOf, signalProcess } from './process-family.ts';
import { type Answered, type Call, type Credential, call, seedSession, seedToken } from './running-api.ts';
import { type PartName, partNames, RunningParts } from './running-parts.ts';

export type Session = Awaited<ReturnType<typeof seedSession>>;

/** Seconds. Long, since it only ends what hangs: a busy machine takes its time. */
const longestWait = 60;
/** Between two looks of `until`. */
const [shortestPause, longestPause] = [10, 200];

/** An installation as users have it: `./ballast up` with a home of its own. */
export class Installation {
  readonly home: string;
  port: number;
  url: string;
  readonly env: Record<string, string>;
  readonly parts: RunningParts;
  /** Texts that must never appear in a log. */
  readonly secrets = new Set<string>();
  /** Processes running beside the installation, see `startBeside`. */
  readonly beside: BesideProcess[] = [];
  readonly #name: string;
  readonly #directory: string;
  #up: RunningCommand | undefined;
  #inside: Promise<Inside> | undefined;

  private constructor(name: string, directory: string, port: number, env: Record<string, string>) {
    this.#name = name;
    this.#directory = directory;
    this.home = join(directory, 'home');
    this.parts = new RunningParts(this.home);
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    // Most stories need no application, and an agent beside each would only take time.
    const alone = { LOCAL_CLUSTER: 'false' };
    const generous = { RATE_LIMIT_PER_MINUTE: '1000000', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '1000000' };
    this.env = { ...alone, ...generous, BALLAST_HOME: this.home, PORT: String(port), ...env };
  }

  /** One that was never started. `name`: under which its logs are kept. */
  static async prepare(name: string, env: Record<string, string> = {}, under = tmpdir()): Promise<Installation> {
    return new Installation(name, mkdtempSync(join(under, 'ballast-installation-')), await freePort(), env);
  }

  /** A running one. Its home is a copy of the one that this run of the tests has prepared, so it is no first start. */
  static async start(name: string, env: Record<string, string> = {}, under?: string): Promise<Installation> {
    const installation = await Installation.prepare(name, env, under);
    try {
      await copyPreparedHome(installation.home);
      await installation.start();
      return installation;
    } catch (error) {
      await installation.remove();
      throw error;
    }
  }

  /** The home as an empty directory, to be spoilt. */
  emptyHome(): void {
    mkdirSync(this.home, { mode: 0o700 });
  }

  /** Starts it, for the first time or again, by another version if its program is given, and waits until it says that it is ready. */
  async start(program?: string): Promise<void> {
    const up = startBallast(['up'], this.env, program);
    this.#up = up;
    await this.until(
      'the installation is ready',
      async () => {
        if (up.over()) throw new Error('`./ballast up` ended before it was ready.');
        return up.output().includes('Ballast is ready at');
      },
      240,
    );
  }

  /** Lets the next start have another PORT, and so another address. */
  async move(): Promise<void> {
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.env.PORT = String(this.port);
  }

  /** Output of `./ballast up` since its last start. */
  get output(): string {
    return this.#up?.output() ?? '';
  }

  /** Ctrl-C. Fails if a process is left. */
  async stop(): Promise<void> {
    const up = this.#up;
    if (up === undefined) return;
    const processes = this.processes();
    // As a terminal does it: to the whole group, so that the entry script and the supervisor both hear it.
    if (!up.over()) process.kill(-up.pid, 'SIGINT');
    try {
      await this.until('Ctrl-C has ended it', async () => up.over());
      const left = processes.filter(isAlive).map(({ pid }) => pid);
      if (left.length > 0) throw new Error(`After the stop these processes were left: ${left.join(', ')}.`);
    } finally {
      for (const one of processes) if (isAlive(one)) signalProcess(one.pid, 'SIGKILL');
      this.#up = undefined;
    }
  }

  /** Waits until `./ballast up` has ended by itself, because its supervisor was killed. */
  async ended(): Promise<void> {
    await this.until('`./ballast up` has ended', async () => this.#up === undefined || this.#up.over());
  }

  /** Every process of it, the entry script included; what runs beside it, or outlives it on purpose, is not of it. */
  processes(): ProcessIdentity[] {
    const entry = this.#up === undefined ? [] : [this.#up.pid];
    return familyInSessionsOf(...entry, ...this.parts.roots());
  }

  /** Waits until another process has taken its place and everything is ready. */
  async replaced(part: PartName, before: number): Promise<void> {
    await this.until(`another ${part}`, async () => (this.parts.find(part) ?? before) !== before);
    await this.ready();
  }

  /** Waits until the built-in identity provider answers: the API is ready without it. */
  async providerReady(): Promise<void> {
    const ask = askingBuiltInProvider(this.settings);
    await this.until(
      'the identity provider',
      async () => ask !== undefined && (await providerIsReady(ask, AbortSignal.timeout(5_000)).catch(() => false)),
    );
  }

  async ready(): Promise<void> {
    await this.until('/readyz', async (see) => see(await this.readiness())?.ready);
  }

  /** The answer of `/readyz`; undefined without one in time. */
  async readiness(url = this.url): Promise<Readiness | undefined> {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      const readiness: Readiness = JSON.parse(await answer.text());
      return readiness;
    } catch {
      return undefined;
    }
  }

  /**
   * As `until`, but it looks less and less often, because each look makes work for the installation itself. When it waits
   * in vain, the ends of all logs are part of what is told.
   */
  async until<T>(what: string, look: (see: See) => Promise<T | undefined | false>, seconds = longestWait): Promise<T> {
    let rest = shortestPause;
    const lookThenRest = async (see: See): Promise<T | undefined | false> => {
      const seen = await look(see);
      if (seen !== undefined && seen !== false) return seen;
      await pause(rest);
      rest = Math.min(rest * 1.5, longestPause);
      return undefined;
    };
    try {
      return await until(what, lookThenRest, seconds);
    } catch (error) {
      const ends = [...partNames, 'agent' as const]
        .map((part) => `--- ${part}\n${lastLines(tail(this.#log(part)))}`)
        .join('\n');
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${message}\n--- up\n${lastLines(this.output)}\n${ends}`, { cause: error });
    }
  }

  run(...words: string[]): Promise<CommandResult> {
    return runBallast(words, this.env);
  }

  /** Commands as somebody pastes them into a shell in the checkout. */
  shell(script: string): Promise<CommandResult> {
    return runShell(script, { ...this.env, BALLAST_URL: this.url });
  }

  /** Another API or worker process, which the supervisor knows nothing of. */
  async startBeside(kind: 'api' | 'worker'): Promise<BesideProcess> {
    const before = (await this.#serving(kind)).length;
    const one = await startBeside(kind, this.env);
    this.beside.push(one);
    await this.until(`another ${kind}\n${one.output()}`, async () => {
      if (one.over()) throw new Error(`It ended: ${one.output()}`);
      return (await this.#serving(kind)).length > before && (await one.ready());
    });
    return one;
  }

  /** The settings of a process that is told where the embedded parts are. */
  get settings(): Settings {
    const given = readSettings(this.env);
    return readSettings({ ...this.env, ...embeddedSettings(readHome(this.home), given) });
  }

  /** Opened at the first call; only for an installation that has been ready once. */
  inside(): Promise<Inside> {
    this.#inside ??= openInside(this.settings);
    return this.#inside;
  }

  async database(): Promise<WholeDatabase> {
    return (await this.inside()).database;
  }

  /** Put where `./ballast token create` would put it, in a fraction of its time. */
  async token(role: TokenRole, organization = 'default'): Promise<Credential & { token: string }> {
    const database = await this.database();
    const { id } = await database.kysely
      .selectFrom('organization')
      .select('id')
      .where('slug', '=', organization)
      .executeTakeFirstOrThrow();
    const made = await seedToken(database, id, role);
    this.secrets.add(made.token);
    return made;
  }

  /** A member with a session. Sign-in is not needed for it: the session is put where sign-in would put it. */
  async session(organizationId: string, role: Role): Promise<Session> {
    const session = await seedSession(await this.database(), organizationId, role);
    this.secrets.add(session.session);
    return session;
  }

  /** An organization and its owner's session. */
  async organization(slug?: string): Promise<{ id: string; slug: string; owner: Session }> {
    const { kysely } = await this.database();
    const id = await seedOrganization(await this.database(), slug);
    const row = await kysely.selectFrom('organization').select('slug').where('id', '=', id).executeTakeFirstOrThrow();
    return { id, slug: row.slug, owner: await this.session(id, 'owner') };
  }

  call(method: string, path: string, more?: Call): Promise<Answered> {
    return call(`${this.url}${path}`, method, more);
  }

  /** Stops it and takes everything away but the logs. */
  async remove(): Promise<void> {
    await (await this.#inside)?.close();
    try {
      await Promise.all(this.beside.map((one) => one.stop()));
      await this.stop();
    } finally {
      keepLogs(this.home, this.#name);
      await endWhatGoesOn(this.home);
      removeHome(this.home);
      rmSync(this.#directory, { recursive: true });
    }
  }

  async #serving(kind: 'api' | 'worker') {
    const { kysely } = await this.database();
    return (await livingProcesses(kysely)).filter((one) => one.kind === kind && one.state.ready !== false);
  }

  #log(part: PartName): string {
    return join(this.home, 'logs', `${part}.log`);
  }
}

export interface Readiness {
  ready: boolean;
  parts: Record<string, { ready: boolean; detail?: string }>;
  poisoned: { actorId: string; attempts: number; since: string }[];
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-15).join('\n');
}
