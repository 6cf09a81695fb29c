import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chances } from '../deployments/matrix.ts';
import { Aftermath } from './aftermath.ts';
import { Client, type Surroundings } from './client.ts';
import { approver, decide, deployer, promoter, stager } from './deliverers.ts';
import { type Facts, noFacts } from './facts.ts';
import { Faults } from './faults.ts';
import { type Ground, openGround } from './ground.ts';
import { Journal } from './journal.ts';
import { builder, type Hint, listen, operator, reader } from './operators.ts';
import { type Report, reportOf } from './report.ts';
import { schedule } from './schedule.ts';
import { type Finding, verdict } from './verdict.ts';
import { Watcher } from './watcher.ts';

const kept = fileURLToPath(new URL('../../node_modules/.cache/ballast', import.meta.url));
/** Until nothing is in progress after the last fault. */
const quietSeconds = 600;

export interface Chaos {
  seed: number;
  minutes: number;
  /** Where the installation lies for the time of the run. */
  under: string;
  progress(line: string): void;
}

export interface Ran {
  report: Report;
  /** Where logs of the parts and journals of clients are; the journals only where something was found. */
  kept: string[];
}

/** Clients and faults for so many minutes, then quiet, then the verdict. */
export async function chaos({ seed, minutes, under, progress }: Chaos): Promise<Ran> {
  const name = `chaos-${seed}`;
  const journal = new Journal(join(kept, name));
  progress(`An installation starts; its journals are in ${journal.directory}`);
  const ground = await openGround(name, under);
  const facts = noFacts();
  // A run that breaks off has not looked at what is left, so that nothing but its end can be told.
  const brokeOff = await run(ground, journal, facts, { seed, minutes, progress }).then(
    () => undefined,
    (error: unknown): Finding => ({ is: 'stuck', what: `The run broke off: ${String(error)}` }),
  );
  journal.note('facts', facts);
  await ground.close();
  const findings = brokeOff === undefined ? verdict(facts) : [brokeOff];
  const report = reportOf(facts, findings, { seed, minutes });
  journal.note('report', report);
  if (findings.length === 0) journal.remove();
  const logs = join(kept, 'test-logs', name);
  return { report, kept: findings.length === 0 ? [logs] : [logs, journal.directory] };
}

async function run(
  ground: Ground,
  journal: Journal,
  facts: Facts,
  { seed, minutes, progress }: Pick<Chaos, 'seed' | 'minutes' | 'progress'>,
): Promise<void> {
  const { installation, places, organizationId } = ground;
  const [ending, givingUp, leaving] = [new AbortController(), new AbortController(), new AbortController()];
  const around: Surroundings = {
    ...{ url: installation.url, run: `chaos-${seed}`, journal, requests: facts.requests, statements: facts.statements },
    ...{ ending: ending.signal, givenUp: givingUp.signal },
  };
  let count = 0;
  const client = async (name: string, role: 'deployer' | 'admin' | 'viewer'): Promise<Client> => {
    count += 1;
    return new Client(name, await installation.session(organizationId, role), chances(seed * 1_009 + count), around);
  };
  const { token } = await installation.token('deployer');
  const clients: [Client, (client: Client) => (pick: number) => Promise<void>][] = [
    [await client('deployer-1', 'deployer'), (one) => deployer(one, places.shop.staging, ground)],
    [await client('deployer-2', 'deployer'), (one) => deployer(one, places.cart, ground)],
    [await client('promoter', 'deployer'), (one) => promoter(one, places)],
    [await client('approver', 'admin'), (one) => approver(one)],
    [await client('stager', 'deployer'), (one) => stager(one, places)],
    [await client('operator', 'deployer'), (one) => operator(one, ground)],
    [await client('builder', 'deployer'), (one) => builder(one, ground, token)],
    [await client('reader', 'viewer'), (one) => reader(one, ground, token)],
  ];
  const [last, listener] = [await client('last-approver', 'admin'), await client('listener', 'viewer')];
  const hints = new Map<string, Hint>();
  const [watcher, faults] = [new Watcher(ground, journal, facts.statements), new Faults(installation)];
  const beside = [watcher.watch(leaving.signal), listen(listener, installation.url, hints, leaving.signal)];
  progress(`${clients.length} clients and faults begin, for ${minutes} minutes`);
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  const working = clients.map(([one, stepsOf]) => one.work(stepsOf(one)));
  try {
    await faults.carryOut(schedule(seed), ending.signal, (fault) => {
      facts.faults.push(fault);
      journal.note('faults', fault);
      progress(`${fault.what} of ${fault.parts.join(', ')}${fault.note && `: ${fault.note}`}`);
    });
    progress('The last fault is over; clients get their last answers');
    await installation.until('all parts are ready', async (see) => see(await installation.readiness())?.ready, 600);
    await Promise.all(working);
    await decideAll(last);
    progress('Quiet: waiting until nothing is in progress');
    const aftermath = new Aftermath(ground, last);
    facts.underWay.push(...(await aftermath.quiet(watcher, quietSeconds)));
    await watcher.checked();
    for (const id of await liveOnes(ground)) await watcher.check(id);
    Object.assign(facts, await aftermath.gather(hints.values()));
    Object.assign(facts, { sightings: watcher.sightings, checks: watcher.checks });
  } finally {
    clearTimeout(timer);
    faults.thaw();
    for (const one of [ending, givingUp, leaving]) one.abort();
    await Promise.allSettled([...working, ...beside]);
  }
}

/** What waits for a person is approved, or rejected where it is stale, so that nothing waits. */
async function decideAll(last: Client): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const found = await last.read<{ items: { id: string }[] }>('/approvals?order=oldest&limit=50');
    if (found?.items.length === 0) return;
    for (const { id } of found?.items ?? [])
      if ((await decide(last, id, 'approved')) === undefined) await decide(last, id, 'rejected');
  }
}

/** By which each service is served at the end. */
async function liveOnes({ installation }: Ground): Promise<string[]> {
  const { kysely } = await installation.database();
  const rows = await kysely.selectFrom('environment_service').select('live_deployment_id as id').execute();
  return rows.flatMap(({ id }) => id ?? []);
}
