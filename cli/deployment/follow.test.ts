import { v7 as uuid } from 'uuid';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type JoinedCluster, joinedCluster } from '../../test/clusters/joined-cluster.ts';
import { begunCommand } from '../../test/commands/begun-command.ts';
import { eventsOf } from '../../test/commands/command-host.ts';
import { PromotedShop } from '../../test/deployments/promoted-shop.ts';
import { handMadeLayout } from '../../test/images/hand-made-image.ts';
import { seedRelease } from '../../test/seeds/seed-place.ts';

const joined = await joinedCluster();
afterAll(() => joined.close());

type Run = (...words: string[]) => ReturnType<JoinedCluster['ballast']>;

/** A deployment of the release that is live in staging; nobody carries it out. */
async function redeployed(run: Run): Promise<string> {
  const { code, out, err } = await run('redeploy', '--no-wait', '--json');
  expect(code, err).toBe(0);
  return JSON.parse(out).deployment.id;
}

async function cancelled(run: Run): Promise<string> {
  const id = await redeployed(run);
  expect((await run('cancel')).code).toBe(0);
  return id;
}

/** A change set whose deployment was cancelled. */
async function endedChangeSet(run: Run, { own }: PromotedShop): Promise<string> {
  const { layout } = await handMadeLayout([[{ name: 'run', content: 'a program' }]], { hostBound: true });
  const { code, out, err } = await run('deploy', layout, '--no-wait', '--json');
  expect(code, err).toBe(0);
  const id: string = JSON.parse(out).changeSetId;
  expect((await run('cancel')).code).toBe(0);
  // As its actor would.
  await own.updateTable('change_set').set({ state: 'failed' }).where('id', '=', id).execute();
  return id;
}

async function runsSecond(of: PromotedShop): Promise<void> {
  const { id: releaseId } = await seedRelease(joined.api.database, of.place, 2);
  const id = uuid();
  const { environmentId, serviceId } = of.place;
  await of.tell({
    event: 'create',
    deployments: [{ id, environmentId, serviceId, releaseId, kind: 'deploy', queue: true }],
  });
  await of.tell({ event: 'claim', id });
  await of.tell({ event: 'finish', id, state: 'live' });
}

/** A step before the command, which answers the id that stands for ID. */
type Before = (run: Run, of: PromotedShop) => Promise<unknown>;
const nothing: Before = async () => undefined;

test.each<[string, Before]>([
  ['redeploy', nothing],
  ['rollback', (_, of) => runsSecond(of)],
  ['rerun ID', cancelled],
  ['change-set retry ID', endedChangeSet],
  ['service resume', (run) => run('service', 'suspend')],
  ['status --wait', redeployed],
  ['cancel', redeployed],
])('%s --json tells its deployment in lines as it happens', async (typed, before) => {
  const of = await PromotedShop.open(joined);
  const [, service = '', , project = ''] = of.words;
  const there = ['--project', project, '--service', service];
  const run: Run = (...words) => joined.ballast([...words, ...there]);
  const id = String(await before(run, of));
  const words = typed.split(' ').map((word) => (word === 'ID' ? id : word));
  const place = typed.endsWith('ID') ? [] : typed.startsWith('status') ? ['--project', project] : there;
  const begun = begunCommand(joined.spawnBallast([...words, ...place, '--json']));
  onTestFinished(() => void begun.child.kill());
  const cancels = typed === 'cancel';
  if (!cancels) {
    await begun.says('pending');
    expect((await run('cancel')).code).toBe(0);
  }
  expect(await begun.ended).toBe(cancels ? 0 : 4);
  const events = eventsOf(begun.said);
  const told = { event: 'deployment', at: expect.any(String), deploymentId: events[0]?.deploymentId, service };
  const stands = { release: expect.any(Number), blocker: expect.any(String), message: expect.any(String) };
  expect(events).toEqual([
    ...(cancels ? [] : [{ ...told, ...stands, state: 'pending' }]),
    { ...told, ...stands, state: 'cancelled' },
  ]);
  // The result stands alone.
  const result = JSON.parse(begun.said.out);
  if (!typed.startsWith('status')) expect(JSON.stringify(result)).toContain(String(events[0]?.deploymentId));
  // Lines take the place of those for people.
  expect(begun.said.err).not.toMatch(/ waits: |[✓✗]/);
});
