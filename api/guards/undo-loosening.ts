import { z } from 'zod';
import { isExchanged } from '../../db/approvals/deciders.ts';
import { undoLoosening as undo } from '../../db/guards/undo.ts';
import { Problem } from '../../domain/problems.ts';
import { operation } from '../engine/operation.ts';
import { looseningAnswer, looseningSchema, theLoosening } from './loosening.ts';

export const undoLoosening = operation({
  method: 'POST',
  url: '/api/v1/guard-loosenings/{id}/undo',
  summary: 'Undo the loosening of a guard of production',
  description:
    'Makes it again what it was before, if nobody has changed it since: `production` of an environment, `skipProductionApproval` of a service, a trusted issuer, the role of a member. `GET /attention` has the loosenings of the last seven days. By an admin, with a session or a token; a CI job does not.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'role-too-low', 'last-owner'],
  path: z.strictObject({ id: z.guid().toLowerCase() }),
  result: looseningSchema,
  async handle({ caller, path, effect }) {
    const loosening = await caller.see(theLoosening, path.id, effect.kysely);
    const { credential, organization } = caller;
    if (credential.kind === 'token' && (await isExchanged(effect.kysely, organization.id, credential.id))) {
      throw new Problem('role-too-low', 'Tokens of CI jobs change no guards of production: a person does.');
    }
    return looseningAnswer(await undo(effect, loosening, caller.role));
  },
});
