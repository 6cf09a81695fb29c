import type { ShownProblem } from '../../control-plane/problem.ts';
import { watched } from '../watched.ts';
import { undoKeys } from './undo-key.ts';

/** A toast. */
export interface ToastContent {
  id: number;
  title: string;
  /** Why it failed; absent where something was done. */
  problem?: ShownProblem;
  /** Takes the change back. */
  undo?: () => void;
  /** How long it stays; without it, until it is dismissed. */
  millis?: number;
}

/** A sentence for screen readers, without a place on the screen. */
export interface Said {
  id: number;
  text: string;
  assertive: boolean;
}

const doneMillis = 4_000;
const undoMillis = 12_000;
/** Long enough for a screen reader that is still speaking, and short enough that nobody meets it while reading the page. */
const saidMillis = 10_000;
const most = 3;

let count = 0;
/** The latest few of each, for the one component that renders them. */
const toasts = watched<readonly ToastContent[]>([]);
const announcements = watched<readonly Said[]>([]);

/** Tells screen readers what the page shows to everybody else. */
export function announce(text: string, assertive = false): void {
  count += 1;
  const id = count;
  announcements.set([...announcements.now(), { id, text, assertive }].slice(-most));
  setTimeout(() => announcements.set(announcements.now().filter((said) => said.id !== id)), saidMillis);
}

/** Confirms a change whose result the page itself does not show. */
export function tellDone(title: string): void {
  announce(title);
  show({ title, millis: doneMillis });
}

/** Confirms a change that can be taken back, by a button and by a key. */
export function tellUndoable(title: string, undo: () => void): void {
  announce(`${title}. ${undoKeys} takes it back.`);
  show({ title, undo, millis: undoMillis });
}

/** Takes back what was told last, if that is still offered. */
export function undoLast(): boolean {
  const last = toasts.now().findLast(({ undo }) => undo !== undefined);
  if (last === undefined) return false;
  dismiss(last.id);
  last.undo?.();
  return true;
}

/** Reports a failed change and its reason, until dismissed. */
export function tellFailure(title: string, problem: ShownProblem): void {
  announce(`${title}. ${problem.detail}`, true);
  show({ title, problem });
}

export function dismiss(id: number): void {
  toasts.set(toasts.now().filter((told) => told.id !== id));
}

export const useToasts = toasts.use;
export const useAnnouncements = announcements.use;

function show(told: Omit<ToastContent, 'id'>): void {
  count += 1;
  toasts.set([...toasts.now(), { id: count, ...told }].slice(-most));
}
