import { expect, test } from 'vitest';
import { explained } from './build-errors.ts';
import { BuildRefused } from './control.ts';

test('an address that a build did not get is told as a sentence, and among the lines of a command as the log has it', () => {
  const network = ['unreachable: The host registry.example.com has no address; check its name.'];
  const told = (name: string, error: string) =>
    explained(new BuildRefused(error), { name, error, lines: ['npm error'] }, new Set(), network);
  expect(String(told('[internal] load metadata for registry.example.com/a:1', 'failed to do request'))).toMatch(
    /It said: failed to do request\. The host registry\.example\.com has no address; check its name\.$/,
  );
  expect(String(told('resolve', 'failed to do request'))).toMatch(/request\. The host registry\.example\.com has/);
  expect(told('RUN npm ci', 'exit code: 1')).toMatchObject({ lines: ['npm error', ...network] });
});
