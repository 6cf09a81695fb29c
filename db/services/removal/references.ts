import { Problem } from '../../../domain/problems.ts';
import { shown } from '../../../domain/references/names.ts';
import type { ServiceView } from '../services.ts';
import type { DeletionImpact } from './impact.ts';

/** Every reason for which a service cannot be deleted yet: those who need it, and decisions that it shares with others. */
export function refuseReferenced({ name }: ServiceView, { dependents, references, heldWith }: DeletionImpact): void {
  if (references.length > 0) throw referredTo(name, references);
  if (dependents.length > 0) {
    const names = dependents.map((one) => {
      const where = one.environments.length === 0 ? '' : ` (in ${one.environments.join(', ')})`;
      return `"${one.name}"${where}`;
    });
    throw new Problem(
      'conflict',
      `"${name}" is needed by ${names.join(', ')}: take it out of their dependencies, and apply that, first.`,
    );
  }
  if (heldWith.length === 0) return;
  const held = heldWith.map(({ id, environmentName }) => `${id} (${environmentName})`);
  throw new Problem(
    'conflict',
    `Changes of "${name}" wait together with others for the approval ${held.join(', ')}: decide it first.`,
  );
}

function referredTo(name: string, references: DeletionImpact['references']): Problem {
  const ends = references.map(
    (one) => `${shown(one.variable)} refers to ${shown(one.refersTo)} (in ${one.environmentName})`,
  );
  const listed = ends.slice(0, 5).join('; ');
  const more = ends.length > 5 ? `; and ${ends.length - 5} more` : '';
  return new Problem(
    'conflict',
    `"${name}" is still referred to: ${listed}${more}. Change these variables, and apply that, first.`,
  );
}
