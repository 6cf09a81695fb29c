import { expect, test } from 'vitest';
import { begin, type ClusterMessage, hear, stateOf } from './state.ts';

const input = { clusterId: 'c', organizationId: 'o' };
let last = 0;
const happened = (message: 'enrolled' | 'connected' | 'lost' | 'back' | 'revoked'): ClusterMessage => {
  last += 1;
  return { message, told: { id: String(last), body: {} } };
};
const trouble = (text: string | null): ClusterMessage => {
  last += 1;
  return { message: 'trouble', told: { id: String(last), body: { text } } };
};
const updating = (updateId: string | null, ended?: string): ClusterMessage => {
  last += 1;
  return {
    message: 'updating',
    told: { id: String(last), body: { updateId, ...(ended === undefined ? {} : { ended }) } },
  };
};

function story(...messages: ClusterMessage[]) {
  let known = begin(input);
  const states = [stateOf(known)];
  const events: (string | undefined)[] = [];
  for (const message of messages) {
    const heard = hear(known, message);
    events.push(heard.event);
    known = heard.known;
    states.push(stateOf(known));
  }
  return { known, states, events };
}

test('a cluster goes from state to state as its facts are heard, each one that may follow', () => {
  const { states, events } = story(
    happened('enrolled'),
    happened('connected'),
    trouble('No image.'),
    updating('u'),
    happened('lost'),
    happened('back'),
    updating(null, 'u'),
    trouble(null),
    happened('revoked'),
  );
  expect(states).toEqual([
    'awaiting-agent',
    'awaiting-agent',
    'ready',
    'degraded',
    'updating',
    'lost',
    'updating',
    'degraded',
    'ready',
    'awaiting-agent',
  ]);
  expect(events.filter((event) => event !== undefined)).toEqual([
    'agent.enrolled',
    'agent.connected',
    'cluster.degraded',
    'agent.lost',
    'agent.reconnected',
    'cluster.recovered',
    'agent.revoked',
  ]);
});

test('a message that comes twice is heard once, and another reason is no other event', () => {
  const connected = happened('connected');
  const once = story(connected, connected);
  expect(once.known.revision).toBe(1);
  expect(story(trouble('a'), trouble('b')).events).toEqual(['cluster.degraded', undefined]);
});

test('the late end of one update does not end the next one', () => {
  expect(story(updating('one'), updating('two'), updating(null, 'one')).known.updateId).toBe('two');
  expect(story(updating('one'), updating(null, 'one')).known.updateId).toBeNull();
});

test('once it goes nothing else is heard, and what it remembers is bounded', () => {
  const { known } = story({ message: 'deleting', told: { id: 'd', body: {} } });
  expect(hear(known, happened('connected')).known).toBe(known);
  expect(story(...Array.from({ length: 300 }, () => happened('lost'))).known.heard).toHaveLength(200);
});
