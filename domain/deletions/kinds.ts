/** Parts of an organization that are deleted with a clock. A database is a service that was made of a template. */
export const thingKinds = ['service', 'database', 'volume', 'environment', 'project'] as const;
export type ThingKind = (typeof thingKinds)[number];

export const deletionKinds = ['organization', ...thingKinds] as const;
export type DeletionKind = (typeof deletionKinds)[number];

export function isThingKind(kind: string): kind is ThingKind {
  return thingKinds.some((one) => one === kind);
}
