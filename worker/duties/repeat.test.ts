import { pino } from 'pino';
import { expect, test } from 'vitest';
import { repeat } from './repeat.ts';

function collected() {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  return { log, lines };
}

test('it never runs twice at once, goes on after failures, and says so once', async () => {
  const { log, lines } = collected();
  let runs = 0;
  let inside = 0;
  let enough = (): void => undefined;
  const ran = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const repeated = repeat({
    what: 'Task',
    milliseconds: 1,
    log,
    async task() {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
      runs += 1;
      if (runs === 6) enough();
      if (runs >= 2 && runs <= 4) throw new Error('away');
    },
  });
  await ran;
  await repeated.stop();
  expect(lines).toEqual(['Task: failed, will be tried again', 'Task: works again']);
});

test('it does not wait when it is wanted now, and stopping waits for the run that is under way', async () => {
  const { log } = collected();
  let runs = 0;
  let ended = false;
  let second = (): void => undefined;
  const wasRunAgain = new Promise<void>((resolve) => {
    second = resolve;
  });
  const repeated = repeat({
    what: 'Task',
    milliseconds: 3_600_000,
    log,
    async task(signal) {
      runs += 1;
      if (runs < 2) return;
      second();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended = true;
    },
  });
  repeated.now();
  await wasRunAgain;
  await repeated.stop();
  expect({ runs, ended }).toEqual({ runs: 2, ended: true });
});
