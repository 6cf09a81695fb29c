import { v7 as uuid } from 'uuid';
import { decideApproval } from '../../db/approvals/decide.ts';
import { type AdmissionRequest, admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import type { JoinedCluster } from '../clusters/joined-cluster.ts';
import { machine } from '../seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../seeds/seed-place.ts';

/** A project whose staging runs release 1, and whose production has the service, unless it lacks it, and runs nothing. */
export class PromotedShop {
  readonly #joined: JoinedCluster;
  readonly place: SeededPlace;
  readonly production = uuid();
  readonly releaseId: string;
  /** Of the command that promotes it. */
  words: string[] = [];

  private constructor(joined: JoinedCluster, place: SeededPlace, releaseId: string) {
    this.#joined = joined;
    this.place = place;
    this.releaseId = releaseId;
  }

  static async open(joined: JoinedCluster, { lacks = false }: { lacks?: boolean } = {}): Promise<PromotedShop> {
    const place = await seedPlace(joined.api.database, joined.ours.organizationId);
    const { id: releaseId } = await seedRelease(joined.api.database, place, 1);
    const shop = new PromotedShop(joined, place, releaseId);
    const { projectId, serviceId, environmentId } = place;
    const id = uuid();
    const one = { id, environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true };
    await shop.tell({ event: 'create', deployments: [one] });
    await shop.tell({ event: 'claim', id });
    await shop.tell({ event: 'finish', id, state: 'live' });
    await shop.#addProduction(lacks);
    const slugOf = async (table: 'project' | 'service', of: string) =>
      (await shop.own.selectFrom(table).select('slug').where('id', '=', of).executeTakeFirstOrThrow()).slug;
    shop.words = ['promote', await slugOf('service', serviceId), '--project', await slugOf('project', projectId)];
    return shop;
  }

  get own() {
    return tenant(this.#joined.api.database.kysely, this.place.organizationId);
  }

  /** The promotion that waits for an approval. */
  held() {
    return this.own
      .selectFrom('deployment')
      .select(['id', 'approval_id as approvalId'])
      .where('project_id', '=', this.place.projectId)
      .where('waits_for', '=', 'approval')
      .executeTakeFirst();
  }

  async decide(decision: 'approved' | 'rejected' | 'expired'): Promise<void> {
    const { api } = this.#joined;
    const { organizationId, projectId } = this.place;
    const ref = { id: (await this.held())?.approvalId ?? '', organizationId, projectId };
    await effect(api.database, machine, (one) => decideApproval(one, api.keyring, ref, { decision }));
  }

  async drop(because: 'person' | 'superseded'): Promise<void> {
    await this.tell({ event: 'cancel', id: (await this.held())?.id ?? '', because });
  }

  /** Approved, and as its actor and agent would. */
  async roll(state: 'live' | 'failed'): Promise<void> {
    const { id = '' } = (await this.held()) ?? {};
    await this.decide('approved');
    await this.tell({ event: 'claim', id });
    await this.tell({ event: 'finish', id, state });
  }

  /** Production runs something else than when the approval was asked for. */
  async makeStale(): Promise<void> {
    await this.own
      .updateTable('environment_service')
      .set({ live_release_id: this.releaseId })
      .where('environment_id', '=', this.production)
      .execute();
  }

  async tell(request: AdmissionRequest): Promise<void> {
    const { organizationId, projectId } = this.place;
    await effect(this.#joined.api.database, machine, (one) => admit(one, { organizationId, projectId }, request));
  }

  async #addProduction(lacks: boolean): Promise<void> {
    const { own, production } = this;
    const { projectId, serviceId } = this.place;
    const named = { id: production, name: 'Production', slug: 'production', namespace: production, production: true };
    await own
      .insertInto('environment')
      .values({ ...named, project_id: projectId })
      .execute();
    await own.insertInto('draft').values({ environment_id: production, id: uuid() }).execute();
    if (lacks) return;
    const { settings } = await own
      .selectFrom('environment_service')
      .select('settings')
      .where('service_id', '=', serviceId)
      .executeTakeFirstOrThrow();
    await own
      .insertInto('environment_service')
      .values({ environment_id: production, service_id: serviceId, project_id: projectId, settings })
      .execute();
  }
}

/** How a promotion that is held ends, and the code of the command that waits for it. */
export type End = readonly [name: string, code: number, state: string, end: (of: PromotedShop) => Promise<void>];
