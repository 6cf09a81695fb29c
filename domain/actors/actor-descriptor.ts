import type { HintKind } from '../hints.ts';
import type { ActorWords } from '../history-steps/words.ts';
import type { Visibility } from '../subjects.ts';

/** A row as it was read: its columns by their names in the database. */
export type PlainRow = Readonly<Record<string, unknown>>;

/** The part of an actor's input that is the same for every kind; workflows/frame.ts reads it. */
export interface ActorInput {
  /** The row's state and revision when the input was made. Absent in runs that 0.1.0 began. */
  state?: string;
  revision?: number;
  /** Messages that were taken lately, so that one that comes twice counts once. */
  heard?: string[];
  /** Messages that the run before had not taken. */
  waiting?: WaitingMessage[];
  /** Runs of the same actor before this one whose histories are not archived. */
  unarchived?: string[];
  /** Another run of this actor stopped without its last word: how, as in "was terminated". */
  interrupted?: string;
  /** After so many events of its history an actor continues as new; fewer in tests. */
  eventsPerRun?: number;
}

/** A signal as it came: nothing in it has been looked at. */
export interface WaitingMessage {
  message: string;
  told: unknown;
}

/** How a workflow ended, whatever its states are called. */
export type WorkflowEnd = 'succeeded' | 'failed' | 'cancelled';

/** A stage lasts while its actor is in one of these states. */
export interface StageWords {
  name: string;
  title: string;
  states: readonly string[];
}

/**
 * All that the rest of the system must know of one kind of actor. Reconciler, relay, archive, purge, `/workflows`,
 * history and console read descriptors and nothing else knows kinds.
 *
 * The row lives in `table`, which has the columns `id`, `organization_id`, `state`, `revision`, `blocker`, `message`,
 * `created_at`, `finished_at` and `archived_at`; one whose `finished_at` is set is final. Texts named "SQL" are
 * expressions over that row under the name `actor`, for the rooms that read rows.
 */
export interface ActorDescriptor {
  kind: string;
  /** The name of the function that workflows/<kind>/workflow.ts exports. */
  workflow: string;
  table: string;
  /**
   * The table of the thing whose actor it is: its column `<belongsTo>_id` refers there, within the organization. Null: the
   * row outlives its organization, and refers to nothing.
   */
  belongsTo: string | null;
  /** The kind of the change feed's hints about the row: its own, with the row's id, or `belongsTo`, with that thing's. */
  hint: HintKind;
  /**
   * `once`: an actor that stopped without its last word has failed; it is started once more to say so. `for-ever`: such
   * an actor is started again from its row and goes on.
   */
  lives: 'once' | 'for-ever';
  states: readonly string[];
  /** Those of a row that nothing changes any more. */
  final: readonly string[];
  /** Each final state's meaning. */
  ends: Readonly<Record<string, WorkflowEnd>>;
  /**
   * The stages that people see, in order; of an actor that lives for ever none: its states follow each other without an
   * order.
   */
  stages: readonly StageWords[];
  /** Who may read its rows and its history: whoever may read the thing that it belongs to. */
  readBy: Visibility;
  /** The state that counts when the row itself is gone. */
  gone: string;
  row: {
    /** SQL: its name for people. */
    name: string;
    /** SQL: the id of its subject, unless that is the thing that it belongs to. */
    subjectId?: string;
    /** SQL: the release that it is about. */
    release?: string;
    /** SQL: a join that the name needs. */
    join?: string;
    /** The row says who requested it: `requested_by_kind`, `requested_by_id`, `requested_by_name`. Else the audit log may. */
    requested?: true;
    /** SQL: the state should have passed by now, by the deadlines of the kind and a minute. */
    overdue: string;
    /** SQL: it waits for a person or for a time, so that a part that is down is not in its way. */
    rests?: string;
    /** SQL: something was decided or has happened that the state does not show. */
    unheard?: { where: string; join?: string };
  };
  /** How its row becomes its input. */
  input: {
    /** SQL: further columns, and the join that they need. */
    columns?: string;
    join?: string;
    from(row: PlainRow): ActorInput;
  };
  /** The message of a row that is ended because its actor stopped: `how` is as in "was terminated". */
  interrupted?(how: string): string;
  /** Messages that say all that the one of that name before them said: where both wait, only the last is told. */
  latestCounts?: readonly string[];
  /** The purge of its organization. */
  purge: {
    /** The message that ends an actor that would live on without its row. */
    tell?: string;
    /** Tables with parts that outlive the organization. */
    keeps: readonly ('outbox' | 'history_archive')[];
  };
  /** Activities of the kind, beside those of the frame. */
  activities: readonly string[];
  words: ActorWords;
  /**
   * Whether its history outlives the organization for people, too: an owner of the deleted organization may read it, and
   * the person who requested it (`requested_by_kind`, `requested_by_id`), even when nobody is a member any more.
   */
  readByRequester: boolean;
}

/** The answer of an activity that writes to the row of its actor. */
export interface RowSays {
  state: string;
  /** The row is final, by somebody else's word. */
  over?: boolean;
  /** The row has a higher revision than the actor: the input that it amounts to. */
  ahead?: ActorInput;
}
