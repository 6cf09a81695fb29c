import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { backOff } from '../../domain/back-off.ts';
import { announce, tellDone, tellFailure, tellUndoable } from '../components/toasts/told.ts';
import { silence } from '../live/silence.ts';
import { usePlane } from './plane.ts';
import { betweenRequests, isPassing, problemOf, type ShownProblem } from './problem.ts';
import { type Shown, showMeanwhile } from './shown-meanwhile.ts';

export interface ChangeOptions<Input, Output> {
  /** Title of a failure, such as "The team could not be renamed". The problem's own sentence follows it. */
  failed: string;
  /** Announced to screen readers, such as "Team deleted". */
  succeeded: string | ((output: Output, input: Input) => string);
  /** The page does not show the result, so a toast does. */
  elsewhere?: true | undefined;
  done?: (output: Output, input: Input) => void;
  /** The input that takes the change back, for a change that happens at once and offers Undo in place of a question. */
  undo?: ((input: Input) => Input) | undefined;
  /**
   * Optimistic updates: queries and their new data until the answer comes. A failure restores what was answered. */
  meanwhile?: (input: Input) => Shown[];
  /** Queries to refetch afterwards, besides those that the event stream names. Keys may be prefixes. */
  touches?: (input: Input) => readonly QueryKey[];
  /** The answer carries a secret that a retry would not return again, so the request is not retried. */
  secret?: true | undefined;
  /** The caller shows the failure itself, as forms do, so no toast appears. */
  quiet?: true;
  /** A value that somebody else set meanwhile, in words: the failure then says who set it, to what and when. */
  wordOf?: (theirs: unknown) => string;
}

export interface Change<Input> {
  /** Sends it, unless it is being sent already. */
  send(input: Input): void;
  sending: boolean;
  problem: ShownProblem | undefined;
  /** Forgets the problem. */
  reset(): void;
}

interface Sending<Input> {
  input: Input;
  once: string;
  /** How to take it back. */
  back?: { input: Input };
  /** This change takes another one back. */
  undoes?: true;
}

/** Context of a request besides its input. */
export interface Sent {
  context: { once: string };
}

/**
 * One change, sent once: a second click does nothing while the first is on its way, and a request whose answer was lost is
 * repeated under the same key, by which the control plane knows it.
 *
 *     const rename = useChange((input: { id: string; name: string }, sent) =>
 *       client.teams.rename.mutate({ path: { id: input.id }, body: { name: input.name } }, sent),
 *       { failed: 'The team could not be renamed', succeeded: ({ name }) => `The team is now called ${name}` });
 */
export function useChange<Input, Output>(
  work: (input: Input, sent: Sent) => Promise<Output>,
  options: ChangeOptions<Input, Output>,
): Change<Input> {
  const { queryClient } = usePlane();
  const underWay = useRef(false);
  /** Ends what is told of a late answer, all attempts together. */
  const settled = useRef<() => void>(undefined);
  // The same input sent again after a lost answer reuses its key, so that it takes effect once.
  const unanswered = useRef<{ text: string; once: string }>(undefined);
  const mutation = useMutation({
    mutationFn: ({ input, once }: Sending<Input>) => work(input, { context: { once } }),
    retry: (failures, error) => options.secret === undefined && isPassing(error) && failures < 6,
    retryDelay: (failures, error) =>
      Math.max(backOff(failures + 1, betweenRequests), (problemOf(error).againAfter ?? 0) * 1_000),
    // A secret is dropped from the mutation cache as soon as it is no longer displayed.
    ...(options.secret === undefined ? {} : { gcTime: 0 }),
    onMutate: ({ input }) => ({ end: showMeanwhile(queryClient, options.meanwhile?.(input) ?? []) }),
    onError: (error, { input, once, undoes }) => {
      if (isPassing(error)) unanswered.current = { text: JSON.stringify(input) ?? '', once };
      // The form that would show why is closed by the time somebody presses Undo.
      if (options.quiet === undefined || undoes) tellFailure(options.failed, inWords(problemOf(error), options.wordOf));
    },
    onSuccess: (output, { input, back, undoes }) => {
      const text = typeof options.succeeded === 'string' ? options.succeeded : options.succeeded(output, input);
      if (undoes) return announce(`Undone: ${text}`);
      if (back !== undefined) tellUndoable(text, () => start({ ...back, once: crypto.randomUUID(), undoes: true }));
      else if (options.elsewhere === undefined) announce(text);
      else tellDone(text);
      if (options.secret === undefined) options.done?.(output, input);
    },
    onSettled: (_, error, { input }, context) => {
      context?.end(error === null);
      underWay.current = false;
      settled.current?.();
      for (const queryKey of options.touches?.(input) ?? []) void queryClient.invalidateQueries({ queryKey });
      for (const { queryKey } of options.meanwhile?.(input) ?? []) void queryClient.invalidateQueries({ queryKey });
    },
  });
  // One object per failure, so that forms can detect a new answer.
  const { error } = mutation;
  const start = (sending: Sending<Input>) => {
    settled.current = silence.expect('change');
    mutation.mutate(
      sending,
      // This callback is not called after an unmount, so a secret is never delivered to another component.
      options.secret === undefined ? {} : { onSuccess: (output) => options.done?.(output, sending.input) },
    );
  };
  const problem = useMemo(() => (error === null ? undefined : problemOf(error)), [error]);
  return {
    send: (input) => {
      if (underWay.current) return;
      underWay.current = true;
      const before = unanswered.current;
      unanswered.current = undefined;
      const same = before !== undefined && before.text === (JSON.stringify(input) ?? '');
      start({
        input,
        once: same ? before.once : crypto.randomUUID(),
        // Asked before the change is shown, while what it replaces is still known.
        ...(options.undo === undefined ? {} : { back: { input: options.undo(input) } }),
      });
    },
    sending: mutation.isPending,
    problem,
    reset: mutation.reset,
  };
}

/** A sentence about the change of somebody else, with its value as the page shows it. */
function inWords(problem: ShownProblem, wordOf: ((theirs: unknown) => string) | undefined): ShownProblem {
  if (wordOf === undefined || problem.meanwhile === undefined) return problem;
  const told = problem.meanwhile.map(({ value, by = 'Somebody', at }) => {
    const when = at === undefined ? '' : ` at ${at}`;
    return `${by} changed it to ${wordOf(value)}${when}, which was not shown here yet. Look again, then change it.`;
  });
  return { ...problem, detail: told.join(' ') };
}
