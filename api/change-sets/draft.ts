import type { Kysely } from 'kysely';
import { z } from 'zod';
import { findChangeSet } from '../../db/change-sets/change-sets.ts';
import type { EnvironmentRef } from '../../db/change-sets/environment-ref.ts';
import { findItem } from '../../db/change-sets/items.ts';
import type { Staged } from '../../db/change-sets/staging.ts';
import { type ChangeSetFullView, changeSetView } from '../../db/change-sets/view.ts';
import type { EnvironmentView } from '../../db/environments/environments.ts';
import type { Tables } from '../../db/postgres/tables.ts';
import { resource } from '../engine/resource.ts';

export const theChangeSet = resource('change set', findChangeSet, ({ projectId }) => projectId);
export const theItem = resource('staged change', findItem, ({ projectId }) => projectId);
export const idPath = z.strictObject({ id: z.guid().toLowerCase() });

/** The environment as the draft's functions name it. */
export function placeOf({ organizationId, id }: EnvironmentView): EnvironmentRef {
  return { organizationId, environmentId: id };
}

/** The draft of an environment that was just seen. `staged`: as who has just staged in it knows already. */
export async function draftOf(
  kysely: Kysely<Tables>,
  environment: EnvironmentView,
  staged?: Staged,
): Promise<ChangeSetFullView> {
  const view = await changeSetView(kysely, placeOf(environment), staged);
  if (view === undefined) throw new Error(`The environment ${environment.id} has no draft.`);
  return view;
}
