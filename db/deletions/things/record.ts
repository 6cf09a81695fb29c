import { shownKind, type ThingKind } from '../../../domain/deletions/kinds.ts';
import type { Effect } from '../../engine/effect.ts';
import type { JsonObject } from '../../postgres/json.ts';

interface Subject {
  deletionId: string;
  organizationId: string;
  projectId: string;
  kind: ThingKind;
  id: string;
  name: string;
}

/** The deeds that a deletion comes to. Each kind records its own `deleted`, with what that has ended. */
export type DeletionDeed = 'restored' | 'purge_requested' | 'purged' | 'deletion_failed';

/** Records a deed about a deletion, and hints at it and at its thing. */
export function recordDeletion(
  effect: Effect,
  deed: DeletionDeed,
  { deletionId, organizationId, projectId, kind, id, name }: Subject,
  { details = {}, started = false }: { details?: JsonObject; started?: boolean } = {},
): void {
  // Databases are services, as far as the log is concerned.
  const shown = shownKind(kind);
  const subject = shown === 'database' ? 'service' : shown;
  effect.audit({
    action: `${subject}.${deed}`,
    organizationId,
    subjectKind: subject,
    subjectId: id,
    subjectName: name,
    details: { ...details, deletionId },
    ...(started ? { workflowId: deletionId } : {}),
  });
  effect.change({ organizationId, kind: 'deletion', id: deletionId, projectId });
  if (deed !== 'restored') return;
  if (subject !== 'volume') effect.change({ organizationId, kind: subject, id, projectId });
  // Places without its project's pages show it, too.
  effect.change({ organizationId, kind: 'project', id: projectId, projectId });
}
