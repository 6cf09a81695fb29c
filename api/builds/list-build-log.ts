import { z } from 'zod';
import { readBuildLog } from '../../db/builds/log.ts';
import { operation } from '../engine/operation.ts';
import { buildPath, logLineSchema, theBuild } from './build.ts';

export const listBuildLog = operation({
  method: 'GET',
  url: '/api/v1/builds/{id}/logs',
  summary: 'List the log lines of a build',
  description:
    'Oldest first, numbered from 1 without gaps. Of a build that is running, the last page ends with the newest line.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: ['not-found'],
  path: buildPath,
  result: logLineSchema,
  paged: { after: z.int().min(0), defaultLimit: 200, maxLimit: 1000 },
  async handle({ caller, path, page, database, server }) {
    const build = await caller.see(theBuild, path.id);
    const { after = 0, limit } = page;
    const found = await readBuildLog(database.kysely, server.keyring, build, after, limit + 1);
    const items = found.slice(0, limit).map(({ at, seq, text }) => ({ at: at.toISOString(), seq, text }));
    return { items, after: found.length > limit ? items.at(-1)?.seq : undefined };
  },
});
