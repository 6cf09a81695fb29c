import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { installSdkOnce } from '../../test/actors/actors.ts';
import { bundleCache } from '../../test/ground/bundle-cache.ts';
import { workflowBundle } from '../host/bundle.ts';
import { exportedRuns } from './exported-runs.ts';
import { Replayer, type RunVerdict } from './replayer.ts';

/** With the code of today: one for all of them, since each compiles its bundle. */
const open: Replayer[] = [];

await installSdkOnce();
const { code } = await workflowBundle({ cache: bundleCache });
const today = new Replayer({ code });
open.push(today);
afterAll(async () => {
  for (const replayer of open) await replayer.close();
});

const historyText = (name: string) => readFile(new URL(`../../test/histories/${name}.json`, import.meta.url), 'utf8');
/** With the code of today, or a change of it; the text of the history can be changed, too. */
async function verdictOf(
  name: string,
  { from = '', to = '', edit = (text: string) => text } = {},
): Promise<RunVerdict> {
  const changed = from === '' ? code : code.replace(from, to);
  if (from !== '') expect(changed).not.toBe(code);
  const replayer = from === '' ? today : new Replayer({ code: changed });
  if (from !== '') open.push(replayer);
  const [run] = await exportedRuns(edit(await historyText(name)));
  if (run === undefined) throw new Error('There is no run.');
  return await replayer.replay(run);
}

test('a history replays with the code that wrote it', async () => {
  expect(await verdictOf('deployment-live')).toEqual({ verdict: 'replays', events: 79 });
  expect(await verdictOf('deployment-open-held')).toMatchObject({ verdict: 'replays' });
});

const module = '(0,_state_ts__WEBPACK_IMPORTED_MODULE_6__.';
const changes: [string, { from: string; to: string; event: number; type: string; code: string }][] = [
  [
    'another activity is requested',
    {
      from: 'await showDeployment(',
      to: 'await finishDeployment(',
      ...{ event: 25, type: 'ActivityTaskScheduled', code: 'it requested the activity finishDeployment' },
    },
  ],
  [
    'it ends before it has done anything',
    {
      from: "while(actor.state === 'pending')await waitForTurn(frame);",
      to: 'return "cancelled";',
      ...{ event: 13, type: 'ActivityTaskScheduled', code: 'it ended' },
    },
  ],
  [
    'the code throws',
    {
      from: `const step = ${module}nextStep)(actor);`,
      to: `if (actor.told) throw new TypeError("broken here"); const step = ${module}nextStep)(actor);`,
      ...{ event: 24, type: 'TimerCanceled', code: 'it failed: broken here' },
    },
  ],
  [
    'a patch is asked for no longer',
    {
      from: "patched)('actor-frame')",
      to: "patched)('other-frame')",
      ...{ event: 5, type: 'MarkerRecorded', code: 'it did not ask for the patch actor-frame' },
    },
  ],
];

test.each(changes)(
  'a changed workflow diverges at the right event: %s',
  async (_, { event, type, code: did, ...change }) => {
    const verdict = await verdictOf('deployment-live', change);
    expect(verdict).toMatchObject({ verdict: 'diverges', events: 79, divergence: { event, type, code: did } });
  },
);

test('what is sealed or missing is said with its event, and is no success; what the code only wrote may be sealed', async () => {
  const plain = '"encoding": "anNvbi9wbGFpbg=="';
  const sealed = `"encoding": "${Buffer.from('binary/ballast-encrypted').toString('base64')}"`;
  const whole = await verdictOf('deployment-live', { edit: (text) => text.replace(plain, sealed) });
  expect(whole).toEqual({ verdict: 'unreadable', events: 79, why: expect.stringContaining('event 1 holds') });
  const beyond = (text: string, after: string) => {
    const at = text.indexOf(after);
    return text.slice(0, at) + text.slice(at).replace(plain, sealed);
  };
  const result = { edit: (text: string) => beyond(text, 'activityTaskCompletedEventAttributes') };
  expect(await verdictOf('deployment-live', result)).toMatchObject({
    verdict: 'unreadable',
    why: expect.stringContaining('event 9 holds'),
  });
  const input = { edit: (text: string) => beyond(text, 'activityTaskScheduledEventAttributes') };
  expect(await verdictOf('deployment-live', input)).toMatchObject({ verdict: 'replays' });
  const gap = (text: string) => {
    const history = JSON.parse(text);
    history.events.splice(20, 1);
    return JSON.stringify(history);
  };
  expect(await verdictOf('deployment-live', { edit: gap })).toMatchObject({
    verdict: 'unreadable',
    why: expect.stringContaining('event 21 is missing'),
  });
});

test('one replayer replays many, also after one that diverged', async () => {
  const [run] = await exportedRuns(await historyText('deployment-live'));
  const [other] = await exportedRuns((await historyText('deployment-live')).replaceAll('"claimActor"', '"other"'));
  const [third] = await exportedRuns(await historyText('cluster-deleted'));
  const verdicts: string[] = [];
  for (const one of [run, other, third, run]) if (one !== undefined) verdicts.push((await today.replay(one)).verdict);
  expect(verdicts).toEqual(['replays', 'diverges', 'replays', 'replays']);
});
