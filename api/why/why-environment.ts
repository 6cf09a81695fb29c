import { whyFacts } from '../../db/why/why-facts.ts';
import { operation } from '../engine/operation.ts';
import { environmentPath, theEnvironment } from '../environments/environment.ts';
import { whyAnswer, whySchema } from './why.ts';

export const whyEnvironment = operation({
  method: 'GET',
  url: '/api/v1/environments/{id}/why',
  summary: 'Tell what the deployments of an environment wait for or failed by, the worst first',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: environmentPath,
  result: whySchema,
  async handle({ caller, path, database }) {
    const { id: environmentId } = await caller.see(theEnvironment, path.id);
    return whyAnswer(await whyFacts(database.kysely, caller.organization.id, { environmentId }));
  },
});
