import { expect } from 'vitest';
import { forgetMachine } from '../../../db/agents/reports.ts';
import { settle } from '../../../db/change-sets/settle.ts';
import { findDeletedThing } from '../../../db/deletions/things/deleted-things.ts';
import { requestPurgeOfThing } from '../../../db/deletions/things/purge-thing.ts';
import { restoreThing } from '../../../db/deletions/things/restore-thing.ts';
import { findEnvironment } from '../../../db/environments/environments.ts';
import { deleteEnvironment } from '../../../db/environments/removal.ts';
import { findProject } from '../../../db/projects/projects.ts';
import { deleteProject } from '../../../db/projects/removal.ts';
import { deleteService } from '../../../db/services/removal/delete-service.ts';
import { findService } from '../../../db/services/services.ts';
import { tablesMentioning } from '../../rows/mentioning.ts';
import { asDeletionActor } from '../as-deletion-actor.ts';
import { Acts, refusalOf } from './acts.ts';
import type { Environment } from './model.ts';
import { isReferred } from './references.ts';
import { type Service, scopeOf, services } from './vocabulary.ts';

type Thing = { kind: 'project' } | { kind: 'environment'; number: 0 | 1 } | { kind: 'service'; service: Service };

const things: readonly Thing[] = [
  ...([0, 1] as const).map((number) => ({ kind: 'environment' as const, number })),
  ...services.map((service) => ({ kind: 'service' as const, service })),
  { kind: 'project' },
];

