import type { Answers } from '../../control-plane/session.ts';
import type { About } from './deed.ts';
import { knownDeeds } from './known-deeds.ts';

export type AuditRecord = Answers['auditLog']['list']['items'][number];

/** A record as a sentence: "Ada Lovelace renamed the team Core to Platform". */
export function auditSentence(record: AuditRecord): string {
  return `${actorName(record.actor)} ${deedOf(record)}`;
}

/** The sentence without its actor. Unknown actions are shown under their API name. */
export function deedOf(record: AuditRecord): string {
  const about = aboutOf(record);
  // A log may hold actions of a newer control plane.
  return knownDeeds.get(record.action)?.done(about) ?? `did ${record.action} to ${about.name}`;
}

function aboutOf({ subject, details = {}, actor }: AuditRecord): About {
  return { name: subject.name ?? subject.id, details, itself: actor.id === subject.id };
}

/** Who did it, as a sentence begins. */
export function actorName(actor: AuditRecord['actor']): string {
  const { name } = actor;
  switch (kindOfActor(actor)) {
    case 'Person':
    case 'Command line':
      return name;
    case 'API token':
      return `The token ${name}`;
    case 'CI job':
      return `A CI job by the rule ${name.slice(ciJob.length)}`;
    case 'Agent':
      return `The ${name}`;
    case 'Control plane':
      return 'Ballast';
    case 'Nobody signed in':
      return 'Someone who was not signed in';
  }
}

const ciJob = 'ci: ';

/** The kind of actor. A person's name may look like anything, so only machines are told apart by name. */
export function kindOfActor({ kind, id, name }: AuditRecord['actor']) {
  if (kind === 'user') return 'Person';
  if (kind === 'token') return 'API token';
  if (kind === 'actor') return 'Control plane';
  if (name.startsWith(ciJob)) return 'CI job';
  if (id === 'agent' || id.startsWith('agent/')) return 'Agent';
  if (id === 'public') return 'Nobody signed in';
  return id === name ? 'Control plane' : 'Command line';
}
