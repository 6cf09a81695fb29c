import { expect } from 'vitest';
import { admit } from '../../../db/deployments/admission.ts';
import { requestDeployment } from '../../../db/deployments/request-deployment.ts';
import { resume, suspend } from '../../../db/deployments/suspension.ts';
import { asActor } from '../as-actor.ts';
import { Acts, refusalOf } from './acts.ts';
import { rolls, type SeenDeployment } from './seen.ts';
import type { Service } from './vocabulary.ts';

/** Deployments, from their turn until their end, and what people ask for besides changes. */
export class Rollouts extends Acts {
  async claim(at: number): Promise<void> {
    const waiting = (await this.seen.deployments()).filter((one) => one.state === 'pending' && one.waitsFor === null);
    const one = waiting[at % Math.max(1, waiting.length)];
    if (one === undefined) return;
    this.tell(`claim ${nameOf(one)}`);
    const says = await asActor(this.api, one.id, ({ claimDeployment }) => claimDeployment(this.#refOf(one)));
    expect(says.state).toBe('preparing');
  }

  async finish(at: number, how: number): Promise<void> {
    const rolling = (await this.seen.deployments()).filter(({ state }) => rolls.includes(state));
    const one = rolling[at % Math.max(1, rolling.length)];
    if (one === undefined) return;
    const state = (['live', 'live', 'live', 'failed', 'cancelled'] as const)[how % 5] ?? 'live';
    await asActor(this.api, one.id, ({ finishDeployment }) => finishDeployment({ ...this.#refOf(one), state }));
    const ended = (await this.seen.deployments()).find(({ id }) => id === one.id);
    this.tell(`${nameOf(one)} ends: ${ended?.state}`);
    expect(ended?.state, `${state} was said`).toBe(state);
    const place = this.environment(one.environment).at[one.service];
    if (state === 'live') place.live = { releaseId: one.releaseId, deploymentId: one.id };
    if (one.kind === 'resume' && state !== 'cancelled') place.suspended = false;
    await this.reconcile();
  }

  async cancel(at: number): Promise<void> {
    const waiting = (await this.seen.deployments()).filter(({ state }) => state === 'pending');
    const one = waiting[at % Math.max(1, waiting.length)];
    if (one === undefined) return;
    this.tell(`cancel ${nameOf(one)}`);
    await this.run((running) =>
      admit(running, this.place(one.environment), { event: 'cancel', id: one.id, because: 'person' }),
    );
    await this.reconcile();
  }

  async rollBack(number: number, service: Service, at: number): Promise<void> {
    const { live } = this.environment(number).at[service];
    const past = (await this.seen.deployments()).filter(
      (one) =>
        one.environment === number &&
        one.service === service &&
        one.state === 'live' &&
        one.releaseId !== live?.releaseId,
    );
    const one = past[at % Math.max(1, past.length)];
    if (one !== undefined) await this.#request(number, service, 'rollback', one.releaseId);
  }

  async redeploy(number: number, service: Service): Promise<void> {
    const { live } = this.environment(number).at[service];
    if (live !== undefined) await this.#request(number, service, 'redeploy', live.releaseId);
  }

  async #request(number: number, service: Service, kind: 'rollback' | 'redeploy', releaseId: string): Promise<void> {
    const environment = this.environment(number);
    const release = { ...this.place(number), ...this.world.services[service], id: releaseId };
    const asked = { kind, queue: true, reason: '', answerableId: undefined, downtimeAccepted: false };
    const requested = await this.run((one) => requestDeployment(one, this.api.keyring, release, asked));
    this.tell(`${kind} of ${service} in ${number}${'refused' in requested ? `, refused: ${requested.refused}` : ''}`);
    expect('refused' in requested, 'a suspended service is not deployed').toBe(environment.at[service].suspended);
    if ('refused' in requested) return;
    const frozen = this.model.frozen.get(releaseId);
    const rollback = kind === 'rollback' ? frozen : undefined;
    expect(requested.approvalId !== undefined).toBe(environment.production);
    await this.reconcile();
    if (requested.approvalId !== undefined) environment.asked.set(requested.approvalId, { service, rollback });
    else if (rollback !== undefined) environment.restore(service, rollback);
  }

  #suspension(number: number, service: Service) {
    return { ...this.place(number), ...this.world.services[service], service, environment: String(number) };
  }

  async suspend(number: number, service: Service, how: number): Promise<void> {
    const ending = ([undefined, 'cancel', 'wait'] as const)[how % 3];
    const at = this.environment(number).at[service];
    const open = (await this.seen.deployments()).filter(
      (one) => one.open && one.environment === number && one.service === service,
    );
    const isHeld = open.some(({ waitsFor, changeSetId }) => waitsFor === 'approval' && changeSetId !== null);
    const refusal = await refusalOf(this.run((one) => suspend(one, this.#suspension(number, service), ending)));
    this.tell(`suspend ${service} in ${number}, ${ending}${refusal === undefined ? '' : ', refused'}`);
    expect(refusal !== undefined, refusal).toBe(open.length > 0 && (ending === undefined || isHeld));
    if (refusal !== undefined) return;
    at.suspended = true;
    await this.reconcile();
  }

  async resume(number: number, service: Service): Promise<void> {
    const at = this.environment(number).at[service];
    const open = (await this.seen.deployments()).filter(
      (one) => one.open && one.environment === number && one.service === service,
    );
    const asked = { queue: true, answerableId: undefined };
    const resumed = await this.run((one) => resume(one, this.api.keyring, this.#suspension(number, service), asked));
    this.tell(`resume ${service} in ${number}`);
    if ('refused' in resumed) throw new Error(`Refused: ${resumed.refused}.`);
    const isAnother = open.length > 0 && open[0]?.kind !== 'resume';
    expect(resumed.deploymentId !== undefined).toBe(at.suspended && at.live !== undefined && !isAnother);
    if (at.live === undefined || isAnother) at.suspended = false;
  }

  #refOf({ id }: SeenDeployment) {
    const { organizationId, projectId } = this.world;
    return { deploymentId: id, organizationId, projectId };
  }
}

const nameOf = ({ kind, service, environment }: SeenDeployment): string => `${kind} of ${service} in ${environment}`;
