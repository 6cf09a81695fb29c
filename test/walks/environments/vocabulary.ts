import type { NewItem } from '../../../db/change-sets/staging.ts';
import { noSource } from '../../../domain/services/settings.ts';

/** Services in the order in which they may refer to each other; `shared` stands before them and may refer to `db`. */
export const services = ['db', 'api', 'web'] as const;
export type Service = (typeof services)[number];
export type Scope = Service | 'shared';

/** By whom changes are staged. */
export const people = [
  { id: 'ada', name: 'Ada' },
  { id: 'bob', name: 'Bob' },
] as const;

/** A value's place in an environment: `api A`, `web replicas`, `shared R`. */
export type Slot = string;
export type Values = ReadonlyMap<Slot, string>;
/** Staged changes: undefined where something is unset. */
export type Changes = ReadonlyMap<Slot, string | undefined>;

/** The values that the walk gives to each place; there is no way from one of them back to itself. */
const vocabulary: Readonly<Record<Slot, readonly string[]>> = {
  'shared R': ['r0', 'r1', '${{db.A}}'],
  'shared S': ['s0', '${{R}}'],
  'db A': ['a0', 'a1', '${{B}}'],
  'db B': ['b0', 'b1'],
  'db K': ['k0', 'k1'],
  'api A': ['x0', '${{db.A}}', '${{shared.R}}'],
  'api B': ['y0', '${{db.HOST}}', '${{db.K}}'],
  'api K': ['l0', '${{db.K}}'],
  'web A': ['z0', '${{api.A}}', '${{shared.S}}'],
  'web B': ['w0', '${{api.B}}', 'http://${{api.HOST}}:${{api.PORT}}'],
};
const tags = [0, 1, 2].map((tag) => `registry.example.com/app:${tag}`);
const settings: Readonly<Record<string, readonly string[]>> = { replicas: ['1', '2', '3'], source: tags };

/** All places, most of them of variables. */
export const slots: readonly Slot[] = [
  ...Object.keys(vocabulary),
  ...services.flatMap((service) => Object.keys(settings).map((key) => `${service} ${key}`)),
];

export const scopeOf = (slot: Slot): Scope => slot.split(' ')[0] as Scope;
export const keyOf = (slot: Slot): string => slot.split(' ')[1] ?? '';
export const isVariable = (slot: Slot): boolean => !Object.hasOwn(settings, keyOf(slot));
/** Those whose values are sealed. */
export const isSecret = (slot: Slot): boolean => keyOf(slot) === 'K';

/** A value for a place, or for variables that it is unset. */
export function valueAt(slot: Slot, at: number): string | undefined {
  const values = vocabulary[slot] ?? settings[keyOf(slot)] ?? [];
  return values[at % (values.length + (isVariable(slot) ? 1 : 0))];
}

export interface Ids {
  serviceId: string;
  processId: string;
}

/** The change as it is staged. */
export function itemOf(slot: Slot, to: string | undefined, ids: Ids | undefined): NewItem {
  const serviceId = ids?.serviceId ?? null;
  const key = keyOf(slot);
  if (key === 'source') return { kind: 'service.set', serviceId, key, to: { ...noSource, imageRepository: to ?? '' } };
  if (key === 'replicas')
    return { kind: 'process.set', serviceId, processId: ids?.processId ?? '', key, to: Number(to) };
  if (to === undefined) return { kind: 'variable.unset', serviceId, key };
  return { kind: 'variable.set', serviceId, key, to, ...(isSecret(slot) ? { secret: true } : {}) };
}

/** The digest that a tag means, always the same. */
export const digestOf = (tag: string): string => `sha256:${tag.slice(-1).repeat(64)}`;

/** The image that a tag means when it is applied. */
export function imageOf(tag: string) {
  const image = { repository: 'registry.example.com/app', digest: digestOf(tag), own: false };
  return { image, imageRef: `${tag}@${image.digest}`, reference: tag, platforms: null };
}
