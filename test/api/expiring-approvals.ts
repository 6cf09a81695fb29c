import { expect } from 'vitest';
import { expireApproval } from '../../db/approvals/decide.ts';
import type { Answered } from '../installation/running-api.ts';
import { ApplyGround, applyGround } from '../seeds/apply-ground.ts';

export const at = new ApplyGround();
const { apply, call, create, draft, stage, variable, variablesOf } = at;

export const held = async () => {
  await stage(at.production, create(), variable('A', '1'));
  const { approval, changeSet, deployments } = await apply(at.production);
  return { id: approval?.id ?? '', changeSetId: changeSet.id, deploymentId: deployments[0]?.id ?? '' };
};

export const approvalOf = async (id: string) =>
  (await call('GET', `/approvals/${id}`)).body as { createdAt: string; expiresAt: string; decision?: string };

export type Meeting = (parts: { decide: () => Promise<Answered>; expire: () => Promise<void> }) => Promise<Answered[]>;

/** An activity may run twice, and somebody may press twice. */
export const meetings: Record<string, Meeting> = {
  'decided a moment before it expires': async ({ decide, expire }) => {
    const first = await decide();
    await Promise.all([expire(), expire()]);
    return [first];
  },
  'expired a moment before it is decided': async ({ decide, expire }) => {
    await expire();
    return await Promise.all([decide(), decide()]);
  },
  'at the same moment, the decision sent first': async ({ decide, expire }) =>
    (await Promise.all([decide(), decide(), expire(), expire()])).filter((one) => one !== undefined),
  'at the same moment, the expiry begun first': async ({ decide, expire }) =>
    (await Promise.all([expire(), expire(), decide(), decide()])).filter((one) => one !== undefined),
};

export async function oneCounts(name: string): Promise<void> {
  const { organizationId } = at.ours;
  const { id, changeSetId, deploymentId } = await held();
  await at.api.sql`update approval set expires_at = now() - interval '1 second' where id = ${id}`;
  const project = { organizationId, projectId: at.projectId };
  const expire = () =>
    at.api.effect((one) => expireApproval(one, project, { column: 'change_set_id', id: changeSetId }));
  const decide = () => at.decide(id);
  const answers = (await meetings[name]?.({ decide, expire })) ?? [];
  const { decision } = await approvalOf(id);
  const approved = decision === 'approved';
  if (name.includes('a moment before')) expect(decision).toBe(name.startsWith('decided') ? 'approved' : 'expired');
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(approved ? 1 : 0);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  // Changes that were not applied are staged again.
  const applied = (await variablesOf(at.production)).filter(({ staged }) => staged === undefined);
  expect(applied).toHaveLength(approved ? 1 : 0);
  expect((await draft(at.production)).items).toHaveLength(approved ? 0 : 2);
  const { items } = (await call('GET', `/deployments/${deploymentId}/events`)).body as { items: { kind: string }[] };
  expect(items.filter(({ kind }) => kind === 'decided')).toMatchObject([{ decision }]);
  const log = await call('GET', `/audit-log?subjectId=${id}`, undefined, at.ours.sessions.admin);
  const actions = (log.body.items as { action: string }[]).map(({ action }) => action);
  expect(actions).toEqual([...(approved ? ['approval.decided'] : []), 'approval.requested']);
}

/** A project for each test, whose approvals wait in production. */
export function expiringApprovals(): void {
  applyGround(at);
}
