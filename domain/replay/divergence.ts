import { type HistoryEvent, textOf } from '../history-steps/step.ts';

/** Events that exist because the code did something; the others happened to it. */
const commands: Readonly<Record<string, (attributes: HistoryEvent['attributes']) => string>> = {
  ActivityTaskScheduled: ({ activityType }) => `the activity ${textOf(activityType)} was requested`,
  ActivityTaskCancelRequested: () => 'an activity was asked to stop',
  TimerStarted: ({ timerId }) => `the timer ${textOf(timerId)} was set`,
  TimerCanceled: ({ timerId }) => `the timer ${textOf(timerId)} was cancelled`,
  MarkerRecorded: ({ markerName }) =>
    textOf(markerName) === 'core_patch' ? 'a patch was asked for' : `the marker ${textOf(markerName)} was recorded`,
  UpsertWorkflowSearchAttributes: () => 'a phase was shown',
  WorkflowPropertiesModified: () => 'its memo was changed',
  WorkflowExecutionCompleted: () => 'it ended',
  WorkflowExecutionFailed: () => 'it failed',
  WorkflowExecutionCanceled: () => 'it ended as cancelled',
  WorkflowExecutionContinuedAsNew: () => 'it continued in a new run',
  StartChildWorkflowExecutionInitiated: () => 'another workflow was started',
  SignalExternalWorkflowExecutionInitiated: () => 'a message was sent to another workflow',
  RequestCancelExternalWorkflowExecutionInitiated: () => 'another workflow was asked to stop',
};

function isCommand({ type }: HistoryEvent): boolean {
  return Object.hasOwn(commands, type);
}

/** The deed of the code that this event tells of. */
function thingOf({ type, attributes }: HistoryEvent): string {
  return commands[type]?.(attributes) ?? type;
}

/** Why a replay ended early: the code did something else, or it threw. */
interface Mismatch {
  message: string;
  threw: boolean;
}

const longest = 300;

/** The sentence in what the SDK says, which wraps it in the words of its native half. */
function plainMismatch(told: string): Mismatch {
  const details = told.replace(/^.*?Details: /s, '');
  const [, quoted] = /Failure \{ message: "((?:[^"\\]|\\.)*)"/.exec(details) ?? [];
  const message = quoted === 'Encoded failure' ? encodedMessage(details) : (quoted ?? details);
  const plain = message.replace(/^\[TMPRL\d+\] /, '').replaceAll('\\"', '"');
  const cut = plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
  return { message: cut, threw: quoted !== undefined && !plain.startsWith('Nondeterminism error') };
}

/** The native half shows the beginning of what our failure converter has written. */
function encodedMessage(details: string): string {
  const [, begin = ''] = /encoded_attributes: Some\(\[([A-Za-z0-9+/=]+)/.exec(details) ?? [];
  const text = Buffer.from(begin, 'base64').toString('utf8');
  return /"message":"((?:[^"\\]|\\.)*)/.exec(text)?.[1] ?? 'an error of the code';
}

/** The first point at which code does something else than a history says it did. */
export interface Divergence {
  /** The number of the event in its run. */
  event: number;
  type: string;
  /** When that event happened, as ISO 8601. */
  at: string;
  /** The deed in the history, and that of the code in its place: each completes a sentence. */
  history: string;
  code: string;
}

/**
 * The places at which a history can be cut for a replay: after each start of a task that was completed. What the code did
 * in one task is compared once the next has started.
 */
export function cutsOf(events: readonly HistoryEvent[]): number[] {
  return events.flatMap(({ type }, index) => {
    if (type !== 'WorkflowTaskStarted') return [];
    return events[index + 1]?.type === 'WorkflowTaskCompleted' ? [index + 1] : [];
  });
}

/** `cut`: where the shortest part that diverges ends; undefined: only the whole history does. `message`: the SDK's. */
export function divergenceOf(
  events: readonly HistoryEvent[],
  cut: number | undefined,
  message: string,
): Divergence | undefined {
  const until = cut ?? events.length;
  const from = cutsOf(events).findLast((one) => one < until) ?? 0;
  const window = events.slice(from, until);
  const why = plainMismatch(message);
  const found = namedIn(events, window, why) ?? window.find(isCommand) ?? window.at(0) ?? events.at(-1);
  if (found === undefined) return undefined;
  const { id, type, at } = found;
  const history = isCommand(found) ? thingOf(found) : `nothing that the code did (${type})`;
  return { event: id, type, at, history, code: codeWords(why) };
}

/** The event that the SDK names: by its number, or by what was requested. */
function namedIn(
  events: readonly HistoryEvent[],
  window: readonly HistoryEvent[],
  { message, threw }: Mismatch,
): HistoryEvent | undefined {
  if (threw) return undefined;
  const number = Number(/HistoryEvent\(id: (\d+)/.exec(message)?.[1]);
  const numbered = events.find(({ id }) => id === number);
  if (numbered !== undefined) return numbered;
  const [, scheduled] = /of scheduled event '([^']*)'/.exec(message) ?? [];
  if (scheduled === undefined) return undefined;
  return window.find(({ type, attributes }) => {
    return type === 'ActivityTaskScheduled' && [attributes.activityType, attributes.activityId].includes(scheduled);
  });
}

const machines: Readonly<Record<string, string>> = {
  Activity: 'it requested another activity',
  'Local activity': 'it requested a local activity',
  Timer: 'it set or cancelled a timer',
  'Child workflow': 'it started another workflow',
  'Complete workflow': 'it ended',
  'Fail workflow': 'it failed',
  'Cancel workflow': 'it ended as cancelled',
  'Continue as new workflow': 'it continued in a new run',
  'Signal external WF': 'it sent a message to another workflow',
  'Cancel external WF': 'it cancelled another workflow',
  'Upsert search attributes': 'it showed another phase',
  Patch: 'it asked for a patch',
  Version: 'it asked for a patch',
};

/** The deed of the code, as far as the SDK tells; the SDK's own words where they are none of these. */
function codeWords({ message, threw }: Mismatch): string {
  if (threw) return `it failed: ${message}`;
  const [, activity] = /of (?:local )?activity command '([^']*)'/.exec(message) ?? [];
  if (activity !== undefined) return `it requested the activity ${activity}`;
  if (message.includes('No command scheduled for event')) return 'it did nothing, and waits';
  if (message.includes('could not find a matching command')) return 'it did nothing that belongs to this';
  const [, patch] = /patch marker encountered for change (\S+), but there is no/.exec(message) ?? [];
  if (patch !== undefined) return `it did not ask for the patch ${patch}`;
  const [, machine = ''] = /([A-Z][A-Za-z ]*?) machine does not handle this event/.exec(message) ?? [];
  return machines[machine] ?? message;
}
