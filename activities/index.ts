import { existsSync } from 'node:fs';
import type { Database } from '../db/postgres/database.ts';
import type { ReleaseKeys } from '../db/releases/compose.ts';
import type { ActorDescriptor } from '../domain/actors/actor-descriptor.ts';
import type { OutboundRules } from '../outbound/rules.ts';
import { descriptors } from '../workflows/descriptors.ts';
import { createActorActivities } from './actor.ts';
import type { Turns } from './attempts/turns.ts';
import { type ArchiveRun, createHistoryActivities } from './history.ts';

export interface ActivityParts {
  database: Database;
  keyring: ReleaseKeys;
  archive: ArchiveRun;
  /** Beneath it, each process that serves requests gets a host name. */
  ingressDomain: string;
  /** For messages to addresses that users give. */
  outbound: OutboundRules;
  /** Where events of paging channels go. */
  pagerUrl: string;
  /** Where people reach the console. */
  publicUrl: string;
  /** Who may attempt to reach a channel of notifications now. */
  turns: Turns;
}

type Activities = Record<string, unknown>;

/**
 * Everything that actors can do, under the names by which they call it: that of the frame, and for each kind that of the
 * file of its name.
 */
export async function createActivities(
  parts: ActivityParts,
  kinds: readonly Pick<ActorDescriptor, 'kind' | 'activities'>[] = Object.values(descriptors),
): Promise<Activities> {
  const ofKinds = await Promise.all(kinds.map((kind) => activitiesOf(kind, parts)));
  return Object.assign({ ...createActorActivities(parts), ...createHistoryActivities(parts) }, ...ofKinds);
}

async function activitiesOf(
  { kind, activities: named }: Pick<ActorDescriptor, 'kind' | 'activities'>,
  parts: ActivityParts,
): Promise<Activities> {
  const file = new URL(`${kind}.ts`, import.meta.url);
  const names = `workflows/${kind}/descriptor.ts names ${named.join(', ')}`;
  if (!existsSync(file)) throw new Error(`${names}, and there is no activities/${kind}.ts that makes them.`);
  const module: { createActivities?(parts: ActivityParts): Activities } = await import(file.href);
  if (module.createActivities === undefined) {
    throw new Error(`${names}, and activities/${kind}.ts exports no createActivities that makes them.`);
  }
  const made = module.createActivities(parts);
  if (Object.keys(made).toSorted().join() !== named.toSorted().join()) {
    throw new Error(
      `${names}, but activities/${kind}.ts makes ${Object.keys(made).join(', ')}: name the same in both.`,
    );
  }
  return made;
}
