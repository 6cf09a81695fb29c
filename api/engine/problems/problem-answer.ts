import { z } from 'zod';
import { type Problem, problems } from '../../../domain/problems.ts';
import { schemaUri } from '../schema-uri.ts';

/** The body of every failed request. */
export const problemSchema = z
  .object({
    title: z.string().describe('The status in words.'),
    status: z.int().describe('The HTTP status. Match on this.'),
    detail: z.string().describe('A sentence for people: what is wrong and usually what to do.'),
    errors: z
      .array(
        z.object({
          message: z.string(),
          location: z.string().describe('Where in the request: `query.limit`, `body.items[2].kind`, `path.id`.'),
          value: z.unknown().optional().describe('What was sent there; never a secret.'),
        }),
      )
      .optional()
      .describe('Present when a field is at fault.'),
    meanwhile: z
      .array(
        z.object({
          location: z.string(),
          value: z.unknown().describe('The value of now.'),
          by: z.string().optional().describe('Who changed it, as the audit log has it.'),
          at: z.iso.datetime().optional(),
          seen: z
            .object({
              itemId: z.guid().optional(),
              updatedAt: z.iso.datetime().optional(),
              value: z.unknown().optional(),
            })
            .optional()
            .describe('Of a change to stage: its `seen` for a request that overwrites this, and nothing later.'),
        }),
      )
      .optional()
      .describe('Present when others changed what the request was about: see `was` in the body.'),
    downtime: z
      .array(
        z.object({
          serviceId: z.guid(),
          serviceName: z.string(),
          processes: z.array(z.object({ name: z.string(), volumes: z.array(z.string()) })),
        }),
      )
      .optional()
      .describe('Present when services would be down for a moment: repeat the request with `downtimeAccepted`.'),
    missing: z
      .array(z.string())
      .optional()
      .describe('Present when variables are missing: set them, or repeat the request with `missingAccepted`.'),
    existing: z
      .object({ id: z.guid(), slug: z.string(), name: z.string() })
      .optional()
      .describe('Present when the name is taken: by this one.'),
  })
  .meta({ id: 'Problem' });

export type ProblemBody = z.output<typeof problemSchema> & { $schema: string };

export function problemBody(problem: Problem): ProblemBody {
  const body = {
    $schema: schemaUri('Problem'),
    title: problems[problem.code].title,
    status: problem.status,
    detail: problem.message,
  };
  return {
    ...body,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
    ...(problem.meanwhile === undefined ? {} : { meanwhile: [...problem.meanwhile] }),
    ...(problem.downtime === undefined
      ? {}
      : {
          downtime: problem.downtime.map((one) => ({
            ...one,
            processes: one.processes.map(({ name, volumes }) => ({ name, volumes: [...volumes] })),
          })),
        }),
    ...(problem.missing === undefined ? {} : { missing: [...problem.missing] }),
    ...(problem.existing === undefined ? {} : { existing: problem.existing }),
  };
}
