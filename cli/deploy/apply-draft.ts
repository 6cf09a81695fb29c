import { othersItems, withOthers } from '../change-set/others.ts';
import type { ChangeSetView } from '../change-set/stage-changes.ts';
import { acceptingDowntime } from '../deployment/downtime.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import type { Environment } from '../place/chosen.ts';
import type { Here } from '../place/here.ts';
import type { Interrupt } from './interrupt.ts';

export const staysStaged = 'Nothing was deployed; your changes stay staged (`./ballast discard` discards them).';

/** What a command needs to know of the answer. */
export interface Applied {
  changeSet: { id: string };
  approval?: { id: string };
  /** Images that are made first. */
  builds: { id: string; serviceId: string }[];
}

interface Asked {
  message: string | undefined;
  /** Changes of others go along. */
  all: boolean;
  downtimeAccepted: boolean;
  /** Deployed as they are, although nothing of them is staged. */
  deployServiceIds?: readonly string[];
  interrupt: Interrupt;
}

/** Applies the draft as it was seen; undefined if somebody said no. A change that came meanwhile is seen first. */
export async function applyDraft(
  here: Here,
  environment: Environment,
  seen: ChangeSetView,
  { message, all, downtimeAccepted, deployServiceIds = [], interrupt }: Asked,
): Promise<Applied | undefined> {
  for (let view = seen; ; view = await draftOf(here.rest, environment)) {
    interrupt.leaves(staysStaged);
    if (!(await withOthers(othersItems(view, here), all, 'Deploy'))) return undefined;
    const { id, revision } = view.changeSet;
    interrupt.check();
    // From here on the answer alone tells, so that it is waited for.
    interrupt.leaves('It may have been deployed all the same: `./ballast status` tells.');
    try {
      return await acceptingDowntime(downtimeAccepted, (downtime) =>
        here.rest.call<Applied>('POST', `/change-sets/${id}/apply`, {
          expectedRevision: revision,
          source: 'cli',
          // Where it is held, the person who decides is shown the reason.
          ...(message === undefined ? {} : { message, reason: message }),
          ...(deployServiceIds.length === 0 ? {} : { deployServiceIds }),
          ...downtime,
        }),
      );
    } catch (error) {
      const changed = error instanceof RestRefusal && error.status === 409 && (await hasChanged(view));
      if (!changed) throw error;
    }
  }

  async function hasChanged({ changeSet }: ChangeSetView): Promise<boolean> {
    const now = await draftOf(here.rest, environment);
    return now.changeSet.id !== changeSet.id || now.changeSet.revision !== changeSet.revision;
  }
}

export async function draftOf(rest: Rest, environment: Environment): Promise<ChangeSetView> {
  return await rest.call<ChangeSetView>('GET', `/environments/${environment.id}/change-set`);
}
