import type { ActorDescriptor } from './actor-descriptor.ts';

/** The column of an actor's row that holds the id of the thing that it belongs to. */
export function columnOf(belongsTo: string): string {
  return `${belongsTo}_id`;
}

/** The column whose id the hints about a row tell: of the thing that it belongs to if they are of its kind. */
export function hintColumn({ hint, belongsTo }: Pick<ActorDescriptor, 'hint' | 'belongsTo'>): string {
  return hint === belongsTo ? columnOf(belongsTo) : 'id';
}
