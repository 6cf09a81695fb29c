/** Parts of an organization that are deleted with a clock, as people know them. A database is a service that was made of a template. */
export const shownKinds = ['service', 'database', 'volume', 'environment', 'project'] as const;
export type ShownKind = (typeof shownKinds)[number];

/** `left-volume`: the data of a volume in one environment, where that mounts it no more or has moved away. To people, a volume. */
export const thingKinds = [...shownKinds, 'left-volume'] as const;
export type ThingKind = (typeof thingKinds)[number];

export const deletionKinds = ['organization', ...thingKinds] as const;
export type DeletionKind = (typeof deletionKinds)[number];

export function isThingKind(kind: string): kind is ThingKind {
  return thingKinds.some((one) => one === kind);
}

/** As people call it. */
export function shownKind(kind: ThingKind): ShownKind {
  return kind === 'left-volume' ? 'volume' : kind;
}
