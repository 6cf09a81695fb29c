import { releaseText } from '../../../domain/clusters/clusters.ts';
import type { Tone } from '../../components/style.ts';
import type { Answers } from '../../control-plane/session.ts';
import { sizeText } from '../services/processes/volume-size.ts';

export type ClusterEvent = Answers['clusters']['events']['items'][number];

/** An event as text for people; its instants are for `<WithTimes>`. */
export interface EventWords {
  title: string;
  detail: string;
  tone: Tone;
}

type Payload = (name: string) => string;

const words: Record<ClusterEvent['kind'], (payload: Payload) => EventWords> = {
  'agent.enrolled': (payload) => ({
    title: payload('replaced') === 'true' ? 'An agent enrolled and replaced the previous one' : 'An agent enrolled',
    detail: sentences(on('On the machine', payload('hostname')), on('Version', payload('version'))),
    tone: 'neutral',
  }),
  'agent.connected': (payload) => ({ title: 'The agent connected', detail: runs(payload), tone: 'good' }),
  'agent.lost': (payload) => ({
    title: 'Lost contact with the agent',
    detail: sentences(on('Last heartbeat at', payload('lastHeardOf'))),
    tone: 'fault',
  }),
  'agent.reconnected': (payload) => ({ title: 'The agent reconnected', detail: runs(payload), tone: 'good' }),
  'agent.superseded': () => ({
    title: 'An older copy of the agent was refused',
    detail: 'A newer agent has replaced it, and it has stopped.',
    tone: 'attention',
  }),
  'agent.revoked': () => ({
    title: 'The agent was revoked',
    detail: 'It is refused, and the cluster waits for another one.',
    tone: 'attention',
  }),
  'agent.update.started': (payload) => ({
    title: 'An agent update started',
    detail: way(payload),
    tone: 'live',
  }),
  'agent.update.succeeded': (payload) => ({ title: 'The agent was updated', detail: way(payload), tone: 'good' }),
  'agent.update.returned': (payload) => ({
    title: 'The agent rolled back to its previous release',
    detail: sentences(way(payload), payload('message')),
    tone: 'attention',
  }),
  'agent.update.failed': (payload) => ({
    title: 'The update of the agent failed',
    detail: sentences(way(payload), payload('message')),
    tone: 'fault',
  }),
  'cluster.degraded': (payload) => ({
    title: 'Degraded',
    detail: payload('text'),
    tone: 'attention',
  }),
  'cluster.recovered': () => ({ title: 'Healthy again', detail: '', tone: 'good' }),
  'workload.applied': (payload) => ({ title: `${named(payload)} was applied`, detail: '', tone: 'good' }),
  'workload.removed': (payload) => ({ title: `${named(payload)} was removed`, detail: '', tone: 'neutral' }),
  'workload.failed': (payload) => ({
    title: `${named(payload)} could not be applied`,
    detail: payload('error'),
    tone: 'fault',
  }),
  'instance.crash_loop': (payload) => ({
    title: `${named(payload)}/${payload('process')} is in a crash loop`,
    detail: sentences(
      on('Its instance', payload('instance')),
      on('It', `${payload('how')}, ${payload('restarts')} restarts`),
    ),
    tone: 'fault',
  }),
  'disk.pressure': (payload) => ({
    title: 'The disk is almost full',
    detail: `${sizeText(Number(payload('availableBytes')))} of ${sizeText(Number(payload('capacityBytes')))} are free. Unused images and old logs are deleted early.`,
    tone: 'attention',
  }),
  'disk.relieved': (payload) => ({
    title: 'The disk has room again',
    detail: `${sizeText(Number(payload('availableBytes')))} are free.`,
    tone: 'good',
  }),
  'workload.recovered': (payload) => ({ title: `${named(payload)} recovered`, detail: '', tone: 'good' }),
};

export function eventWords({ kind, payload }: Pick<ClusterEvent, 'kind' | 'payload'>): EventWords {
  // A newer control plane may send more kinds.
  const say = Object.hasOwn(words, kind) ? words[kind] : undefined;
  if (say === undefined) return { title: kind, detail: '', tone: 'neutral' };
  return say((name) => {
    const value = payload?.[name];
    return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? String(value) : '';
  });
}

function named(payload: Payload): string {
  return payload('name') || payload('key').replace(/^workload\//, '') || 'A workload';
}

function runs(payload: Payload): string {
  const release = payload('image') === '' ? payload('version') : releaseText(payload('image'));
  return sentences(on('It runs', release));
}

function way(payload: Payload): string {
  const [from, to] = [payload('fromImage'), payload('toImage')];
  return from === '' || to === '' ? '' : `From ${releaseText(from)} to ${releaseText(to)}.`;
}

function on(what: string, value: string): string {
  return value === '' ? '' : `${what} ${value}.`;
}

function sentences(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
