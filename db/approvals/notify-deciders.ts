import { decidersAmong } from '../../domain/approvals/who-decides.ts';
import { approvalRequested, type RequestedApproval } from '../../domain/notifications/messages/approval-requested.ts';
import { type BrokenGlass, glassBroken } from '../../domain/notifications/messages/glass-broken.ts';
import type { Author, Effect } from '../engine/effect.ts';
import { notify } from '../notifications/notify.ts';
import { recordAuthors } from './authors.ts';
import { deciders } from './deciders.ts';

interface Asked extends Omit<RequestedApproval, 'requestedBy'> {
  requestedBy: Pick<Author, 'kind' | 'id' | 'name'>;
  /** The person behind it, where it was requested by a token. */
  answerableId: string | undefined;
}

/** Records whose change an approval is that was just written, and tells those who may decide, except the requester. */
export async function askDeciders(
  effect: Effect,
  organizationId: string,
  { requestedBy, answerableId, ...asked }: Asked,
): Promise<void> {
  const authors = await recordAuthors(effect, organizationId, asked.approvalId);
  const among = decidersAmong({ authors, deciders: await deciders(effect.kysely, organizationId) });
  await notify(effect, {
    organizationId,
    occasion: `approval ${asked.approvalId} requested`,
    message: approvalRequested({ ...asked, requestedBy: requestedBy.name }),
    to: { admins: among, except: answerableId === undefined ? requestedBy : { kind: 'user', id: answerableId } },
    channels: { chat: true },
  });
}

/** Everybody who may decide, the one who broke the glass included: it must not pass unnoticed. */
export async function notifyOfBreakGlass(effect: Effect, organizationId: string, broken: BrokenGlass): Promise<void> {
  await notify(effect, {
    organizationId,
    occasion: `approval ${broken.approvalId} passed by break-glass`,
    message: glassBroken(broken),
    to: { admins: true },
    channels: { chat: true, alsoOf: 'failure' },
  });
}
