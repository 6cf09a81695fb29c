import { expect, test } from 'vitest';
import { Progress } from '../engine/progress.ts';
import type { Deployment } from './deployment.ts';
import { Stages } from './stages.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const deployment = (state: string, more: object) =>
  ({
    ...{ id: 'd', serviceName: 'web', releaseNumber: 2, blocker: '', message: '', state },
    stages: [
      { stage: 'prepare', startedAt: at(0), endedAt: at(1), detail: '' },
      { stage: 'release-command', startedAt: at(1), endedAt: at(3), detail: '' },
    ],
    ...more,
  }) as unknown as Deployment;

function told(one: Deployment, more: { isTTY?: boolean; again?: Deployment } = {}): string {
  let said = '';
  const progress = new Progress({
    ...(more.isTTY ? { isTTY: true, columns: 400 } : {}),
    write: (text) => {
      said += text;
      return true;
    },
  });
  const stages = new Stages(progress);
  stages.show(one);
  if (more.again !== undefined) stages.show(more.again);
  progress.end();
  return said;
}

test('the stage in which a deployment failed is not told as done', () => {
  const failed = deployment('failed', { blocker: 'release-command', message: 'It exited with code 3.' });
  expect(told(failed)).toBe('✓ web prepared (1.0 s)\n✗ web failed (release-command) It exited with code 3.\n');
  expect(told(deployment('live', {}))).toContain('✓ web ran its release command (2.0 s)\n');
});

test('what visitors of a live release get instead of it is told beneath', () => {
  const warnings = [{ kind: 'host', message: 'Django refuses the host.' }];
  expect(told(deployment('live', { stages: [], warnings }))).toBe(
    '✓ web is live: release 2\n! web: Django refuses the host.\n',
  );
});

test('what it waits for is told once, and not with each word of its progress', () => {
  const waiting = deployment('starting', { blocker: 'health', message: 'It listens on 3000.', stages: [] });
  const said = told(waiting, { isTTY: true, again: waiting });
  expect(said.split('It listens on 3000.')).toHaveLength(2);
  expect(said).toContain('web starting, 0 s');
});
