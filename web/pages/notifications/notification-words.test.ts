import { expect, test } from 'vitest';
import { kindOf, linkOf, type Notification } from './notification-words.tsx';
import { readAmong } from './use-read.ts';

const notification = (more: Partial<Notification> = {}): Notification => ({
  id: 'n',
  kind: 'warning',
  title: 'Cluster Oregon lost contact with its agent',
  body: '',
  link: { type: 'cluster', clusterId: 'c' },
  createdAt: '2026-11-22T12:00:00.000Z',
  ...more,
});

test('an entry leads to the page of its subject, also where it names others', () => {
  const of = (link: Notification['link']) => linkOf(notification({ link }), 'acme');
  expect(of({ type: 'approval', approvalId: 'a', serviceId: 's' })).toMatchObject({
    to: '/$organization/approvals/$approval',
    params: { organization: 'acme', approval: 'a' },
  });
  expect(of({ type: 'deployment', deploymentId: 'd', projectId: 'p' })).toMatchObject({
    to: '/$organization/deployments/$deployment',
    params: { organization: 'acme', deployment: 'd' },
  });
  expect(of({ type: 'build', buildId: 'b', serviceId: 's' })).toMatchObject({
    to: '/$organization/builds/$build',
    params: { organization: 'acme', build: 'b' },
  });
  expect(of({ type: 'cluster', clusterId: 'c' })).toMatchObject({
    to: '/$organization/clusters/$cluster',
    params: { organization: 'acme', cluster: 'c' },
  });
  expect(of({ type: 'cluster', clusterId: 'c', tab: 'agent' })).toMatchObject({
    to: '/$organization/clusters/$cluster/agent',
  });
  // A tab of a newer control plane.
  expect(of({ type: 'cluster', clusterId: 'c', tab: 'else' })).toMatchObject({
    to: '/$organization/clusters/$cluster',
  });
});

test('what a newer control plane tells has its own word and no link', () => {
  const newer = notification({ kind: 'volume' as never, link: { type: 'volume' as never, clusterId: 'c' } });
  expect(kindOf(newer)).toMatchObject({ word: 'volume' });
  expect(linkOf(newer, 'acme')).toBeUndefined();
});

test('marking as read keeps the time of what was read before', () => {
  const readAt = '2026-11-22T13:00:00.000Z';
  const items = [notification({ id: 'old', readAt }), notification({ id: 'one' }), notification({ id: 'two' })];
  const read = (which: Parameters<typeof readAmong>[1]) => readAmong(items, which).map((item) => item.readAt);
  expect(read({ ids: ['old', 'one'] })).toEqual([readAt, expect.any(String), undefined]);
  expect(read({ all: true })).toEqual([readAt, expect.any(String), expect.any(String)]);
});
