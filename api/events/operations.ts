import { z } from 'zod';
import { openCursor, sealCursor } from '../../db/engine/cursors.ts';
import type { HeardHint } from '../../db/engine/feed/feed.ts';
import { type FeedPosition, isVisibleIn, missedSince } from '../../db/engine/feed/replay.ts';
import { hints, isHintKind } from '../../domain/hints.ts';
import { mayActAs } from '../../domain/roles.ts';
import { everyAdmin } from '../../domain/subjects.ts';
import type { Caller, OrganizationCaller } from '../engine/caller.ts';
import { operation } from '../engine/operation.ts';
import type { ServerParts } from '../engine/server/server-parts.ts';

interface Paced {
  /** From when on it may be told of again. */
  nextAt: number;
  /** Of the hint that is held. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Paces the hints of things that change with every event, as a person's inbox, on one stream. A hint that comes too soon
 * after the last one of the same thing is held until the time is over, and stands for all that come meanwhile: so the last
 * hint comes after the last change, and whoever fetches at each hint ends with what is so. A stream that ends with a hint
 * in hand loses nothing, since its reader fetches everything when it opens the next one.
 */
export class HintPace {
  readonly #millis: number;
  readonly #random: () => number;
  readonly #again: (hint: HeardHint) => void;
  readonly #things = new Map<string, Paced>();

  /** `again` is given a held hint when its time has come. */
  constructor(millis: number, again: (hint: HeardHint) => void, random: () => number = Math.random) {
    this.#millis = millis;
    this.#random = random;
    this.#again = again;
  }

  /** Whether the hint, which has the id that its reader is told, is told now. Hints of other kinds always are. */
  lets(hint: HeardHint): boolean {
    const { kind, id } = hint;
    if (!isHintKind(kind) || hints[kind].paced !== true) return true;
    const key = `${kind} ${id}`;
    const thing = this.#things.get(key) ?? { nextAt: Number.NEGATIVE_INFINITY, timer: undefined };
    this.#things.set(key, thing);
    if (thing.timer !== undefined) return false;
    const now = performance.now();
    if (now >= thing.nextAt) {
      // One event concerns many people: later or sooner, they do not all fetch at the same moment, second after second.
      thing.nextAt = now + this.#millis * (1 + this.#random());
      return true;
    }
    thing.timer = setTimeout(() => {
      thing.timer = undefined;
      this.#again(hint);
    }, thing.nextAt - now);
    return false;
  }

