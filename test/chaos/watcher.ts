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

interface LiveRow {
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

  /** Answers what is not final. */
  async look(): Promise<(FollowedRow & { kind: string })[]> {
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
    if (kind === 'deployment' && state === 'live' && !this.#checking.has(id)) this.#checking.set(id, this.check(id));
  }

  /** Its address answers as its release, unless another deployment has taken its place or it was suspended. */
  async check(deploymentId: string): Promise<void> {
    const begun = Date.now();
    for (let answered = 'nothing'; ; ) {
      const row = await this.#liveRow(deploymentId).catch(() => undefined);
      const place = allPlaces(this.#ground.places).find(
        (one) => one.environmentId === row?.environmentId && one.serviceId === row.serviceId,
      );
      if (row !== undefined && place !== undefined) {
        if (row.suspended || row.serving !== deploymentId) return;
        const expected = place.numbered ? (row.number ?? '') : '200';
        answered = await answerOf(this.#ground, place).catch((error: unknown) => String(error));
        if (answered === expected || Date.now() - begun > checkMilliseconds) {
          const check = { at: new Date().toISOString(), deploymentId, expected, answered };
          this.#journal.note('checks', check);
          this.checks.push(check);
          return;
        }
      }
      if (Date.now() - begun > 2 * checkMilliseconds) return;
      await pause(500);
    }
  }

  async #liveRow(id: string): Promise<LiveRow | undefined> {
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
