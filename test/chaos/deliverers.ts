import { noSource } from '../../domain/services/settings.ts';
import { type Answer, type Client, ofChangeSet, rowOf, value } from './client.ts';
import type { Promised } from './facts.ts';
import { type Ground, number, type Place, type Places } from './ground.ts';

interface Listed<Item> {
  items: Item[];
}
type Shown = { id: string; serviceId: string; state: string; requestedById?: string };

const ofAnswer = ({ deployment, id }: Answer): Promised[] => rowOf('deployment', deployment?.id ?? id);

interface Change {
  promises?: Promised[];
  reason?: string;
  promised?: (applied: Answer) => Promised[];
}

/** Stages these changes and applies the draft that they are in. */
async function change(client: Client, place: Place, items: object[], more: Change = {}) {
  const { environmentId } = place;
  const { promises = [], reason, promised = ofChangeSet } = more;
  const staged = await client.ask('stage', 'PUT', `/environments/${environmentId}/change-set/items:batch`, {
    ...{ body: { items }, promises },
  });
  if (staged?.changeSet === undefined) return;
  await client.ask('apply', 'POST', `/change-sets/${staged.changeSet.id}/apply`, {
    ...{ body: { message: `By ${client.name}`, ...(reason && { reason }) }, promised },
  });
}

/** A release of that service in it must not become live. */
const failing =
  (serviceId: string) =>
  (applied: Answer): Promised[] => [
    ...ofChangeSet(applied),
    ...(applied.deployments ?? [])
      .filter((one) => one.serviceId === serviceId)
      .map(
        ({ id }): Promised => ({ of: 'row', kind: 'deployment', id, states: ['failed', 'superseded', 'cancelled'] }),
      ),
  ];

/** Deploys, some of it so that it must fail, deploys again, rolls back and cancels in staging, where others do so, too. */
export function deployer(
  client: Client,
  place: Place,
  { images, releaseCommand }: Ground,
): (pick: number) => Promise<void> {
  const { serviceId, environmentId } = place;
  let count = 0;
  return async (pick) => {
    const which = client.chance();
    if (pick < 0.45) {
      count += 1;
      const value = { ...noSource, imageRepository: images[count % images.length] };
      const source = { kind: 'service.set', serviceId, key: 'source', value };
      const fails = which < 0.2;
      const command = { kind: 'service.set', serviceId, key: 'releaseCommand', value: releaseCommand(fails ? 3 : 0) };
      const items = [number(place, `${client.name}-${count}`), source, command];
      return change(client, place, items, fails ? { promised: failing(serviceId) } : {});
    }
    if (pick < 0.6) {
      const body = { environmentId, queue: true };
      await client.ask('redeploy', 'POST', `/services/${serviceId}/redeploy`, { body, promised: ofAnswer });
    } else if (pick < 0.8) {
      const found = await client.read<Listed<{ id: string }>>(
        `/services/${serviceId}/releases?environmentId=${environmentId}&limit=10`,
      );
      const release = found?.items[Math.floor(which * found.items.length)];
      if (release === undefined) return;
      const asking = { body: { queue: true }, promised: ofAnswer };
      await client.ask('roll back', 'POST', `/releases/${release.id}/rollback`, asking);
    } else {
      const found = await client.read<Listed<Shown>>(`/environments/${environmentId}/deployments?open=true&limit=20`);
      const open = found?.items.find((one) => one.serviceId === serviceId);
      if (open === undefined) return;
      await client.ask('cancel', 'POST', `/deployments/${open.id}/cancel`, { promised: ofAnswer });
    }
  };
}

/** Promotes to production and changes it, where all waits for an approval, and withdraws some of it. */
export function promoter(client: Client, { shop: { staging, production } }: Places): (pick: number) => Promise<void> {
  const { serviceId, environmentId } = production;
  let count = 0;
  return async (pick) => {
    if (pick < 0.4) {
      const found = await client.read<Listed<{ id: string }>>(
        `/services/${serviceId}/releases?environmentId=${staging.environmentId}&limit=1`,
      );
      const release = found?.items[0];
      if (release === undefined) return;
      const body = { releaseId: release.id, toEnvironmentId: environmentId, queue: true, missingAccepted: true };
      await client.ask('promote', 'POST', `/services/${serviceId}/promote`, { body, promised: ofAnswer });
    } else if (pick < 0.75) {
      count += 1;
      // A key of its own: what is rejected returns to the draft, and is there beside what comes later.
      const [key, to] = [`PRODUCTION_${count}`, `${client.name}-${count}`];
      const items = [{ kind: 'variable.set', serviceId, key, value: to }, number(production, to)];
      await change(client, production, items, { promises: [value(production, key, to)], reason: 'Chaos' });
    } else {
      type Pending = { id: string; deploymentId?: string; changeSetId?: string };
      const found = await client.read<Listed<Pending>>(
        `/approvals?environmentId=${environmentId}&order=oldest&limit=20`,
      );
      const [first] = found?.items ?? [];
      if (first === undefined) return;
      const { changeSetId, deploymentId } = first;
      const [kind, id] = changeSetId === undefined ? ['deployment', deploymentId] : ['change-set', changeSetId];
      const promised = ({ state }: Answer): Promised[] =>
        state === 'cancelled' ? [{ of: 'row', kind, id: String(id), states: ['cancelled'] }] : rowOf(kind, id);
      await client.ask('withdraw', 'POST', `/${kind}s/${id}/cancel`, { promised });
    }
  };
}

/** Approves and rejects what others have requested. */
export function approver(client: Client): (pick: number) => Promise<void> {
  return async (pick) => {
    if (pick > 0.85) return;
    const found = await client.read<Listed<{ id: string }>>('/approvals?order=oldest&limit=20');
    const [first] = found?.items ?? [];
    if (first !== undefined) await decide(client, first.id, pick < 0.6 ? 'approved' : 'rejected');
  };
}

export async function decide(client: Client, approvalId: string, decision: 'approved' | 'rejected') {
  const path = `/approvals/${approvalId}/decide`;
  return await client.ask(decision === 'approved' ? 'approve' : 'reject', 'POST', path, {
    ...{ body: { decision }, promises: [{ of: 'decision', approvalId, decision }] },
  });
}

/** Stages variables and settings of two services, and applies them later. */
export function stager(client: Client, { api, jobs }: Places): (pick: number) => Promise<void> {
  let count = 0;
  return async (pick) => {
    const place = client.chance() < 0.5 ? api : jobs;
    const key = `KEY_${1 + Math.floor(client.chance() * 5)}`;
    const { serviceId, environmentId, processId } = place;
    const draft = `/environments/${environmentId}/change-set`;
    count += 1;
    const to = `${client.name}-${count}`;
    if (pick < 0.5) {
      const items = [{ kind: 'variable.set', serviceId, key, value: to }];
      const promises = [value(place, key, to)];
      await client.ask('stage', 'PUT', `${draft}/items:batch`, { body: { items }, promises });
    } else if (pick < 0.6) {
      const items = [{ kind: 'process.set', processId, key: 'drainSeconds', value: 1 + (count % 10) }];
      await client.ask('stage', 'PUT', `${draft}/items:batch`, { body: { items } });
    } else await change(client, place, [number(place, to)], { promises: [value(place, 'NUMBER', to)] });
  };
}
