import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { admit } from '../../../db/deployments/admission.ts';
import { expectProblem } from '../../../test/api/expect-problem.ts';
import { ownApi } from '../../../test/api/own-api.ts';
import { holdDeployment } from '../../../test/seeds/held-deployment.ts';

import { type SeededPlace, type seedPlace, seedRelease } from '../../../test/seeds/seed-place.ts';

const { api, ours } = await ownApi();

type Role = 'viewer' | 'deployer' | 'admin';
const post = (path: string, body: unknown = {}, by: Role = 'deployer') => api.as(ours.tokens[by]).post(path, body);
const get = (path: string) => ours.tokens.viewer.get(path);
const at = ({ environmentId }: SeededPlace) => ({ environmentId });

/** A place where the second of two releases is live. */
async function living(more: Parameters<typeof seedPlace>[2] = {}) {
  const place = await ours.place(more);
  const first = await seedRelease(api.database, place, 1);
  const second = await seedRelease(api.database, place, 2);
  await ours.rows.set('environment_service', { service_id: place.serviceId }, { live_release_id: second.id });
  return { place, first, second };
}

async function start(place: SeededPlace, releaseId: string): Promise<string> {
  const { organizationId, projectId, environmentId, serviceId } = place;
  const one = { id: uuid(), environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true };
  await api.effect((starting) =>
    admit(starting, { organizationId, projectId }, { event: 'create', deployments: [one] }),
  );
  return one.id;
}

const overviewOf = async ({ environmentId }: SeededPlace) =>
  ((await get(`/environments/${environmentId}/overview`)).body.services as object[])[0];
const actions = async ({ serviceId }: SeededPlace) =>
  (
    (await ours.tokens.admin.get(`/audit-log?subjectId=${serviceId}`)).body.items as {
      action: string;
    }[]
  ).map(({ action }) => action);

test('suspended once, however often it is asked for; nothing of it starts; why and overview say so; then it is resumed', async () => {
  const { place, first } = await living();
  const { serviceId, environmentId } = place;
  const suspended = await post(`/services/${serviceId}/suspend`, at(place));
  expect(suspended, suspended.text).toMatchObject({
    status: 200,
    body: { serviceId, environmentId, suspended: true, suspendedAt: expect.any(String) },
  });
  expect(await post(`/services/${serviceId}/suspend`, at(place))).toMatchObject({ status: 200, body: suspended.body });
  expect(await actions(place)).toEqual(['service.suspended']);
  expect(await overviewOf(place)).toMatchObject({
    health: 'suspended',
    suspended: true,
    suspendedBy: suspended.body.suspendedBy,
  });
  for (const [path, body] of [
    [`/services/${serviceId}/redeploy`, at(place)],
    [`/releases/${first.id}/rollback`, {}],
  ] as const) {
    expectProblem(await post(path, body), 409, 'suspended');
  }
  const restart = await post(`/processes/${place.processId}/restart?environmentId=${environmentId}`);
  expect(restart.body).toMatchObject({ status: 409, detail: expect.stringContaining('is suspended in "Staging"') });
  const { items, suspended: stopped } = (await get(`/services/${serviceId}/why?environmentId=${environmentId}`)).body;
  expect(items).toEqual([]);
  expect(stopped).toMatchObject([
    {
      serviceId,
      lines: [
        { topic: 'what', text: expect.stringContaining('is suspended in Staging') },
        { topic: 'since', at: suspended.body.suspendedAt },
        { topic: 'tried', text: expect.stringContaining('Release 2 starts again') },
        { topic: 'who' },
        { topic: 'how', text: expect.stringMatching(/service resume s-\S+ --environment staging/) },
      ],
    },
  ]);
  const resumed = await post(`/services/${serviceId}/resume`, at(place));
  expect(resumed, resumed.text).toMatchObject({
    status: 200,
    body: { suspended: true, deployment: { kind: 'resume', releaseNumber: 2, state: 'pending' } },
  });
  const again = await post(`/services/${serviceId}/resume`, at(place));
  expect((again.body.deployment as { id: string }).id).toBe((resumed.body.deployment as { id: string }).id);
  expect(await actions(place)).toEqual(['service.resumed', 'service.suspended']);
  expect(await overviewOf(place)).toMatchObject({ suspended: true, pendingDeployment: { kind: 'resume' } });
});

test('409 naming the deployment that is under way or held there, which goes on', async () => {
  const { place, first } = await living();
  const id = await start(place, first.id);
  const refused = await post(`/services/${place.serviceId}/suspend`, at(place));
  expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining(id) });
  const { requestedBy } = (await get(`/deployments/${id}`)).body;
  expect(refused.body.detail).toMatch(
    new RegExp(
      `^Release #1 of "s-\\S+" is being deployed in "Staging" \\(pending\\), requested by ${requestedBy} on \\d{4}-\\S+ \\S+ UTC: `,
    ),
  );
  expect(refused.body.detail).toContain('`deployments` as `cancel`');
  expect((await get(`/deployments/${id}`)).body).toMatchObject({ state: 'pending', cancelRequested: false });
  expect(await overviewOf(place)).toMatchObject({ suspended: false });
});

