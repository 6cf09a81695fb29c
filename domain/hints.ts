import { type Subjects, subjects, type Visibility } from './subjects.ts';

/** Every kind of change that the change feed tells people of. */
export type HintKind = {
  [Kind in keyof Subjects]: Subjects[Kind] extends { told: Visibility } ? Kind : never;
}[keyof Subjects];

/** Kinds that never leave the process: they close streams and wake agents. */
export type InnerHintKind = 'credential.revoked' | 'credential.changed' | 'credential.organization' | 'agent.work';

/** Who is told of each. */
export const hints = Object.fromEntries(
  Object.entries(subjects).flatMap(([kind, subject]) => ('told' in subject ? [[kind, subject.told]] : [])),
) as Readonly<Record<HintKind, Visibility>>;

/** Hints in the feed may come from another version, with kinds not known here. */
export function isHintKind(kind: string): kind is HintKind {
  return Object.hasOwn(hints, kind);
}