  end(): void {
    for (const { timer } of this.#things.values()) clearTimeout(timer);
  }
}

const positionSchema = z.strictObject({ snapshot: z.string(), at: z.number() });
/** With more open transactions than fit, there is no position, and the reader fetches again. */
const longestText = 1_500;

/** Where the caller was read, as text that only we can make and only the same person can use. */
export function sealedPosition({ keyring }: ServerParts, caller: Caller): string | undefined {
  const { readIn } = caller;
  if (readIn === undefined || readIn.snapshot.length > longestText) return undefined;
  const { snapshot, at } = readIn;
  return sealCursor(keyring.cursorKey(), { ...bindingOf(caller), after: { snapshot, at } });
}

/** The position; undefined where it is none of ours. */
function openedPosition({ keyring }: ServerParts, caller: Caller, text: string): FeedPosition | undefined {
  return positionSchema.safeParse(openCursor(keyring.cursorKey(), text, bindingOf(caller))).data;
}

function bindingOf(caller: Caller) {
  return { operation: 'the position of a stream', organizationId: caller.id, filters: null };
}

/** Whether the reader could fetch what a hint is about: only then is it told. A kind that is not known is told nobody. */
export function seesHint(
  caller: Pick<OrganizationCaller, 'role' | 'seesProject' | 'isLimitedToProjects' | 'userId'>,
  { kind, id, projectId }: Pick<HeardHint, 'kind' | 'id' | 'projectId'>,
): boolean {
  if (!isHintKind(kind)) return false;
  const { role, projectTokens, own } = hints[kind];
  if (own === true && !concerns(caller, id)) return false;
  if (!mayActAs(caller.role, role)) return false;
  return projectId === undefined ? projectTokens || !caller.isLimitedToProjects : caller.seesProject(projectId);
}

function concerns({ role, userId }: Pick<OrganizationCaller, 'role' | 'userId'>, id: string): boolean {
  return userId !== undefined && (id === userId || (id === everyAdmin && mayActAs(role, 'admin')));
}

/** The hint as its reader is told it: of one's own things one's own id. */
export function toldHint<Hint extends Pick<HeardHint, 'kind' | 'id'>>(
  { userId }: Pick<OrganizationCaller, 'userId'>,
  hint: Hint,
): Hint {
  return isHintKind(hint.kind) && hints[hint.kind].own === true && userId !== undefined
    ? { ...hint, id: userId }
    : hint;
}

const changeSchema = z
  .object({
    kind: z.string().describe('What kind of thing changed, as in `team`.'),
    id: z.string().describe('Which one.'),
    projectId: z.string().optional().describe('The project it belongs to, if it belongs to one.'),
  })
  .meta({ id: 'Change' });

const streamEvents = operation({
  method: 'GET',
  url: '/api/v1/events/stream',
  summary: 'Stream the changes of the organization',
  description:
    '`change`: something was created, changed or deleted; fetch it again. `resync`: hints were dropped; fetch everything on display again. Nothing is replayed without `after`. Of your notifications, and of each channel, `change` tells at most once a second, and always after the last change.',
  role: 'viewer',
  projectTokens: 'allowed',
  query: z.strictObject({
    heartbeat: z
      .int()
      .min(1)
      .max(15)
      .optional()
      .describe(
        'Seconds between heartbeats while nothing happens, for a reader that must notice a dead stream sooner.',
      ),
    after: z
      .string()
      .max(2_048)
      .optional()
      .describe(
        'The `position` of a session: the stream begins with the changes since, or with `resync` where these are too many or the position is older than an hour.',
      ),
  }),
  stream: {
    kind: 'organization',
    fasterHeartbeat: true,
    events: { change: changeSchema, resync: z.object({}).meta({ id: 'Resync' }) },
  },
  async *handle({ caller, query, database, server, signal }) {
    const reader = {
      organizationId: caller.organization.id,
      sees: (hint: HeardHint) => seesHint(caller, hint),
    };
    // Subscribed before the feed is read, so that nothing falls between the two.
    const changes = server.hub.subscribe(reader, signal);
    const pace = new HintPace(server.clocks.hintPace, (held) => changes.push(held));
    signal.addEventListener('abort', () => pace.end(), { once: true });
    let isKnown = (_: HeardHint): boolean => false;
    if (query.after !== undefined) {
      const position = openedPosition(server, caller, query.after);
      const missed = position && (await missedSince(database.kysely, caller.organization.id, position));
      if (missed === undefined) yield { event: 'resync', data: {} };
      else {
        for (const hint of missed.hints) {
          const told = toldHint(caller, hint);
          if (reader.sees(hint) && pace.lets(told)) yield changeOf(told);
        }
        const isVisible = isVisibleIn(missed.snapshot);
        isKnown = ({ transactionId }) => transactionId !== undefined && isVisible(transactionId);
      }
    }
    for (let hint = await changes.next(); hint !== undefined; hint = await changes.next()) {
      if (hint === 'lost') yield { event: 'resync', data: {} };
      else if (!isKnown(hint)) {
        const told = toldHint(caller, hint);
        if (pace.lets(told)) yield changeOf(told);
      }
    }
  },
});

function changeOf({ kind, id, projectId }: HeardHint) {
  return { event: 'change' as const, data: projectId === undefined ? { kind, id } : { kind, id, projectId } };
}

export const events = { stream: streamEvents };
