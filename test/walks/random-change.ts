import type { NewItem } from '../../db/change-sets/staging.ts';
import { noSource } from '../../domain/services/settings.ts';
import type { SeededPlace } from '../seeds/seed-place.ts';
import type { Change } from './wanted.ts';

/** By whom changes are staged. */
export const people = [
  { id: 'ada', name: 'Ada' },
  { id: 'bob', name: 'Bob' },
] as const;

const keys = ['A', 'B', 'replicas', 'command', 'source'] as const;
export type Key = (typeof keys)[number];

/** Another value of a service's variable or setting, as the model knows it and as it is staged. */
export function changeAtRandom(
  next: (below: number) => number,
  service: number,
  { serviceId, processId }: SeededPlace,
  given?: Key,
): { change: Change; item: NewItem } {
  const key = given ?? keys[next(keys.length)] ?? 'A';
  const n = next(3);
  const to = {
    A: `${n}`,
    B: `${n}`,
    replicas: `${n + 1}`,
    command: `run-${n}`,
    source: `registry.example.com/app:${n}`,
  }[key];
  const unset = key.length === 1 && next(4) === 0;
  const change = { service, key, to: unset ? undefined : to };
  const items: Partial<Record<Key, NewItem>> = {
    replicas: { kind: 'process.set', serviceId, processId, key, to: n + 1 },
    command: { kind: 'process.set', serviceId, processId, key, to: [`run-${n}`] },
    source: { kind: 'service.set', serviceId, key, to: { ...noSource, imageRepository: to } },
  };
  const variable: NewItem = unset
    ? { kind: 'variable.unset', serviceId, key }
    : { kind: 'variable.set', serviceId, key, to };
  return { change, item: items[key] ?? variable };
}

/** The image that a tag means when it is applied. */
export function imageOf(reference: string, digest: string) {
  const image = { repository: 'registry.example.com/app', digest, own: false };
  return { image, imageRef: `${reference}@${digest}`, reference, platforms: null };
}
