import type { Kysely } from 'kysely';
import { Problem } from '../../domain/problems.ts';
import { frozen, valuesOf } from '../../domain/references/frozen.ts';
import { canonical } from '../../domain/releases/canonical.ts';
import type { ReleaseContent } from '../../domain/services/settings.ts';
import { appliedSettings, appliedVariables } from '../change-sets/applied.ts';
import type { EnvironmentRef } from '../change-sets/environment-ref.ts';
import type { Keyring } from '../keys/keys.ts';
import type { Tables } from '../postgres/tables.ts';
import { referencesWith } from './referring.ts';
import { frozenFor, scopesFor } from './values.ts';

interface Release extends EnvironmentRef {
  serviceId: string;
  content: ReleaseContent;
  /** As they are sealed with it. */
  secrets: Readonly<Record<string, string>>;
}

/** Whether the variables of a release, written as they are applied now, lead to other values than it was made of. */
export async function isOutgrown(
  kysely: Kysely<Tables>,
  keyring: Pick<Keyring, 'decryptSecret'>,
  { serviceId, content, secrets, ...place }: Release,
): Promise<boolean> {
  if (content.references === undefined) return false;
  const [references] = await referencesWith(kysely, place, {
    settings: await appliedSettings(kysely, place),
    items: [],
  });
  // References that lead nowhere, or in a circle, are refused by name when somebody applies.
  if (references.dangling().length > 0 || references.circle().length > 0) return false;
  const values = await appliedVariables(kysely, keyring, place, scopesFor(references, [serviceId]));
  try {
    const { variables = new Map(), reached = [] } = frozenFor(references, values, [serviceId]).get(serviceId) ?? {};
    const { secrets: sealed, ...now } = frozen(variables, reached);
    return textOf(now, sealed) !== textOf(content, secrets);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function textOf(content: Pick<ReleaseContent, 'variables' | 'references'>, sealed: Readonly<Record<string, string>>) {
  const { variables, secrets, late } = valuesOf(content, sealed);
  return canonical({ variables, secrets, late: Object.fromEntries(late), reached: content.references?.reached ?? {} });
}
