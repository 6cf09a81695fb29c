import type { DiffLine } from '../../../components/diff/diff.tsx';
import { asSentence } from '../../../components/forms/operation/values.ts';
import type { Answers } from '../../../control-plane/session.ts';
import { valueText } from '../staged/item-lines.ts';
import type { EnvironmentAnswer } from '../use-environment.ts';

type Compared = Answers['environments']['compare']['services'][number];
type Difference = Compared['differences'][number];

/** How many differences, or where alone it is. */
export function wordOf({ comparison, differences }: Compared, from: EnvironmentAnswer, to: EnvironmentAnswer): string {
  if (comparison === 'only-from') return `only in ${from.name}`;
  if (comparison === 'only-to') return `only in ${to.name}`;
  return countWord(differences.length);
}

export function countWord(count: number): string {
  return count === 1 ? '1 difference' : `${count} differences`;
}

/** A service in two environments, as lines of a diff. */
export function linesOf(service: Compared, from: EnvironmentAnswer, to: EnvironmentAnswer): DiffLine[] {
  const { comparison, fromRelease, toRelease, differences } = service;
  if (comparison !== 'different') {
    const [release, here, there] =
      comparison === 'only-from' ? [fromRelease, from.name, to.name] : [toRelease, to.name, from.name];
    const has = release === undefined ? 'Nothing of it is live' : `Release ${release} is live`;
    return [{ id: comparison, title: 'Service', note: `${has} in ${here}; ${there} does not have it.` }];
  }
  return differences.map((one) => lineOf(one, service));
}

export function lineOf(
  { kind, process, key, from, to, secret }: Difference,
  { fromRelease, toRelease }: Pick<Compared, 'fromRelease' | 'toRelease'>,
): DiffLine {
  const id = `${kind} ${process} ${key}`;
  if (kind === 'image') {
    return { id, title: 'Image', from: imageText(from, fromRelease), to: imageText(to, toRelease) };
  }
  const title = asSentence([kind === 'setting' ? '' : kind, process, key].filter((word) => word !== '').join(' '));
  if (secret) return { id, title, note: 'The secret values are not the same.' };
  const [before, after] = [valueText(from), valueText(to)];
  return { id, title, from: before ?? 'not set', to: after ?? 'not set' };
}

function imageText(json: string, release: number | undefined): string {
  const digest = valueText(json);
  return digest === undefined ? 'nothing live' : `release ${release ?? ''} ${digest.slice(0, 19)}…`;
}
