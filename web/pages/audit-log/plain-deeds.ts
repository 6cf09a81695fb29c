import type { OrganizationAction } from '../../../domain/audit-actions.ts';
import { subjects } from '../../../domain/subjects.ts';
import { type About, after, count, type Deed, list, said, why } from './deed.ts';

const verbs = ['created', 'renamed', 'deleted', 'restored', 'purged', 'revoked'] as const;
type Verb = (typeof verbs)[number];
type Plain<Kind extends string> = Readonly<Record<Extract<OrganizationAction, `${Kind}.${Verb}`>, Deed>>;

/** Words for those actions of a kind that need no other ones: "deleted the team Core" of `plainDeeds('team', 'the team')`. */
export function plainDeeds<Kind extends keyof typeof subjects>(kind: Kind, thing: string): Plain<Kind> {
  const { actions = [] }: { actions?: readonly string[] } = { actions: [], ...subjects[kind] };
  const words = verbs.filter((verb) => actions.includes(verb)).map((verb) => [`${kind}.${verb}`, deedOf(verb, thing)]);
  return Object.fromEntries(words);
}

/** Words that end with the name of the thing. */
export function plainDeed(label: string, words: string): Deed {
  return { label, done: ({ name }) => `${words} ${name}` };
}

function deedOf(verb: Verb, thing: string): Deed {
  const label = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  if (verb !== 'renamed') return plainDeed(label, `${verb} ${thing}`);
  return {
    label,
    done: ({ name, details }) => `renamed ${thing} ${said(details.from) || name}${after(' to ', details.to)}`,
  };
}

/** Words for the rest of what becomes of a thing that is deleted with a clock. */
export function clockDeeds<Kind extends 'service' | 'volume' | 'environment' | 'project'>(kind: Kind, thing: string) {
  const words = [
    [`${kind}.purge_requested`, plainDeed('Purge requested', `requested the purge of ${thing}`)],
    [
      `${kind}.deletion_failed`,
      { label: 'Purge failed', done: ({ name, details }: About) => `could not purge ${thing} ${name}${why(details)}` },
    ],
  ];
  return Object.fromEntries(words) as Readonly<Record<`${Kind}.${'purge_requested' | 'deletion_failed'}`, Deed>>;
}

/** Words for the change of a set of others, such as the members of a team, recorded as `added` and `removed`. */
export function setDeed(item: string, thing: string): Deed {
  const done = ({ name, details: { added, removed } }: About) => {
    const some = (value: unknown) => Array.isArray(value) && value.length > 0;
    const changes = list([
      some(added) && `added ${count(added, item)}`,
      some(removed) && `removed ${count(removed, item)}`,
    ]);
    return changes === '' ? `did not change the ${item}s of ${thing} ${name}` : `${changes} in ${thing} ${name}`;
  };
  return { label: `${item.charAt(0).toUpperCase()}${item.slice(1)}s changed`, done };
}

/** Words for a change of some fields. */
export function updatedDeed(thing: string): Deed {
  return plainDeed('Changed', `changed ${thing}`);
}
