import { z } from 'zod';
import { operation } from '../engine/operation.ts';
import { buildPath, logLineSchema } from './build.ts';
import type { BuildLogs } from './log/build-logs.ts';

export const streamBuildLog = operation({
  method: 'GET',
  url: '/api/v1/builds/{id}/logs/stream',
  summary: 'Stream the log of a build',
  description:
    'From its first line, or from behind `after`, as it is made. It closes when the build is over and all is told. A build that cannot be read closes the stream without a word.',
  scope: 'organization',
  role: 'viewer',
  projectTokens: 'allowed',
  problems: [],
  path: buildPath,
  query: z.strictObject({ after: z.int().min(0).default(0).describe('Only lines behind this number.') }),
  stream: { kind: 'other', events: { log: logLineSchema } },
  async *handle({ caller, path, query, server, signal }) {
    const organizationId = caller.organization.id;
    const sees = ({ projectId }: { projectId: string }) => caller.seesProject(projectId);
    const logs: BuildLogs = server.buildLogs;
    yield* logs.follow(organizationId, path.id, query.after, sees, signal);
  },
});
