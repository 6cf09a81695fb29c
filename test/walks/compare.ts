import { expect } from 'vitest';
import type { SeededPlace } from '../seeds/seed-place.ts';
import type { Model } from './model.ts';
import { contentOf, type Deployed, rolls, type Seen } from './seen.ts';
import { canonicalText, nothing, places } from './wanted.ts';

const over = ['live', 'failed', 'superseded', 'cancelled', 'rejected', 'expired'];

export interface Compared {
  model: Model;
  seen: Seen;
  services: readonly SeededPlace[];
}

/** Each change is where the model has it, and nowhere else; what serves and what the cluster is told is what was frozen. */
export async function compare(world: Compared): Promise<void> {
  const { model, seen, services } = world;
  expect(await seen.changes(await seen.draftId()), 'the draft').toEqual(places(model.staged));
  for (const { changeSetId, changes } of model.held) {
    expect(await seen.changes(changeSetId), 'a held change set').toEqual(places(changes));
  }
  const deployments = await seen.deployments();
  const approvals = await seen.approvals();
  dropAnswered(model, deployments, new Set(approvals.map(({ id }) => id)));
  expect(approvals.map(({ id }) => id).toSorted(), 'what waits for a decision').toEqual(
    [...model.held, ...model.asked].map(({ id }) => id).toSorted(),
  );
  for (const { target } of approvals) {
    for (const { releaseId, contentDigest } of target.releases) {
      const release = deployments.find((one) => one.releaseId === releaseId);
      expect(contentDigest, 'the digest that is approved').toBe(release?.digest);
    }
  }
  for (const one of deployments) {
    expect(contentOf(one.content), `the release of ${one.id}`).toEqual(model.frozen.get(one.id));
  }
  const drift = await seen.drift();
  for (const [service, place] of services.entries()) {
    await checkService(world, service, place, deployments, drift[service] === true);
  }
}

/** How many replicas a cluster is told to run when a deployment begins: where an earlier release runs again, those of today. */
export async function compareTold({ model, seen, services }: Compared, one: Deployed, service: number): Promise<void> {
  const { replicas } =
    (one.kind === 'rollback' || one.kind === 'redeploy' ? model.applied[service] : model.frozen.get(one.id)) ?? nothing;
  const told = await seen.told(services[service] as SeededPlace);
  expect(
    told?.processes.map((process) => process.replicas),
    'replicas',
  ).toEqual([replicas]);
}

async function checkService(
  { model, seen }: Compared,
  service: number,
  place: SeededPlace,
  deployments: readonly Deployed[],
  drift: boolean,
): Promise<void> {
  const wanted = model.applied[service] ?? nothing;
  const { digest: _, ...settings } = wanted;
  expect(await seen.applied(place), `what is applied of ${service}`).toEqual(settings);
  const live = model.live[service];
  const { releaseId, deploymentId } = await seen.live(place);
  expect({ releaseId, deploymentId }, `what serves of ${service}`).toEqual({
    releaseId: live?.releaseId ?? null,
    deploymentId: live?.deploymentId ?? null,
  });
  const own = deployments.filter((one) => one.serviceId === place.serviceId);
  const rolling = own.filter(({ state }) => rolls.includes(state));
  expect(rolling.length, 'rollouts at one place').toBeLessThanOrEqual(1);
  const told = await seen.told(place);
  const now = rolling[0] ?? own.find(({ id }) => id === live?.deploymentId);
  if (now !== undefined) {
    expect(told?.rollout, 'what the agent is to report').toEqual({ id: now.id, digest: now.digest });
    expect(told?.image.digest).toBe(contentOf(now.content).digest);
  }
  const made = model.made[service];
  const isLive = made === (live && canonicalText(live.content));
  // Replicas of a rollback are those of today, also when it is deployed once more: they are no part of the difference.
  const byRollback = own.some(({ kind, releaseId: its }) => kind === 'rollback' && its === live?.releaseId);
  if (isLive && live !== undefined && !byRollback) expect(live.content, `what serves of ${service}`).toEqual(wanted);
  const coming = own.some(
    ({ id, state, waitsFor }) =>
      !over.includes(state) && waitsFor !== 'approval' && canonicalText(model.frozen.get(id) ?? nothing) === made,
  );
  // Staged, drifting, coming or live: each applied change is in one of these.
  expect(drift, `drift of ${service}`).toBe(!(isLive || coming));
}

/** A request that another one superseded, or that cancelling ended, waits no longer; it had changed nothing. */
function dropAnswered(model: Model, deployments: readonly Deployed[], pending: ReadonlySet<string>): void {
  model.asked = model.asked.filter(({ id }) => {
    const own = deployments.find(({ approvalId }) => approvalId === id);
    return pending.has(id) || own === undefined || !['superseded', 'cancelled'].includes(own.state);
  });
}
