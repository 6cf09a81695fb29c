import { z } from 'zod';
import { parseEnvTemplate } from '../../domain/env-template/parse.ts';
import { detectedBuildSchema } from '../builds/build.ts';
import { operation } from '../engine/operation.ts';
import { envTemplateKey } from '../env-template/env-template-key.ts';
import { detectCommit } from './detect-commit.ts';
import { branchBody, readBranch } from './read-branch.ts';

export const detectProject = operation({
  method: 'POST',
  url: '/api/v1/repository-config/detect-project',
  summary: 'Tell how a branch of a repository would be built and started',
  description:
    'Reads the newest commit as a build would and changes nothing. `envTemplate` is what its `.env.example` asks for.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  body: branchBody,
  ownEffect: true,
  result: z
    .object({
      commit: z.string(),
      message: z.string().describe('Why it cannot be built, and what to do; empty if it can.'),
      result: detectedBuildSchema,
      envTemplate: z.object({
        keys: z.array(envTemplateKey),
        reason: z.string().describe('`absent` where there is no template.'),
        message: z.string(),
        source: z.object({ commit: z.string(), path: z.string(), repository: z.string() }).optional(),
      }),
    })
    .meta({ id: 'DetectedProject' }),
  async handle({ once, ...asked }) {
    const { commit, repository, told } = await readBranch(asked, (tree) => detectCommit(tree, asked.body.context));
    const { detected, message, template } = told;
    const source = { commit, path: template?.path ?? '', repository };
    const absent = {
      keys: [],
      reason: 'absent',
      message: 'The repository has no template of variables such as .env.example.',
    };
    const envTemplate =
      template === undefined ? absent : { keys: parseEnvTemplate(template.text), reason: '', message: '', source };
    return await once(async () => ({ commit, message, result: detected, envTemplate }));
  },
});
