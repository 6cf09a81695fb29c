import type { Member } from './member-actions.ts';

/** Texts of a member in which words are sought. */
export function memberTexts({ name, email, teams }: Member): string[] {
  return [name, email, ...teams.map((team) => team.name)];
}
