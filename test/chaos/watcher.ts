import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { tenant } from '../../db/postgres/tenant.ts';
import { descriptors } from '../../workflows/descriptors.ts';
import { through } from '../agents/kept-machine.ts';
import type { Check, Sighting, Statement } from './facts.ts';
import { allPlaces, type Ground, hostOf, type Place } from './ground.ts';
import type { Journal } from './journal.ts';

const everyMilliseconds = 1_500;
/** So long a release may need until its address answers: its ingress, too, may be just starting. */
const checkMilliseconds = 120_000;
const answerMilliseconds = 5_000;

export const followed = Object.values(descriptors).filter(({ lives }) => lives === 'once');

export interface FollowedRow {
  id: string;
  state: string;
  revision: number;
  final: boolean;
  blocker: string | null;
  message: string | null;
}

/** A deployment and what serves in its place. */
interface DeploymentPlace {
  deploymentId: string;
  state: string;
  environmentId: string;
  serviceId: string;
  number: string | null;
  /** The deployment whose release serves there now. */
  serving: string | null;
  suspended: boolean;
}

/** Looks at all rows again and again, and asks the address of each deployment that has become live. */
export class Watcher {
  readonly sightings: Sighting[] = [];
  readonly checks: Check[] = [];
  readonly #ground: Ground;
  readonly #journal: Journal;
  readonly #statements: Statement[];
  readonly #seen = new Map<string, string>();
  readonly #said = new Set<string>();
  readonly #checking = new Map<string, Promise<void>>();
  #looking: Promise<unknown> = Promise.resolve();

  constructor(ground: Ground, journal: Journal, statements: Statement[]) {
    this.#ground = ground;
    this.#journal = journal;
    this.#statements = statements;
  }

  async watch(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      await this.look().catch((error: unknown) => this.#journal.note('watcher', { failed: String(error) }));
      await pause(everyMilliseconds, undefined, { signal: ending }).catch(() => undefined);
    }
    await this.checked();
  }

  /** Waits for the addresses that are being asked. */
  async checked(): Promise<void> {
    await Promise.all(this.#checking.values());
  }

  /** Answers what is not final. One look after the other: an older one that is read later would seem to go back. */
  look(): Promise<(FollowedRow & { kind: string })[]> {
    const next = this.#looking.then(() => this.#look());
    this.#looking = next.catch(() => undefined);
    return next;
  }

  async #look(): Promise<(FollowedRow & { kind: string })[]> {
    const open: (FollowedRow & { kind: string })[] = [];
    for (const { kind, table } of followed) {
      for (const row of await rowsOf(this.#ground, table)) {
        if (!row.final) open.push({ ...row, kind });
        this.#sees(kind, row);
      }
    }
    return open;
  }

  #sees(kind: string, row: FollowedRow): void {
    const { id, state, revision, final } = row;
    const at = new Date().toISOString();
    for (const text of [row.blocker, row.message]) {
      if (text === null || this.#said.has(text)) continue;
      this.#said.add(text);
      this.#statements.push({ at, by: `the ${kind} ${id}`, text });
    }
    const now = `${state} ${revision}`;
    const name = `${kind} ${id}`;
    if (this.#seen.get(name) === now) return;
    this.#seen.set(name, now);
    this.sightings.push({ at, kind, id, state, revision, final });
    this.#journal.note('rows', { kind, ...row });
    const judged = kind === 'deployment' && (state === 'live' || state === 'failed');
    if (judged && !this.#checking.has(id)) this.#checking.set(id, this.check(id));
  }

  /** Asks its address until that fits to what its row says, or for too long. */
  async check(deploymentId: string): Promise<void> {
    const begun = Date.now();
    const late = (of = 1) => Date.now() - begun > of * checkMilliseconds;
    while (!late(2)) {
      const row = await this.#placeOf(deploymentId).catch(() => undefined);
      const place = allPlaces(this.#ground.places).find(
        (one) => one.environmentId === row?.environmentId && one.serviceId === row.serviceId,
      );
      const answers = row && place && (await this.#answers(row, place).catch(() => undefined));
      if (answers === 'moot') return;
      if (answers !== undefined && (answers.answered === answers.expected || late())) {
        const check = { at: new Date().toISOString(), deploymentId, state: row?.state ?? '', ...answers };
        this.#journal.note('checks', check);
        this.checks.push(check);
        return;
      }
      await pause(500);
    }
  }

  /**
   * A live one answers as its release, unless another deployment has taken its place or it was suspended; a failed one does
   * not, unless the same release serves by another deployment.
   */
  async #answers(row: DeploymentPlace, place: Place): Promise<'moot' | Pick<Check, 'expected' | 'answered'>> {
    const ask = () => answerOf(this.#ground, place).catch((error: unknown) => String(error));
    if (row.state === 'live') {
      if (row.suspended || row.serving !== row.deploymentId) return 'moot';
      return { expected: place.numbered ? (row.number ?? '') : '200', answered: await ask() };
    }
    const serving = row.serving === null ? undefined : await this.#placeOf(row.serving);
    if (!place.numbered || serving?.number === row.number) return 'moot';
    const answered = await ask();
    return { expected: answered === row.number ? `not ${answered}` : answered, answered };
  }

  async #placeOf(id: string): Promise<DeploymentPlace | undefined> {
    const { installation, organizationId } = this.#ground;
    const { kysely } = await installation.database();
    return await tenant(kysely, organizationId)
      .selectFrom('deployment')
      .innerJoin('release', 'release.id', 'deployment.release_id')
      .innerJoin('environment_service as place', (join) =>
        join
          .onRef('place.environment_id', '=', 'deployment.environment_id')
          .onRef('place.service_id', '=', 'deployment.service_id'),
      )
      .select([
        'deployment.id as deploymentId',
        'deployment.state',
        'deployment.environment_id as environmentId',
        'deployment.service_id as serviceId',
        sql<string | null>`release.content #>> '{variables,NUMBER}'`.as('number'),
        'place.live_deployment_id as serving',
        'place.suspended',
      ])
      .where('deployment.id', '=', id)
      .executeTakeFirst();
  }
}

export async function rowsOf({ installation }: Ground, table: string): Promise<FollowedRow[]> {
  const { kysely } = await installation.database();
  const { rows } = await sql<FollowedRow>`
    select id, state, revision, finished_at is not null as final, blocker, message from ${sql.table(table)}
  `.execute(kysely);
  return rows;
}

/** The `NUMBER` of the release that answers, or the status of pages. */
async function answerOf({ ingressPort, installation, admin }: Ground, place: Place): Promise<string> {
  // The place that is built has none before its first release.
  if (place.host === '') place.host = await hostOf(installation, admin, place);
  const { host, numbered } = place;
  const late = pause(answerMilliseconds, undefined, { ref: false }).then(() => {
    throw new Error('no answer');
  });
  const path = numbered ? '/environment' : '/';
  const { status, body } = await Promise.race([through(`http://127.0.0.1:${ingressPort}`, host, path), late]);
  return numbered && status === 200 ? String(JSON.parse(body).NUMBER) : String(status);
}
