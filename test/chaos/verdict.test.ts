import { expect, test } from 'vitest';
import { type Facts, noFacts, type Promised, type RequestFact, type Row } from './facts.ts';
import { type FaultClass, verdict } from './verdict.ts';

const at = '2030-01-01T00:00:00.000Z';
const place = { environmentId: 'e1', serviceId: 's1' };
let count = 0;

function request(promises: Promised[], more: Partial<RequestFact> = {}): RequestFact {
  count += 1;
  const key = `chaos-1-somebody-${count}`;
  return {
    ...{ key, client: 'somebody', kind: 'deploy', at, attempts: 1, status: 201, answers: [], promises },
    ...more,
  };
}

function row(more: Partial<Row> = {}): Row {
  return { kind: 'deployment', id: 'd1', state: 'live', final: true, message: '', runs: false, ...more };
}

const ofRow = (id = 'd1', states?: string[]): Promised => ({
  of: 'row',
  kind: 'deployment',
  id,
  ...(states && { states }),
});
const staged = (value: string): Promised => ({ of: 'value', key: 'KEY', value, ...place });
const decided: Promised = { of: 'decision', approvalId: 'a1', decision: 'approved' };
const suspended = (is: boolean, by?: string): Promised => ({
  of: 'suspension',
  suspended: is,
  ...place,
  ...(by && { by }),
});
const sighting = (state: string, revision: number, final = false) => ({
  ...{ at, kind: 'deployment', id: 'd1', state, revision, final },
});

const sound: Partial<Facts> = {
  requests: [
    request([ofRow()], { answers: [1, 2].map((attempt) => ({ attempt, subject: 'd1' })) }),
    request([ofRow('d2', ['cancelled'])]),
    request([decided]),
    request([staged('1')]),
    request([staged('2')]),
    request([suspended(true)]),
    request([suspended(false, 'd1')]),
    request([ofRow('nobody')], { status: 409 }),
  ],
  rows: [row({ changeSetId: 'c1', serviceId: 's1' }), row({ id: 'd2', state: 'cancelled' })],
  decisions: { a1: 'approved' },
  sightings: [sighting('pending', 0), sighting('preparing', 1), sighting('live', 7, true)],
  statements: [{ at, by: 'a deployment', text: 'Waits for one of 3 builds that are running on the cluster.' }],
  effects: [{ requestId: 'chaos-1-somebody-1.2', action: 'deployment.requested', subjectId: 'd1' }],
  commandRuns: [{ mark: 'one', times: 2, allowed: 2 }],
  checks: [{ at, deploymentId: 'd1', state: 'live', expected: 'one', answered: 'one' }],
  values: [{ ...place, key: 'KEY', value: '2' }],
  suspensions: [{ ...place, suspended: false }],
  running: [{ ...place, releases: ['r1'] }],
};

test('a run without a fault has no findings', () => {
  expect(verdict({ ...noFacts(), ...sound })).toEqual([]);
});

/** Each breaks one thing of the sound run. */
const breaches: [string, FaultClass, Partial<Facts>][] = [
  ['an accepted request has no row', 'lost', { requests: [request([ofRow('d9')])] }],
  ['a withdrawn deployment went live', 'lost', { requests: [request([ofRow('d1', ['cancelled'])])] }],
  ['a decision is not there', 'lost', { requests: [request([decided])], decisions: { a1: '' } }],
  ['another decision is there', 'lost', { requests: [request([decided])], decisions: { a1: 'rejected' } }],
  ['a staged value is not there', 'lost', { requests: [request([staged('3')])] }],
  ['an older value is back', 'lost', { requests: [request([staged('2')]), request([staged('3')])] }],
  ['a suspended service runs', 'lost', { requests: [request([suspended(true)])] }],
  [
    'a service is suspended after the deployment that resumed it is live',
    'lost',
    { requests: [request([suspended(false, 'd1')])], suspensions: [{ ...place, suspended: true }] },
  ],
  [
    'two attempts had an effect',
    'doubled',
    {
      effects: [1, 2].map((one) => ({
        requestId: `chaos-1-x-1.${one}`,
        action: 'deployment.requested',
        subjectId: 'd',
      })),
    },
  ],
  [
    'one key was answered with two things',
    'doubled',
    { requests: [request([], { answers: ['d1', 'd2'].map((subject, attempt) => ({ attempt, subject })) })] },
  ],
  [
    'a change set deployed a service twice',
    'doubled',
    { requests: [], rows: ['d1', 'd2'].map((id) => row({ id, changeSetId: 'c1', serviceId: 's1' })) },
  ],
  ['a release command ran twice', 'doubled', { commandRuns: [{ mark: 'one', times: 2, allowed: 1 }] }],
  ['a process belongs to nothing', 'orphan', { leftovers: ['A process of i1 belongs to no instance.'] }],
  ['a workflow runs for a final row', 'orphan', { requests: [], rows: [row({ runs: true })] }],
  ['a revision fell', 'false statement', { sightings: [sighting('checking', 4), sighting('checking', 3)] }],
  [
    'a final state was left',
    'false statement',
    { sightings: [sighting('failed', 4, true), sighting('live', 5, true)] },
  ],
  [
    'an address does not answer as the live release',
    'false statement',
    { checks: [{ at, deploymentId: 'd1', state: 'live', expected: 'one', answered: '502' }] },
  ],
  [
    'a failed release serves',
    'false statement',
    { checks: [{ at, deploymentId: 'd3', state: 'failed', expected: 'not two', answered: 'two' }] },
  ],
  [
    'a kill is blamed on the code',
    'false statement',
    { statements: [{ at, by: 'why', text: 'The workflow code keeps failing; see its history.' }] },
  ],
  [
    'none builds are waited for',
    'false statement',
    { statements: [{ at, by: 'the build b1', text: 'Waits for one of 0 builds that are running on the cluster.' }] },
  ],
  ['a stage is open', 'false statement', { accounts: [{ deploymentId: 'd1', fault: 'check is open' }] }],
  ['the stream told of nothing', 'false statement', { strayHints: [{ kind: 'deployment', id: 'd9' }] }],
  ['two releases run', 'two live', { running: [{ ...place, releases: ['r1', 'r2'] }] }],
  ['a row is not final', 'stuck', { requests: [], rows: [row({ state: 'checking', final: false })] }],
  ['a message is not delivered', 'stuck', { underWay: ['deployment/d1 was not told cancel'] }],
];

test.each(breaches)('%s: %s, once', (_, is, broken) => {
  expect(verdict({ ...noFacts(), ...sound, ...broken }).map((one) => one.is)).toEqual([is]);
});

test('a later request that nobody answered may have been carried out or not', () => {
  const requests = [request([staged('1')]), { ...request([staged('2')]), status: undefined } as never];
  for (const value of ['1', '2', '3']) {
    const found = verdict({ ...noFacts(), requests, values: [{ ...place, key: 'KEY', value }] });
    expect(found.length, value).toBe(value === '3' ? 1 : 0);
  }
});

test('a resumption that was cancelled leaves the service suspended, and that is no fault', () => {
  const requests = [request([suspended(true)]), request([suspended(false, 'd2')])];
  const rows = [row({ id: 'd2', state: 'cancelled' })];
  expect(verdict({ ...noFacts(), requests, rows, suspensions: [{ ...place, suspended: true }] })).toEqual([]);
});
