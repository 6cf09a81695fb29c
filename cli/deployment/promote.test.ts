import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideApproval } from '../../db/approvals/decide.ts';
import { type AdmissionRequest, admit } from '../../db/deployments/admission.ts';
import { effect } from '../../db/engine/effect.ts';
import { tenant } from '../../db/postgres/tenant.ts';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { until } from '../../test/ground/until.ts';
import { cellsOf } from '../../test/run/matrix.ts';
import { machine } from '../../test/seeds/seed.ts';
import { type SeededPlace, seedPlace, seedRelease } from '../../test/seeds/seed-place.ts';

let joined: JoinedCluster;
beforeAll(async () => {
  joined = await joinedCluster();
});
afterAll(() => joined?.close());

const own = () => tenant(joined.api.database.kysely, joined.ours.organizationId);
const told = ({ organizationId, projectId }: SeededPlace, request: AdmissionRequest) =>
  effect(joined.api.database, machine, (one) => admit(one, { organizationId, projectId }, request));

/** A project whose staging runs release 1, and whose production has the service and runs nothing. */
async function shop() {
  const { api, ours } = joined;
  const place = await seedPlace(api.database, ours.organizationId);
  const { projectId, serviceId, environmentId } = place;
  const { id: releaseId } = await seedRelease(api.database, place, 1);
  const id = uuid();
  const one = { id, environmentId, serviceId, releaseId, kind: 'deploy' as const, queue: true };
  await told(place, { event: 'create', deployments: [one] });
  await told(place, { event: 'claim', id });
  await told(place, { event: 'finish', id, state: 'live' });
  const production = uuid();
  const named = { id: production, name: 'Production', slug: 'production', namespace: production, production: true };
  await own()
    .insertInto('environment')
    .values({ ...named, project_id: projectId })
    .execute();
  await own().insertInto('draft').values({ environment_id: production, id: uuid() }).execute();
  const { settings } = await own()
    .selectFrom('environment_service')
    .select('settings')
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();
  await own()
    .insertInto('environment_service')
    .values({ environment_id: production, service_id: serviceId, project_id: projectId, settings })
    .execute();
  const slugOf = async (table: 'project' | 'service', of: string) =>
    (await own().selectFrom(table).select('slug').where('id', '=', of).executeTakeFirstOrThrow()).slug;
  const words = ['promote', await slugOf('service', serviceId), '--project', await slugOf('project', projectId)];
  return { place, production, releaseId, words };
}

type Shop = Awaited<ReturnType<typeof shop>>;

const heldOf = ({ place }: Shop) =>
  own()
    .selectFrom('deployment')
    .select(['id', 'approval_id as approvalId'])
    .where('project_id', '=', place.projectId)
    .where('waits_for', '=', 'approval')
    .executeTakeFirst();

async function decide({ place }: Shop, id: string | null, decision: 'approved' | 'rejected' | 'expired') {
  const { organizationId, projectId } = place;
  const ref = { id: id ?? '', organizationId, projectId };
  await effect(joined.api.database, machine, (one) => decideApproval(one, joined.api.keyring, ref, { decision }));
}

/** How a promotion that is held ends, and the code of the command that waits for it. */
const ends: Record<string, { code: number; state: string; end: (of: Shop) => Promise<unknown> }> = {
  live: { code: 0, state: 'live', end: (of) => rolled(of, 'live') },
  failed: { code: 1, state: 'failed', end: (of) => rolled(of, 'failed') },
  rejected: { code: 3, state: 'rejected', end: async (of) => decide(of, await approvalOf(of), 'rejected') },
  expired: { code: 6, state: 'expired', end: async (of) => decide(of, await approvalOf(of), 'expired') },
  cancelled: { code: 4, state: 'cancelled', end: (of) => dropped(of, 'person') },
  superseded: { code: 7, state: 'superseded', end: (of) => dropped(of, 'superseded') },
  stale: {
    code: 8,
    state: 'pending',
    end: ({ production, releaseId }) =>
      own()
        .updateTable('environment_service')
        .set({ live_release_id: releaseId })
        .where('environment_id', '=', production)
        .execute(),
  },
};

const approvalOf = async (of: Shop) => (await heldOf(of))?.approvalId ?? null;
const dropped = async (of: Shop, because: 'person' | 'superseded') =>
  told(of.place, { event: 'cancel', id: (await heldOf(of))?.id ?? '', because });
async function rolled(of: Shop, state: 'live' | 'failed') {
  const { id = '', approvalId = null } = (await heldOf(of)) ?? {};
  await decide(of, approvalId, 'approved');
  await told(of.place, { event: 'claim', id });
  await told(of.place, { event: 'finish', id, state });
}

const chosen = ['live', 'expired', 'stale'];

test.each(cellsOf(Object.keys(ends), (name) => chosen.includes(name)))('%s', async (name) => {
  const of = await shop();
  const { code, state, end } = ends[name] as (typeof ends)[string];
  const words = [...of.words, '--from', 'staging', '--to', 'production', '--accept-missing', '--wait', '--json'];
  const ended = joined.ballast([...words, '--reason', 'Two days']);
  await until('the promotion is held', async () => (await heldOf(of)) !== undefined);
  await end(of);
  const { code: is, out, err } = await ended;
  expect([is, err]).toEqual([code, expect.any(String)]);
  expect(JSON.parse(out)).toMatchObject({
    approval: { kind: 'promote', reason: 'Two days' },
    deployment: { kind: 'promote', state },
    release: { number: 2, promotedFromReleaseId: of.releaseId },
  });
});

test('with --no-wait it says who decides, too', async () => {
  const { words } = await shop();
  const started = await joined.ballast([
    ...[...words, '--to', 'production', '--release', '1'],
    ...['--accept-missing', '--no-wait'],
  ]);
  expect(started).toMatchObject({ code: 0, err: expect.stringMatching(/ballast approve [0-9a-f-]{36}/) });
});

test('without --wait it ends with who decides; what is missing or named wrongly starts nothing', async () => {
  const of = await shop();
  const run = (...words: string[]) => joined.ballast([...of.words, ...words]);
  const refusals = await Promise.all([
    run(),
    run('--to', 'staging'),
    run('--to', 'production', '--release', '9'),
    run('--to', 'production'),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(refusals.map(({ err }) => err)).toEqual([
    expect.stringContaining('--to'),
    expect.stringContaining('both staging'),
    expect.stringContaining('there is: 1'),
    expect.stringMatching(/has no variable RELEASE.*--accept-missing accepts it/s),
  ]);
  expect(await heldOf(of)).toBeUndefined();
  const held = await run('--to', 'production', '--release', '1', '--accept-missing');
  expect(held).toMatchObject({
    code: 5,
    err: expect.stringMatching(/An administrator or owner decides.*ballast approve [0-9a-f-]{36}/s),
  });

  const id = (await approvalOf(of)) ?? '';
  const glass = (...words: string[]) => joined.ballast(['approve', '--break-glass', ...words]);
  const unfit = await Promise.all([glass(id), glass('--reason', 'x'), glass(id, '--reason', 'x', '--refresh')]);
  expect(unfit.map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(unfit[0]?.err).toContain('--reason: why nobody else could decide');
  const broken = await glass(id, '--reason', 'Checkout is down.', '--json');
  expect(JSON.parse(broken.out)).toMatchObject({ brokenGlass: true, decisionReason: 'Checkout is down.' });
  expect(await heldOf(of)).toBeUndefined();
});