/** The steps of the walk that concern whole things. */
export class Deletions extends Acts {
  #state(thing: Thing) {
    if (thing.kind === 'project') {
      return { deleted: this.model.project.deleted ? ('itself' as const) : ('no' as const), purged: false };
    }
    return thing.kind === 'environment' ? this.environment(thing.number) : this.model.services[thing.service];
  }

  #id(thing: Thing): string {
    if (thing.kind === 'project') return this.world.projectId;
    if (thing.kind === 'environment') return this.world.environments[thing.number] ?? '';
    return this.world.services[thing.service].serviceId;
  }

  #name = (thing: Thing): string =>
    thing.kind === 'environment' ? `environment ${thing.number}` : thing.kind === 'service' ? thing.service : 'project';

  async delete(at: number, how: number): Promise<void> {
    const thing = things[at % things.length] as Thing;
    const { deleted, purged } = this.#state(thing);
    if (deleted !== 'no' || purged || this.model.project.deleted) return;
    const { organizationId } = this.world;
    const { kysely } = this.api.database;
    const wait = how % 3 === 0;
    const refused = thing.kind === 'service' && this.#isNeeded(thing.service);
    const work = this.run(async (one) => {
      const id = this.#id(thing);
      if (thing.kind === 'project')
        await deleteProject(one, (await findProject(kysely, organizationId, id)) as never, { wait });
      else if (thing.kind === 'environment')
        await deleteEnvironment(one, (await findEnvironment(kysely, organizationId, id)) as never, { wait });
      else
        await deleteService(one, (await findService(kysely, organizationId, id)) as never, {
          wait,
          check: () => undefined,
        });
    });
    const refusal = await refusalOf(work);
    this.tell(`delete ${this.#name(thing)}${refusal === undefined ? '' : ', refused'}`);
    expect(refusal !== undefined, refusal ?? 'It was to be refused.').toBe(refused);
    if (refused) return;
    if (thing.kind === 'service') this.#hideService(thing.service, 'itself');
    else if (thing.kind === 'environment') this.#hideEnvironment(this.environment(thing.number), 'itself');
    else {
      this.model.project.deleted = true;
      for (const environment of this.model.environments) {
        if (environment.deleted === 'no' && !environment.purged) this.#hideEnvironment(environment, 'with the project');
      }
      for (const service of services) {
        const known = this.model.services[service];
        if (known.deleted === 'no' && !known.purged) known.deleted = 'with the project';
      }
    }
    await this.reconcile();
    // Changes that were held of it alone were staged again, and went with it.
    if (thing.kind === 'service') for (const one of this.model.environments) this.#forget(one, thing.service);
    if (thing.kind !== 'service')
      for (const one of this.model.environments) if (one.deleted !== 'no') one.unask([...one.staged.keys()]);
  }

  /** Others refer to it, or its changes wait for a decision together with others. */
  #isNeeded(service: Service): boolean {
    return this.model.environments.some((one) => {
      if (one.deleted !== 'no' || one.purged) return false;
      const heres = [this.model.here(one), this.model.here(one, one.staged)];
      const held = [...(one.held?.items.keys() ?? [])].map(scopeOf);
      return (
        heres.some((here) => isReferred(here, service)) ||
        (held.includes(service) && held.some((other) => other !== service))
      );
    });
  }

  #hideService(service: Service, deleted: 'itself'): void {
    this.model.services[service].deleted = deleted;
    for (const environment of this.model.environments) this.#forget(environment, service);
  }

  #forget(environment: Environment, service: Service): void {
    environment.unask([...environment.staged.keys()].filter((slot) => scopeOf(slot) === service));
  }

  #hideEnvironment(environment: Environment, deleted: 'itself' | 'with the project'): void {
    environment.deleted = deleted;
    environment.returnHeld();
    environment.asked.clear();
    environment.unask([...environment.staged.keys()]);
  }

  async restore(at: number, _: number): Promise<void> {
    const gone = things.filter((one) => this.#state(one).deleted === 'itself' && !this.#state(one).purged);
    const thing = gone[at % Math.max(1, gone.length)];
    if (thing === undefined) return;
    const { organizationId } = this.world;
    const found = await findDeletedThing(this.api.database.kysely, organizationId, thing.kind, this.#id(thing));
    expect(found, `${this.#name(thing)} is among what is deleted`).toBeDefined();
    if (found === undefined) return;
    const ending = (await this.seen.deployments()).some(
      (one) =>
        one.open &&
        (thing.kind === 'project' ||
          (thing.kind === 'environment' ? one.environment === thing.number : one.service === thing.service)),
    );
    const refused = ending || (thing.kind !== 'project' && this.model.project.deleted);
    const refusal = await refusalOf(this.run((one) => restoreThing(one, found)));
    this.tell(`restore ${this.#name(thing)}${refusal === undefined ? '' : ', refused'}`);
    expect(refusal !== undefined, refusal ?? 'It was to be refused.').toBe(refused);
    if (refused) return;
    for (const [number, environment] of this.model.environments.entries()) {
      if (thing.kind === 'environment' && thing.number !== number) continue;
      for (const service of services) {
        const place = environment.at[service];
        if (thing.kind === 'service' && thing.service !== service) continue;
        if (place.live !== undefined) place.suspended = true;
      }
    }
    if (thing.kind === 'environment') this.environment(thing.number).deleted = 'no';
    else if (thing.kind === 'service') this.model.services[thing.service].deleted = 'no';
    else {
      this.model.project.deleted = false;
      for (const one of [...this.model.environments, ...Object.values(this.model.services)]) {
        if (one.deleted === 'with the project') one.deleted = 'no';
      }
    }
  }

  /** Of what nothing rolls any more: it leaves no row. The project stays, or the walk would be over. */
  async purge(at: number, _: number): Promise<void> {
    const gone = things.filter(
      (one) => one.kind !== 'project' && this.#state(one).deleted === 'itself' && !this.#state(one).purged,
    );
    const thing = gone[at % Math.max(1, gone.length)];
    if (thing === undefined || thing.kind === 'project') return;
    const open = (await this.seen.deployments()).some(
      (one) =>
        one.open && (thing.kind === 'environment' ? one.environment === thing.number : one.service === thing.service),
    );
    if (open) return;
    const { organizationId } = this.world;
    const found = await findDeletedThing(this.api.database.kysely, organizationId, thing.kind, this.#id(thing));
    if (found === undefined) throw new Error(`${this.#name(thing)} is not among what is deleted.`);
    await this.#settle();
    await this.#reportNothing();
    await this.run((one) => requestPurgeOfThing(one, found));
    expect(await asDeletionActor(this.api, found.deletionId)).toMatchObject({ state: 'purged' });
    this.tell(`purge ${this.#name(thing)}`);
    this.#state(thing).purged = true;
    // A release stays as it was frozen, and may name the process of another service whose address was put into it.
    const left = (await tablesMentioning(this.api.database, organizationId, this.#id(thing))).filter(
      (table) => table !== 'release' || thing.kind === 'environment',
    );
    expect(left, `rows of ${this.#name(thing)}`).toEqual([]);
  }

  /** The agent reports nothing of what was removed. */
  async #reportNothing(): Promise<void> {
    const cluster = { id: this.world.clusterId, organizationId: this.world.organizationId };
    await this.run((one) => forgetMachine(one, cluster));
  }

  /** As the actors of change sets do once the deployments have ended. */
  async #settle(): Promise<void> {
    const { organizationId, projectId } = this.world;
    const applying = await this.api.database.kysely
      .selectFrom('change_set')
      .select('id')
      .where('project_id', '=', projectId)
      .where('state', '=', 'applying')
      .execute();
    for (const { id: changeSetId } of applying) await this.run((one) => settle(one, { changeSetId, organizationId }));
  }
}
