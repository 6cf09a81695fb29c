import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  credentialRequest,
  enrolAnswer,
  enrolRequest,
  heartbeatAnswer,
  heartbeatRequest,
  helloAnswer,
  helloRequest,
  release,
  work,
} from './agent.ts';
import { commandResult, outputBatch } from './command.ts';
import { logAnswer, logBatch } from './logs.ts';
import { report } from './observed.ts';

/** Every later version of the same major understands these transcripts. Never change one; add one. */
const transcripts = join(import.meta.dirname, 'transcripts');
const versions = await readdir(transcripts);
const nothing = z.object({});

const spoken: Record<string, { request?: z.ZodType; answer: z.ZodType }> = {
  enrol: { request: enrolRequest, answer: enrolAnswer },
  hello: { request: helloRequest, answer: helloAnswer },
  heartbeat: { request: heartbeatRequest, answer: heartbeatAnswer },
  report: { request: report, answer: nothing },
  work: { answer: work },
  'command-output': { request: outputBatch, answer: nothing },
  'command-result': { request: commandResult, answer: nothing },
  logs: { request: logBatch, answer: logAnswer },
  'logs-runs': { request: logBatch, answer: logAnswer },
  credential: { request: credentialRequest, answer: nothing },
  release: { answer: release },
};

/** Routes that came with a minor. */
const since: Record<string, string> = { logs: '1.1', 'logs-runs': '1.1' };

const cases = versions.flatMap((version) =>
  Object.keys(spoken)
    .filter((route) => (since[route] ?? '1.0') <= version)
    .map((route) => [version, route] as const),
);

test.each(cases)(
  'protocol %s, %s: what was said then is understood, and what is new is ignored',
  async (version, route) => {
    const transcript = JSON.parse(await readFile(join(transcripts, version, `${route}.json`), 'utf8'));
    for (const side of ['request', 'answer'] as const) {
      const schema = spoken[route]?.[side];
      expect(schema === undefined).toBe(transcript[side] === undefined);
      if (schema === undefined) continue;
      expect(schema.parse(transcript[side])).toEqual(transcript[side]);
      expect(schema.parse({ ...transcript[side], fieldOfTheFuture: true })).toEqual(transcript[side]);
    }
  },
);
