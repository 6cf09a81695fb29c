import { afterAll, expect, test } from 'vitest';
import { joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { eventsOf } from '../../test/commands/command-host.ts';
import { type End, PromotedShop } from '../../test/deployments/promoted-shop.ts';
import { until } from '../../test/ground/until.ts';
import { seedPlace } from '../../test/seeds/seed-place.ts';

const joined = await joinedCluster();
afterAll(() => joined.close());

test.each<End>([
  ['live', 0, 'live', (of) => of.roll('live')],
  ['expired', 6, 'expired', (of) => of.decide('expired')],
  ['stale', 8, 'pending', (of) => of.makeStale()],
])('%s', async (_, code, state, end) => {
  const of = await PromotedShop.open(joined);
  const words = [...of.words, '--from', 'staging', '--to', 'production', '--accept-missing', '--wait', '--json'];
  const ended = joined.ballast([...words, '--reason', 'Two days']);
  await until('the promotion is held', () => of.held());
  await end(of);
  const told = await ended;
  expect([told.code, told.err]).toEqual([code, expect.any(String)]);
  expect(eventsOf(told).at(-1)).toMatchObject({ event: 'deployment', release: 2, state });
  expect(JSON.parse(told.out)).toMatchObject({
    approval: { kind: 'promote', reason: 'Two days' },
    deployment: { kind: 'promote', state },
    release: { number: 2, promotedFromReleaseId: of.releaseId },
  });
});

test('with --no-wait it says who decides, too', async () => {
  const { words } = await PromotedShop.open(joined);
  const started = await joined.ballast([
    ...[...words, '--to', 'production', '--release', '1'],
    ...['--accept-missing', '--no-wait'],
  ]);
  expect(started).toMatchObject({ code: 0, err: expect.stringMatching(/ballast approve [0-9a-f-]{36}/) });
});

test('without --wait it ends with who decides; what is missing or named wrongly starts nothing', async () => {
  const of = await PromotedShop.open(joined);
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
    expect.stringMatching(/has no variable RELEASE.*--accept-missing goes without/s),
  ]);
  expect(await of.held()).toBeUndefined();
  const held = await run('--to', 'production', '--release', '1', '--accept-missing');
  expect(held).toMatchObject({
    code: 5,
    err: expect.stringMatching(/An administrator or owner decides.*ballast approve [0-9a-f-]{36}/s),
  });

  // To programs, the line of what waits names the approval.
  const again = await run('--to', 'production', '--release', '1', '--accept-missing', '--json');
  expect([again.code, eventsOf(again)]).toMatchObject([
    5,
    [{ event: 'deployment', state: 'pending', blocker: 'approval', approvalId: (await of.held())?.approvalId }],
  ]);
  expect(again.err).not.toContain('ballast approve');
  const id = (await of.held())?.approvalId ?? '';
  const glass = (...words: string[]) => joined.ballast(['approve', '--break-glass', ...words]);
  const unfit = await Promise.all([glass(id), glass('--reason', 'x'), glass(id, '--reason', 'x', '--refresh')]);
  expect(unfit.map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(unfit[0]?.err).toContain('--reason: why nobody else could decide');
  const broken = await glass(id, '--reason', 'Checkout is down.', '--json');
  expect(JSON.parse(broken.out)).toMatchObject({ brokenGlass: true, decisionReason: 'Checkout is down.' });
  expect(await of.held()).toBeUndefined();
});

test('a target that lacks the service gets it with what is given, and says before what that is', async () => {
  const of = await PromotedShop.open(joined, { lacks: true });
  const run = (words: string[], env: Record<string, string> = {}) =>
    joined.ballast([...of.words, '--to', 'production', ...words], { env });
  const refusals = await Promise.all([
    run([]),
    run(['--set', 'RELEASE']),
    run(['--set', 'RELEASE=1', '--generate', 'RELEASE']),
  ]);
  expect(refusals.map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(refusals.map(({ err }) => err)).toEqual([
    expect.stringMatching(
      /is not in production yet.*RELEASE +value to be given.*--set KEY=VALUE and --generate KEY give/s,
    ),
    expect.stringContaining('--set RELEASE has no value'),
    expect.stringContaining('RELEASE is given twice'),
  ]);
  expect(await of.held()).toBeUndefined();
  const ended = run(['--set', 'RELEASE', '--reason', 'The first one', '--wait', '--json'], { RELEASE: 'of the shell' });
  await until('the promotion is held', () => of.held());
  await of.roll('live');
  const { code, out } = await ended;
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    {
      approval: { kind: 'change-set', reason: 'The first one' },
      deployment: { kind: 'change-set', state: 'live' },
      release: { number: 2, promotedFromReleaseId: of.releaseId },
    },
  ]);
  const { value } = await of.own
    .selectFrom('variable')
    .select('value')
    .where('environment_id', '=', of.production)
    .executeTakeFirstOrThrow();
  expect(value).toBe('of the shell');
});

test('redeploy takes the service as its word, too, and refuses two that differ', async () => {
  const of = await PromotedShop.open(joined);
  // Of two services, one has to be named.
  await seedPlace(joined.api.database, joined.ours.organizationId, { beside: of.place });
  const [, service = '', ...project] = of.words;
  const again = (...words: string[]) => joined.ballast(['redeploy', service, ...project, '--no-wait', ...words]);
  expect(await again('--service', 'another')).toMatchObject({
    code: 2,
    err: expect.stringContaining('The service is named twice, and differently'),
  });
  const ofService = of.own.selectFrom('deployment').select('state').where('service_id', '=', of.place.serviceId);
  const redeployed = ofService.where('kind', '=', 'redeploy');
  expect(await redeployed.execute()).toEqual([]);
  expect(await again()).toMatchObject({ code: 0 });
  expect(await redeployed.execute()).toHaveLength(1);
});
