import { buildAwaitsApproval } from '../../../domain/notifications/messages/build-awaits-approval.ts';
import type { Effect } from '../../engine/effect.ts';
import { notify } from '../../notifications/notify.ts';
import type { NewBuild } from '../new-build.ts';
import { isAwaiting, seenBy } from '../variables/awaiting-approval.ts';

/** Tells those who may approve a build which was just requested that it awaits them: admins and owners, but not who requested it. */
export async function askForApproval(
  effect: Effect,
  build: NewBuild & { id: string; number: number; environment: string; service: string },
): Promise<void> {
  if (!(await isAwaiting(effect, build))) return;
  const { id, organizationId, source, actorUserId } = build;
  const { author } = effect;
  await notify(effect, {
    organizationId,
    occasion: `build ${id} awaits approval`,
    message: buildAwaitsApproval({
      ...build,
      ...{ buildId: id, requestedBy: author.name, variables: await seenBy(effect, build) },
      commit: source.kind === 'upload' ? '' : `${source.commit.slice(0, 12)} of ${source.repository || source.url}`,
    }),
    to: { admins: true, except: actorUserId === undefined ? author : { kind: 'user', id: actorUserId } },
    channels: { chat: true },
  });
}
