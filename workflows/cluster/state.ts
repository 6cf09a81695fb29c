import { type ClusterEventKind, type ClusterState, clusterState } from '../../domain/clusters/clusters.ts';
import type { MessageOf, Messages } from '../mailbox.ts';
import { fields, nullable, text } from '../parse.ts';
import type { ClusterInput, ClusterKnowledge } from './descriptor.ts';

/** When it happened, by PostgreSQL's clock, beside whatever else people may want to know of it. */
const happened = fields({}, { at: text });

export const clusterMessages = {
  enrolled: happened,
  connected: happened,
  lost: happened,
  back: happened,
  revoked: happened,
  /** Only transitions: `null` when the cluster is healthy again. */
  trouble: fields({ text: nullable(text) }),
  /** `ended` says which update is over, so that a late word of it does not end the next one. */
  updating: fields({ updateId: nullable(text) }, { ended: text }),
  /** The cluster is to be deleted, or its organization is purged: the row says so already, or is gone. */
  deleting: fields({}),
} satisfies Messages;
export type ClusterMessage = MessageOf<typeof clusterMessages>;

/** The answer to the query `view`. */
export interface ClusterView extends Omit<ClusterKnowledge, 'heard'> {
  state: ClusterState;
}

/** The effect of a message: the new state, and the events that people read. */
export interface Heard {
  known: ClusterKnowledge;
  event?: ClusterEventKind;
}

const remembered = 200;

export function begin(input: ClusterInput): ClusterKnowledge {
  const nothing = { contact: 'never', trouble: null, updateId: null, deleting: false, revision: 0, heard: [] } as const;
  return input.known ?? { ...nothing, heard: [] };
}

/** One that was heard already, or that comes after the end was decided, changes nothing. */
export function hear(known: ClusterKnowledge, { message, told }: ClusterMessage): Heard {
  if (known.heard.includes(told.id) || known.deleting) return { known };
  const heard = [...known.heard, told.id].slice(-remembered);
  const next = { ...known, heard, revision: known.revision + 1 };
  switch (message) {
    case 'enrolled':
      return { known: { ...next, contact: 'never' }, event: 'agent.enrolled' };
    case 'connected':
      return { known: { ...next, contact: 'connected' }, event: 'agent.connected' };
    case 'back':
      return { known: { ...next, contact: 'connected' }, event: 'agent.reconnected' };
    case 'lost':
      return { known: { ...next, contact: 'lost' }, event: 'agent.lost' };
    case 'revoked':
      return { known: { ...next, contact: 'never', trouble: null }, event: 'agent.revoked' };
    case 'trouble':
      return troubled(known, { ...next, trouble: told.body.text });
    case 'updating':
      return { known: { ...next, updateId: updateAfter(known.updateId, told.body) } };
    case 'deleting':
      return { known: { ...next, deleting: true } };
  }
}

/** Another reason is no other event. */
function troubled(before: ClusterKnowledge, known: ClusterKnowledge): Heard {
  if (before.trouble === null && known.trouble !== null) return { known, event: 'cluster.degraded' };
  if (before.trouble !== null && known.trouble === null) return { known, event: 'cluster.recovered' };
  return { known };
}

function updateAfter(
  current: string | null,
  { updateId, ended }: { updateId: string | null; ended?: string | undefined },
): string | null {
  if (updateId !== null) return updateId;
  return ended === undefined || ended === current ? null : current;
}

/** The input of a run that continues from here; `shown`: the state in the row. */
export function inputFrom({ clusterId, organizationId }: ClusterInput, known: ClusterKnowledge, shown: ClusterState) {
  return { clusterId, organizationId, state: shown, revision: known.revision, known } satisfies ClusterInput;
}

export function stateOf({ contact, trouble, updateId, deleting }: ClusterKnowledge): ClusterState {
  return clusterState({ contact, trouble: trouble ?? undefined, updating: updateId !== null, deleting });
}

export function viewOf(known: ClusterKnowledge): ClusterView {
  const { heard: _, ...rest } = known;
  return { ...rest, state: stateOf(known) };
}
