import { afterAll, expect, test } from 'vitest';
import { tenant } from '../db/postgres/tenant.ts';
import { joinedCluster } from '../test/clusters/joined-cluster.ts';
import { holdDeployment } from '../test/seeds/held-deployment.ts';
import { seedPlace } from '../test/seeds/seed-place.ts';

const joined = await joinedCluster();
const { api, ours } = joined;
const held = await holdDeployment(api.database, ours.organizationId);
await seedPlace(api.database, ours.organizationId);
const diff = [
  {
    serviceSlug: 'shop',
    items: [
      { label: 'GREETING', from: '"Hello"', to: '"Cheers"', secret: false },
      { label: 'PASSWORD', from: '', to: 'sealed', secret: true },
    ],
  },
];
const own = tenant(api.database.kysely, ours.organizationId);
const one = own.updateTable('approval').where('id', '=', held.approvalId);
await one.set({ diff: JSON.stringify(diff), reason: 'Prices in euros\u001b[2J' }).execute();
const row = own.selectFrom('project').select('slug').where('id', '=', held.projectId);
const { slug: project } = await row.executeTakeFirstOrThrow();
afterAll(() => joined.close());

const ballast = (...words: string[]) => joined.ballast(words);
const cells = (out: string) => out.split('\n').map((line) => line.trim().split(/\s{2,}/));

test('approvals are listed, those of one project alone, and one is shown without the values of secrets', async () => {
  const [all, elsewhere, decided, shown, json, unknown] = await Promise.all([
    ballast('approval', 'list'),
    ballast('approval', 'list', '--project', project, '--environment', 'staging', '--json'),
    ballast('approval', 'list', '--project', project, '--decided'),
    ballast('approval', 'show', held.approvalId),
    ballast('approval', 'show', held.approvalId, '--json'),
    ballast('approval', 'show', held.deploymentId),
  ]);
  expect(cells(all.out)[1]).toEqual(expect.arrayContaining([held.approvalId, 'rollback', 'Prices in euros?[2J']));
  expect(all.out).toContain('waits for you');
  expect(JSON.parse(elsewhere.out).approvals).toMatchObject([{ id: held.approvalId }]);
  expect(decided).toMatchObject({ code: 0, out: `No approval was decided in ${project}.\n` });
  const rows = cells(shown.out);
  expect(rows).toContainEqual(['shop', 'GREETING', '"Hello"', '"Cheers"']);
  expect(rows).toContainEqual(['shop', 'PASSWORD', '••••••••', '••••••••']);
  expect(rows).toContainEqual(['deployment', held.deploymentId]);
  const told = JSON.parse(json.out).approval as { deciders: { name: string }[] };
  expect(told).toMatchObject({ id: held.approvalId, stale: expect.any(Boolean) });
  expect(told.deciders.length).toBeGreaterThan(0);
  expect(rows).toContainEqual(['may decide', told.deciders.map(({ name }) => name).join(', ')]);
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('approval') });
});

test('deployments are listed, and one is shown with its approval and stages', async () => {
  const [all, failed, both, shown, json] = await Promise.all([
    ballast('deployment', 'list', '--project', project, '--open'),
    ballast('deployment', 'list', '--failed', '--json'),
    ballast('deployment', 'list', '--failed', '--open'),
    ballast('deployment', 'show', held.deploymentId),
    ballast('deployment', 'show', held.deploymentId, '--json'),
  ]);
  expect(cells(all.out)[1]).toEqual(expect.arrayContaining([held.deploymentId, '#1', 'rollback', 'pending']));
  expect(JSON.parse(failed.out)).toEqual({ deployments: [] });
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('--failed does not go with --open') });
  expect(cells(shown.out)).toEqual(
    expect.arrayContaining([
      ['approval', held.approvalId],
      ['blocker', 'approval'],
    ]),
  );
  expect(JSON.parse(json.out).deployment).toMatchObject({ id: held.deploymentId, approvalId: held.approvalId });
});
