import { Problem } from '../../domain/problems.ts';
import { type Dangling, nodeOf, type References } from '../../domain/references/graph.ts';
import type { Variable } from '../../domain/references/names.ts';

const meant = 'Write $${{ where the text itself is meant.';

/** Refuses a change after which references lead nowhere or in a circle that did not before: what was before is asked only then. */
export async function refuseBroken(
  before: () => Promise<References>,
  after: References,
  changed: readonly Variable[],
): Promise<void> {
  const broken = await newlyBroken(before, after);
  const own = new Set(changed.map(nodeOf));
  const written = broken.filter((one) => own.has(nodeOf(one)));
  if (written.length > 0)
    throw new Problem('conflict', `${listed(written)}. Set it first or together with this. ${meant}`);
  if (broken.length > 0) {
    throw new Problem(
      'conflict',
      `It is still referred to. ${listed(broken)}. Change these variables first, or together with this.`,
    );
  }
  if (changed.length > 0) refuseCircle(after, changed);
  else if (after.circle().length > 0 && (await before()).circle().length === 0) refuseCircle(after);
}

async function newlyBroken(before: () => Promise<References>, after: References): Promise<Dangling[]> {
  const broken = after.dangling();
  if (broken.length === 0) return [];
  const old = new Set((await before()).dangling().map(placeOf));
  return broken.filter((one) => !old.has(placeOf(one)));
}

/** Refuses references that lead nowhere or in a circle, whoever wrote them. */
export function refuseAllBroken(references: References): void {
  const broken = references.dangling();
  if (broken.length > 0)
    throw new Problem('conflict', `${listed(broken)}. Stage what is missing, or another value. ${meant}`);
  refuseCircle(references);
}

function refuseCircle(references: References, from?: readonly Variable[]): void {
  const circle = references.circle(from).map((one) => references.names.labelOf(one));
  if (circle.length === 0) return;
  const way = circle.length <= 12 ? circle : [...circle.slice(0, 6), '…', ...circle.slice(-5)];
  throw new Problem(
    'conflict',
    `The values lead in a circle: ${way.join(' → ')}. Give one of these variables a value without that reference.`,
  );
}

function placeOf(one: Dangling): string {
  return `${nodeOf(one)} ${one.reference}`;
}

function listed(broken: readonly Dangling[]): string {
  const named = broken.slice(0, 5).map(({ message }) => message);
  return `${named.join('; ')}${broken.length > named.length ? `; and ${broken.length - named.length} more` : ''}`;
}
