import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { findBuild } from '../../db/builds/builds.ts';
import { readBuildLog } from '../../db/builds/log.ts';
import { isBuildFinal } from '../../domain/builds/states.ts';
import { operation } from '../engine/operation.ts';
import { buildPath, logLineSchema } from './build.ts';

/** A line is read so long after it came, at most, and as soon as that where lines keep coming. */
const pauseMillis = 150;
const page = 1_000;

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
  async *handle({ caller, path, query, database: { kysely }, server: { keyring }, signal }) {
    const organizationId = caller.organization.id;
    let last = query.after;
    while (!signal.aborted) {
      // Read first: all lines from before its end are there by then.
      const build = await findBuild(kysely, organizationId, path.id);
      if (build === undefined || !caller.seesProject(build.projectId)) return;
      const lines = build.logLines > last ? await readBuildLog(kysely, keyring, build, last, page) : [];
      for (const { at, seq, text } of lines)
        yield { event: 'log', data: { at: at.toISOString(), seq, text }, id: String(seq) };
      last = lines.at(-1)?.seq ?? last;
      if (lines.length === page) continue;
      if (isBuildFinal(build.state)) return;
      await pause(pauseMillis, undefined, { signal }).catch(() => undefined);
    }
  },
});
