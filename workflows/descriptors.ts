import type { ActorDescriptor } from '../domain/actors/actor-descriptor.ts';
import { parseActorId } from '../domain/actors/actors.ts';
import { agentUpdateDescriptor } from './agent-update/descriptor.ts';
import { buildDescriptor } from './build/descriptor.ts';
import { changeSetDescriptor } from './change-set/descriptor.ts';
import { clusterDescriptor } from './cluster/descriptor.ts';
import { deletionDescriptor } from './deletion/descriptor.ts';
import { deploymentDescriptor } from './deployment/descriptor.ts';
import { incidentDescriptor } from './incident/descriptor.ts';
import { notificationDeliveryDescriptor } from './notification-delivery/descriptor.ts';
import { volumeBackupDescriptor } from './volume-backup/descriptor.ts';
import { volumeRestoreDescriptor } from './volume-restore/descriptor.ts';

/** The actors there are: the one list that names all of them. */
const all = {
  deletion: deletionDescriptor,
  cluster: clusterDescriptor,
  'agent-update': agentUpdateDescriptor,
  'change-set': changeSetDescriptor,
  deployment: deploymentDescriptor,
  build: buildDescriptor,
  'volume-backup': volumeBackupDescriptor,
  'volume-restore': volumeRestoreDescriptor,
  'notification-delivery': notificationDeliveryDescriptor,
  incident: incidentDescriptor,
} as const;

export type ActorKind = keyof typeof all;
/** The table of one kind, as its literal name. */
export type TableOf<Kind extends ActorKind> = (typeof all)[Kind]['table'];

/** By kind. */
export const descriptors: Readonly<Record<ActorKind, ActorDescriptor>> = all;
export const actorKinds = Object.keys(all) as ActorKind[];

export function tableOf<Kind extends ActorKind>(kind: Kind): TableOf<Kind> {
  return all[kind].table;
}

export function isActorKind(kind: string): kind is ActorKind {
  return Object.hasOwn(all, kind);
}

/** The kind and the row of an actor of this version. */
export function actorOf(id: string): { kind: ActorKind; rowId: string } | undefined {
  const actor = parseActorId(id);
  return actor !== undefined && isActorKind(actor.kind) ? { kind: actor.kind, rowId: actor.rowId } : undefined;
}