test('asked to, it ends what is under way there; what waits with others for an approval is decided first', async () => {
  const { place, first } = await living();
  const path = `/services/${place.serviceId}/suspend`;
  const [rolling, waiting] = [await start(place, first.id), await start(place, first.id)];
  expect((await get(`/deployments/${rolling}`)).body.state).toBe('superseded');
  expect((await post(path, { ...at(place), deployments: 'hold' })).status).toBe(422);
  const suspended = await post(path, { ...at(place), deployments: 'wait' });
  expect(suspended, suspended.text).toMatchObject({ status: 200, body: { suspended: true } });
  expect(suspended.body.deployment).toBeUndefined();
  expect((await get(`/deployments/${waiting}`)).body).toMatchObject({ state: 'cancelled' });
  const { items } = (await ours.tokens.admin.get(`/audit-log?subjectId=${place.serviceId}`)).body as {
    items: object[];
  };
  expect(items).toMatchObject([{ action: 'service.suspended', details: { deployments: 'wait' } }]);

  const { place: claimed, first: release } = await living();
  const id = await start(claimed, release.id);
  await api.effect((claiming) => admit(claiming, claimed, { event: 'claim', id }));
  const asked = await post(`/services/${claimed.serviceId}/suspend`, { ...at(claimed), deployments: 'cancel' });
  expect(asked.body).toMatchObject({ suspended: true, deployment: { id, cancelRequested: true, state: 'preparing' } });
  const lifted = await post(`/services/${claimed.serviceId}/resume`, at(claimed));
  expect(lifted.body).toMatchObject({ suspended: false, suspendedBy: '' });

  const shared = await holdDeployment(api.database, ours.organizationId, { ofChangeSet: true });
  for (const deployments of [undefined, 'cancel', 'wait']) {
    expect(
      (await post(`/services/${shared.serviceId}/suspend`, { ...at(shared), deployments }, 'admin')).body,
    ).toMatchObject({
      status: 409,
      detail: expect.stringMatching(
        /^Changes of "s-\S+" wait for an approval in "Staging", requested by .+ on .+ UTC: approve, reject or withdraw /,
      ),
    });
  }
  expect((await get(`/deployments/${shared.deploymentId}`)).body.state).toBe('pending');
});

test('what alone waits for an approval there is decided first, or cancelled', async () => {
  const held = await holdDeployment(api.database, ours.organizationId);
  const path = `/services/${held.serviceId}/suspend`;
  const refused = await post(path, at(held), 'admin');
  expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining(held.approvalId) });
  const { requestedBy } = (await get(`/approvals/${held.approvalId}`)).body;
  expect(refused.body.detail).toContain(`waits for an approval in "Staging", requested by ${requestedBy} on `);
  expect(refused.body.detail).toContain('`deployments` as `cancel` or `wait`, which both cancel');
  expect((await get(`/approvals/${held.approvalId}`)).body.decision).toBeUndefined();
  const suspended = await post(path, { ...at(held), deployments: 'wait' }, 'admin');
  expect(suspended.body).toMatchObject({ suspended: true });
  expect((await get(`/approvals/${held.approvalId}`)).body).toMatchObject({ decision: 'cancelled' });
});

test('in production for admins, without an approval; 404 for a token of another project', async () => {
  const { place } = await living({ production: true });
  const path = `/services/${place.serviceId}`;
  for (const verb of ['suspend', 'resume']) {
    expectProblem(await post(`${path}/${verb}`, at(place)), 403, 'only admins suspend and resume');
    const as = await ours.token('admin', [(await living()).place.projectId]);
    expect((await as.post(`${path}/${verb}`, at(place))).status).toBe(404);
  }
  expect((await post(`${path}/suspend`, at(place), 'admin')).status).toBe(200);
  const resumed = await post(`${path}/resume`, at(place), 'admin');
  expect(resumed.body.deployment).toMatchObject({ kind: 'resume', state: 'pending', blocker: '' });
});

test('with all slots taken it is resumed later or not at all; where nothing was live there is nothing to start', async () => {
  const { place } = await living({ concurrency: 1 });
  const other = await ours.place({ beside: place });
  expect((await post(`/services/${place.serviceId}/suspend`, at(place))).status).toBe(200);
  await start(other, (await seedRelease(api.database, other, 1)).id);
  const path = `/services/${place.serviceId}/resume`;
  expectProblem(await post(path, at(place)), 409, 'all 1 deployment slots');
  expect(await post(path, { ...at(place), queue: true })).toMatchObject({
    status: 200,
    body: { deployment: { blocker: 'slot' } },
  });
  const empty = await ours.place();
  expect((await post(`/services/${empty.serviceId}/suspend`, at(empty))).body).toMatchObject({ suspended: true });
  const resumed = await post(`/services/${empty.serviceId}/resume`, at(empty));
  expect(resumed).toMatchObject({ status: 200, body: { suspended: false, suspendedBy: '' } });
  expect(resumed.body.deployment).toBeUndefined();
});
