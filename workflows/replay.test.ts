import { expect, test } from 'vitest';
import { historyFiles, replayed } from '../test/actors/replayed-histories.ts';

/** Those that have not ended are the beginnings of these. */
const files = historyFiles.filter((file) => !file.includes('-open-'));

const errors = await replayed(files);

test('there are histories of every way a deletion can end', () => {
  for (const end of ['restored', 'purged', 'purged-now', 'failed'])
    expect(historyFiles).toContain(`deletion-${end}.json`);
});

test('there are histories of every way a cluster and the update of its agent can go', () => {
  for (const way of ['deleted', 'goes-on', 'went-on']) expect(historyFiles).toContain(`cluster-${way}.json`);
  for (const end of ['succeeded', 'returned', 'failed', 'cancelled', 'refused']) {
    expect(historyFiles).toContain(`agent-update-${end}.json`);
  }
});

test('there are histories of every way a deployment and a change set can go', () => {
  const ends = [
    'live',
    'returned',
    'cancelled',
    'superseded',
    'queued',
    'approved',
    'rejected',
    'expired',
    'not-started',
  ];
  for (const end of [...ends, 'other-content', 'approved-as-it-expires'])
    expect(historyFiles).toContain(`deployment-${end}.json`);
  for (const end of ['applied', 'failed', 'nothing-to-run', 'approved', 'rejected', 'expired', 'open-held'])
    expect(historyFiles).toContain(`change-set-${end}.json`);
});

test('there are histories of every way a delivery and an incident can go', () => {
  for (const end of ['delivered', 'delivered-later', 'failed', 'dropped', 'open-retrying']) {
    expect(historyFiles).toContain(`notification-delivery-${end}.json`);
  }
  const ends = [
    'resolved',
    'resolved-meanwhile',
    'failed',
    'dropped',
    'open-triggering',
    'open-open',
    'open-resolving',
  ];
  for (const end of ends) expect(historyFiles).toContain(`incident-${end}.json`);
});

test.each(files)('%s still replays', (file) => {
  expect(errors.has(file)).toBe(true);
  expect(errors.get(file)).toBeUndefined();
});
