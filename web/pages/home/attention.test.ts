import { expect, test } from 'vitest';
import type { ListedCluster } from '../clusters/cluster-status.tsx';
import type { ClusterEvent } from '../events/event-words.ts';
import { attentionOf } from './attention.ts';

const known = { organization: 'acme', clusters: [], events: [], stuck: [], mayUpdate: true };

function cluster(id: string, about: Partial<ListedCluster>): ListedCluster {
  return { id, name: id, status: 'ready', message: '', local: false, agentVersion: '1.0.0', ...about } as ListedCluster;
}

function event(clusterId: string, kind: ClusterEvent['kind']): ClusterEvent {
  return { id: `${clusterId} ${kind}`, clusterId, kind, payload: null } as ClusterEvent;
}

test('what is broken comes first, and what could be done last', () => {
  const summary = { agentUpdateAvailable: true, nodesReady: 1, nodesTotal: 1, workloads: 0 };
  const clusters = [
    cluster('old', { summary }),
    cluster('new', { status: 'awaiting-agent' }),
    cluster('gone', { status: 'lost', summary, message: 'Last heard of at noon.' }),
    cluster('well', {}),
  ];
  const stuck = [
    { id: '1', title: 'Deletion of Acme', kind: 'deletion', name: 'Acme', blocker: 'Why.', message: '' } as never,
  ];
  expect(attentionOf({ ...known, clusters, stuck }).map(({ title, detail }) => [title, detail])).toEqual([
    ['gone lost contact', 'Last heard of at noon.'],
    ['new is waiting for its agent', 'Run the join command on its machine.'],
    ['Deletion of Acme is stuck', 'Why.'],
    ['The agent of old can be updated', 'It runs 1.0.0; workloads keep running during the update.'],
  ]);
  expect(attentionOf({ ...known, clusters: [cluster('old', { summary })], mayUpdate: false })).toEqual([]);
});

test('an update that came back is told until another one is tried', () => {
  const clusters = [cluster('a', {}), cluster('b', {})];
  const returned = [event('a', 'agent.connected'), event('a', 'agent.update.returned')];
  const titles = (events: ClusterEvent[]) => attentionOf({ ...known, clusters, events }).map(({ title }) => title);
  expect(titles([event('b', 'agent.update.started'), ...returned])).toEqual([
    'a: The agent rolled back to its previous release',
  ]);
  expect(titles([event('a', 'agent.update.succeeded'), ...returned])).toEqual([]);
  expect(titles([event('deleted', 'agent.update.failed')])).toEqual([]);
});
