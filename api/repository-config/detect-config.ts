import { z } from 'zod';
import { emptyEffective } from '../../domain/repository-config/effective.ts';
import { configNames, configPaths } from '../../domain/repository-config/for-service.ts';
import { type ReadConfig, readConfig } from '../../domain/repository-config/read-config.ts';
import { summaryOf } from '../../domain/repository-config/summary.ts';
import type { CommitTree } from '../../outbound/git/commit/commit-tree.ts';
import { operation } from '../engine/operation.ts';
import { configProblemSchema, effectiveAnswer, effectiveSchema } from './effective-schema.ts';
import { branchBody, readBranch } from './read-branch.ts';

export const detectConfig = operation({
  method: 'POST',
  url: '/api/v1/repository-config/detect',
  summary: 'Read the configuration file of a branch of a repository',
  description:
    'Reads `ballast.yaml` of the newest commit, of the folder `context` or else of the root, and changes nothing. A file with problems is an answer, too.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  body: branchBody,
  ownEffect: true,
  result: z
    .object({
      status: z.enum(['ok', 'absent', 'invalid']),
      source: z.enum(['git', '']).describe('Where the file was read; empty: there is none.'),
      commit: z.string(),
      path: z.string(),
      summary: z.string(),
      message: z.string().describe('What is to be known or done; empty: nothing.'),
      problems: z.array(configProblemSchema).describe('With one, nothing of the file is used.'),
      base: effectiveSchema.describe('The keys at its top, which each service of the repository has.'),
      services: z.array(z.string()).describe('The slugs of services that have sections of their own.'),
      databases: z.array(z.string()).describe('Templates of databases: listed, and not created.'),
    })
    .meta({ id: 'DetectedConfig' }),
  async handle({ once, ...asked }) {
    const { context } = asked.body;
    const { commit, told } = await readBranch(asked, (tree) => configOf(tree, context));
    const { status, path, problems, config } = told;
    const base = config?.base ?? emptyEffective;
    const absent = `The repository has no ${configNames[0]}${context === '' ? '' : `, neither in ${context} nor at its root`}: settings are those of the service.`;
    return await once(async () => ({
      ...{ status, commit, path, problems },
      source: status === 'absent' ? ('' as const) : ('git' as const),
      summary: {
        absent,
        invalid: 'The file has problems: nothing of it is used, and builds fail.',
        ok: summaryOf(base),
      }[status],
      message: told.message,
      base: effectiveAnswer(status === 'ok' ? base : emptyEffective),
      services: config?.services.map(({ name }) => name) ?? [],
      databases: config?.databases ?? [],
    }));
  },
});

async function configOf({ paths, texts }: CommitTree, context: string): Promise<ReadConfig> {
  const there = new Set(paths);
  const found = configPaths(context, (path) => there.has(path));
  const read = await texts(found);
  return readConfig(found, (path) => read.get(path));
}
