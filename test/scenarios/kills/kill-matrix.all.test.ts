import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../db/postgres/database.ts';
import { readHome } from '../../../runtime/home/home.ts';
import type { Temporal } from '../../../temporal/connection/connect.ts';
import { squat } from '../../attacks/squatter.ts';
import { Installation } from '../../installation/installation.ts';
import { signalProcess } from '../../installation/process-family.ts';
import { type PartName, partNames } from '../../installation/running-parts.ts';
import {
  auditedActions,
  type Deletion,
  deleteOrganization,
  ended,
  executionsOf,
  purgeNow,
  restore,
  tablesWith,
  toldEverything,
} from '../../seeds/deletion.ts';

let installation: Installation;
let database: Database;
let temporal: Temporal;
const all: Deletion[] = [];

beforeAll(async () => {
  installation = await Installation.start('kill-matrix');
  ({ database, temporal } = await installation.inside());
});
afterAll(() => installation?.remove());

/** Where a deletion may stand when something is killed. */
const moments = [
  'between the commit and the start of the actor',
  'between the start and the first projection',
  'during the timer',
] as const;
type Moment = (typeof moments)[number];

interface Kill {
  what: string;
  parts: readonly PartName[];
  supervisor: boolean;
}

const kills: Kill[] = [
  ...partNames.map((part): Kill => ({ what: part, parts: [part], supervisor: false })),
  { what: 'all parts at once', parts: partNames, supervisor: false },
  { what: 'the supervisor alone', parts: [], supervisor: true },
  { what: 'the supervisor and all parts at once', parts: partNames, supervisor: true },
];

/** Every third deletion is restored, the others are purged, so that each moment meets both ends. */
function isRestored(kill: Kill, moment: Moment): boolean {
  return (kills.indexOf(kill) + moments.indexOf(moment)) % 3 === 0;
}

async function organizationWithRows() {
  const organization = await installation.organization();
  const { owner: as } = organization;
  const team = await installation.call('POST', '/api/v1/teams', { as, body: { name: 'Operations' } });
  expect(team.status, team.text).toBe(201);
  return organization;
}

async function historyLength(actor: string, event: string): Promise<number> {
  const history = await temporal.client.workflow
    .getHandle(actor)
    .fetchHistory()
    .catch(() => undefined);
  return history?.events?.filter((one) => one[event as keyof typeof one] != null).length ?? 0;
}

/** Three deletions, one at each moment, all held there by frozen parts. */
async function stage(): Promise<Record<Moment, Deletion>> {
  const [first, second, third] = await Promise.all([1, 2, 3].map(organizationWithRows));
  if (!first || !second || !third) throw new Error('Three organizations were to be made.');
  const during = await deleteOrganization(installation, first);
  await installation.until('the timer runs', async () => {
    return (await historyLength(during.actor, 'timerStartedEventAttributes')) === 1;
  });
  installation.parts.freeze('worker');
  const started = await deleteOrganization(installation, second);
  await installation.until('the actor is started', async () => {
    return (await historyLength(started.actor, 'workflowExecutionStartedEventAttributes')) === 1;
  });
  expect(await historyLength(started.actor, 'workflowTaskCompletedEventAttributes')).toBe(0);
  installation.parts.freeze('temporal');
  const committed = await deleteOrganization(installation, third);
  const { kysely } = database;
  const waiting = await kysely.selectFrom('outbox').select('kind').where('actor_id', '=', committed.actor).execute();
  expect(waiting).toEqual([{ kind: 'start' }]);
  return {
    'between the commit and the start of the actor': committed,
    'between the start and the first projection': started,
    'during the timer': during,
  };
}

/** Kills, thaws what lives, and waits until everything is whole again. */
async function killAndHeal({ parts, supervisor }: Kill): Promise<void> {
  const before = new Map<PartName, number>(partNames.map((part) => [part, installation.parts.pid(part)]));
  installation.parts.kill(...parts, ...(supervisor ? (['supervisor'] as const) : []));
  for (const part of ['temporal', 'worker'] as const) if (!parts.includes(part)) installation.parts.thaw(part);
  if (supervisor) {
    await installation.ended();
    await installation.start();
  } else for (const part of parts) await installation.replaced(part, before.get(part) ?? 0);
  await installation.ready();
}

describe.each(kills)('kill -9 of $what', (kill) => {
  let staged: Record<Moment, Deletion>;

  beforeAll(async () => {
    staged = await stage();
    all.push(...Object.values(staged));
    await killAndHeal(kill);
    // By the relay: nobody asks for anything meanwhile.
    await Promise.all(Object.values(staged).map(({ actor }) => toldEverything(installation, actor)));
    await Promise.all(
      moments.map((moment) => (isRestored(kill, moment) ? restore : purgeNow)(installation, staged[moment])),
    );
  });

  test.each(moments)('%s: the deletion ends right, once', async (moment) => {
    const { organizationId, owner } = staged[moment];
    const restored = isRestored(kill, moment);
    const row = await ended(installation, staged[moment]);
    expect(row).toMatchObject({ state: restored ? 'restored' : 'purged', message: null, blocker: null });
    const decisions = restored ? ['organization.restored'] : ['organization.purge_requested', 'organization.purged'];
    const actions = ['organization.created', 'organization.deleted', ...decisions];
    expect(await auditedActions(database, organizationId)).toEqual(actions);
    const { status, body } = await installation.call('GET', '/api/v1/teams', { as: owner });
    if (restored) expect(body.items).toMatchObject([{ name: 'Operations' }]);
    else {
      expect(status).toBe(403);
      expect(await tablesWith(database, organizationId)).toEqual([]);
    }
  });
});

test('no actor was ever started twice, and nothing is left to be told', async () => {
  for (const { actor } of all) {
    await installation.until(`${actor} in the search`, async () => (await executionsOf(temporal, actor)) > 0);
    expect(await executionsOf(temporal, actor), actor).toBe(1);
  }
  expect(await database.kysely.selectFrom('outbox').select(['actor_id', 'message', 'last_error']).execute()).toEqual(
    [],
  );
  expect((await installation.readiness())?.ready).toBe(true);
});

test('another program takes the port of a killed Temporal: it learns nothing, and everything goes on at another one', async () => {
  const home = readHome(installation.home);
  const [port = 0, before] = [home.record.ports.temporal, installation.parts.pid('temporal')];
  const supervisor = installation.parts.supervisor() ?? 0;
  // Nothing is started again before the port is taken.
  signalProcess(supervisor, 'SIGSTOP');
  installation.parts.kill('temporal');
  const impostor = await squat(port);
  try {
    signalProcess(supervisor, 'SIGCONT');
    await installation.replaced('temporal', before);
    expect(readHome(installation.home).record.ports.temporal).not.toBe(port);
    const deletion = await deleteOrganization(installation, await organizationWithRows());
    await toldEverything(installation, deletion.actor);
    await purgeNow(installation, deletion);
    await installation.until('it is purged', async () => {
      return (await tablesWith(database, deletion.organizationId)).length === 0;
    });
    // API and worker have tried it until they were started again.
    expect(impostor.greeted).toBeGreaterThan(0);
    expect({ heard: impostor.heard, admitted: impostor.admitted }).toEqual({ heard: [], admitted: 0 });
    expect(installation.output).toContain(`Port ${port} was taken by another program`);
  } finally {
    await impostor.close();
  }
});
