import { sql } from 'kysely';
import type { BuildKind } from '../../domain/builds/states.ts';
import { defined } from '../../domain/defined.ts';
import { type FoundFile, toldConfig } from '../../domain/repository-config/told-config.ts';
import type { Effect } from '../engine/effect.ts';
import type { Keyring } from '../keys/keys.ts';
import type { JsonObject, JsonValue } from '../postgres/json.ts';
import { tenant } from '../postgres/tenant.ts';
import { appendLog, type BuildLog, type NewChunk } from './log.ts';

/** A piece of what the agent says of a build: lines of its log, or what has changed, already parsed. */
export interface BuildPiece {
  number: number;
  at: Date;
  text?: string;
  progress?: {
    engine?: string | undefined;
    commit?: { message: string } | undefined;
    detection?: object | undefined;
    kind?: BuildKind | undefined;
    steps?: readonly object[] | undefined;
    cache?: { cachedSteps: number; totalSteps: number } | undefined;
    image?: object | undefined;
    repositoryConfig?: FoundFile | undefined;
    arguments?: readonly string[] | undefined;
  };
}

/** More is not kept of a log; its last line says so. */
export const mostLogBytes = 128 * 1024 * 1024;

/**
 * Takes what the agent of a build says, in the order of its pieces. The row remembers the last one, in the same transaction:
 * a piece that comes twice changes nothing, and no line has two numbers.
 */
export async function takeBuildOutput(
  effect: Effect,
  keyring: Pick<Keyring, 'encryptSecret'>,
  build: BuildLog,
  pieces: readonly BuildPiece[],
): Promise<void> {
  const { kysely } = effect;
  const row = await kysely
    .selectFrom('build')
    .select(['project_id as projectId', 'last_piece as lastPiece', 'git_ref as gitRef'])
    .select(
      sql<string>`(select slug from service where service.organization_id = build.organization_id
      and service.id = build.service_id)`.as('slug'),
    )
    .select([sql<number>`log_lines::float8`.as('logLines'), sql<number>`log_bytes::float8`.as('logBytes')])
    .select(['builder', 'state', 'environment_id as environmentId', 'service_id as serviceId'])
    .where('id', '=', build.id)
    .where('organization_id', '=', build.organizationId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return;
  const fresh = pieces.filter(({ number }) => number > row.lastPiece).toSorted((a, b) => a.number - b.number);
  const last = fresh.at(-1);
  if (last === undefined) return;
  const { chunks, bytes } = kept(fresh, row.logBytes);
  await kysely
    .updateTable('build')
    .set({
      last_piece: last.number,
      log_lines: await appendLog(kysely, keyring, build, row.logLines, chunks),
      log_bytes: bytes,
      ...changedBy(fresh, row),
    })
    .where('id', '=', build.id)
    .execute();
  const taken = fresh.flatMap(({ progress }) => progress?.arguments ?? []);
  if (taken.length > 0) await markTaken(effect, { ...row, ...build }, taken);
  effect.change({ organizationId: build.organizationId, projectId: row.projectId, kind: 'build', id: build.id });
}

/**
 * Variables of before builds were told apart that the Dockerfile takes by ARG are for builds from now on. Nothing but these is touched,
 * whatever an agent says: plain ones that nobody has said to be for builds or not.
 */
async function markTaken(
  effect: Effect,
  {
    organizationId,
    projectId,
    environmentId,
    serviceId,
  }: Record<'organizationId' | 'projectId' | 'environmentId' | 'serviceId', string>,
  names: readonly string[],
): Promise<void> {
  await tenant(effect.kysely, organizationId)
    .updateTable('variable')
    .set({ build_time: 'also' })
    .where('environment_id', '=', environmentId)
    .where('service_id', '=', serviceId)
    .where(sql<boolean>`key = any(${names}::text[])`)
    .where('build_time', 'is', null)
    .where('sealed', 'is', null)
    .where('refers', 'is', null)
    .execute();
  effect.change({ organizationId, projectId, kind: 'service', id: serviceId });
}

function kept(pieces: readonly BuildPiece[], before: number): { chunks: NewChunk[]; bytes: number } {
  let bytes = before;
  const chunks: NewChunk[] = [];
  for (const { text, at } of pieces) {
    if (text === undefined || text === '' || bytes > mostLogBytes) continue;
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    bytes += Buffer.byteLength(whole);
    const cut = bytes > mostLogBytes;
    chunks.push({
      at,
      text: cut ? `The log is longer than ${mostLogBytes / 1024 / 1024} MB: the rest is not kept.\n` : whole,
    });
  }
  return { chunks, bytes };
}

/** The last word counts. */
function changedBy(
  pieces: readonly BuildPiece[],
  { builder: before, slug, gitRef }: { builder: JsonObject | null; slug: string; gitRef: string },
) {
  const said = Object.assign({}, ...pieces.map(({ progress }) => defined(progress ?? {}))) as NonNullable<
    BuildPiece['progress']
  >;
  const { engine, commit, detection, kind, steps, cache, image, repositoryConfig: file } = said;
  const builder = { ...before, ...defined({ engine, detection }) };
  return {
    ...(engine === undefined && detection === undefined ? {} : { builder: json<JsonObject>(builder) }),
    ...(commit === undefined ? {} : { commit_message: messageOf(commit) }),
    ...(file === undefined
      ? {}
      : { repository_config: json<JsonObject>(toldConfig(file, { slug, source: gitRef === '' ? 'upload' : 'git' })) }),
    ...(kind === undefined ? {} : { kind }),
    ...(steps === undefined ? {} : { steps: json<JsonValue[]>(steps) }),
    ...(cache === undefined ? {} : { cached_steps: cache.cachedSteps, total_steps: cache.totalSteps }),
    ...(image === undefined ? {} : { image: json<JsonObject>(image) }),
  };
}

/** One line. The message that a push came with stays. */
function messageOf({ message }: { message: string }) {
  const [line = ''] = message.trim().split('\n');
  return sql<string>`coalesce(nullif(commit_message, ''), ${line})`;
}

function json<T>(value: unknown) {
  return sql<T>`${JSON.stringify(value)}::jsonb`;
}
