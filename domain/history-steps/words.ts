import { type Facts, factsOf, numberOf, type StepKind, type StepOutcome, type Tone, textOf } from './step.ts';

/**
 * The words of one kind of actor: its name, its states, and its history. Titles of steps are in the past tense, for
 * people who have never seen Temporal.
 */
export interface ActorWords {
  /** All of its kind, as in a filter. */
  many: string;
  title(name: string): string;
  /** By the state of the row. */
  states: Readonly<Record<string, { word: string; tone: Tone }>>;
  /** The purpose of one workflow, from its input. */
  about(input: Facts): string;
  /** By the name of the activity. */
  activities: Readonly<Record<string, ActivityWords>>;
  /** By the name of the signal; `body` is what it carries. */
  signals: Readonly<Record<string, (body: Facts, about: Facts) => Said & { kind: StepKind }>>;
  /** A deadline; absent where the actor sets none. */
  timer?: (before: Before, about: Facts) => TimerWords;
  /** How it ended, from what it answers. */
  ended(result: unknown, about: Facts): Said;
  /** The reason for waiting when nothing is in progress, by the state of the row. */
  idle(state: string): string;
}

export interface ActivityWords {
  kind: 'asked' | 'did';
  /** Only writes down a message, a decision or a deadline, and is told together with it. */
  onlyRecords?: true;
  /** The intended action, after `to`: "ask the agent to switch to 0.2.0". */
  todo(input: Facts, about: Facts): string;
  done(input: Facts, result: unknown, about: Facts): Said;
}

/** The steps before a deadline was set, which tell the reason for waiting. */
export interface Before {
  /** The last activity that was done. */
  activity: string;
  input: Facts;
  milliseconds: number;
}

export interface TimerWords {
  /** The awaited thing, after `Waits`: "for the agent's hello". */
  what: string;
  /** `within`: how long that was. */
  fired(within: string): Said;
  /** Something came before its time. `by`: the signal, or empty if the actor was cancelled. */
  stopped(after: string, by: string): Said;
}

export interface Said {
  title: string;
  detail?: string;
  /** `done` unless it is said. `failed`: also of a message that tells of a failure. */
  outcome?: StepOutcome;
  /**
   * The state that is entered: of the row, or a finer one that only `stages` know. Of a message: the state that it leads
   * to, as far as the message alone can tell.
   */
  state?: string;
}

/** A state that another version has written is shown under its own name. */
export function stateWords({ states }: Pick<ActorWords, 'states'>, state: string): { word: string; tone: Tone } {
  return (Object.hasOwn(states, state) ? states[state] : undefined) ?? { word: state, tone: 'neutral' };
}

/** The activities that every kind of actor has, and those that no kind has any more, by name. */
export const frameActivities: Readonly<Record<string, ActivityWords>> = {
  claimActor: {
    kind: 'did',
    todo: () => 'read the current state',
    done: (_, result) => ({ title: 'Read the current state', detail: found(result) }),
  },
  reportUnreadable: {
    kind: 'did',
    todo: ({ message }) => `report that the message “${textOf(message)}” cannot be read`,
    done: ({ message, why }) => ({
      title: `Skipped the message “${textOf(message)}”: it cannot be read`,
      detail: textOf(why),
      outcome: 'failed',
    }),
  },
  archiveRun: {
    kind: 'did',
    todo: () => 'archive the history of the previous run',
    done: () => ({ title: 'Archived the history of the previous run' }),
  },
  // Only histories of 0.1.0 contain this activity: clusters no longer fail.
  failCluster: {
    kind: 'did',
    todo: () => 'record that the cluster failed',
    done: ({ message }) => ({
      title: 'Recorded that the cluster failed',
      detail: textOf(message),
      outcome: 'failed',
    }),
  },
};

/** The messages that every kind of actor hears, by name. */
export const frameSignals: Readonly<Record<string, string>> = {
  lookAgain: 'The control plane asked for a look at the current state',
};

function found(result: unknown): string {
  const { over, ahead } = factsOf(result);
  if (over === true) return 'Already finished.';
  if (ahead === undefined) return '';
  const revision = numberOf(factsOf(ahead).revision);
  return `The recorded state is further ahead; continues from there${revision > 0 ? ` (revision ${revision})` : ''}.`;
}
