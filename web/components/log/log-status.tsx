import { useMemo } from 'react';
import { Button } from '../forms/button.tsx';
import { Status } from '../status.tsx';
import { type LogState, mostRows } from './store/log-store.ts';
import { linesText } from './words.ts';

interface StatusProps {
  state: LogState;
  following: boolean;
  ended: string;
  /** The line of a link is not among those that were read. */
  isLost: boolean;
  /** Every line of it is kept. */
  numbered: boolean;
  onEarlier: () => void;
}

/** Beneath a log: how it is read. What changes with each line is not announced. */
export function LogStatus({ state, following, ended, isLost, numbered, onEarlier }: StatusProps) {
  const { rows, isFirst, isReadingEarlier, dropped, hasRuns } = state;
  const count = useMemo(() => rows.reduce((sum, { kind }) => (kind === 'line' ? sum + 1 : sum), 0), [rows]);
  const hasLines = count > 0;
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1 text-soft text-sm">
      <div role="status" className="min-w-0 flex-1">
        <State state={state} following={following} ended={ended} />
        {isLost && (
          <span className="block">
            {numbered ? 'The log has no line of this number.' : 'The linked line is no longer kept on the machine.'}
          </span>
        )}
      </div>
      {hasLines && !hasRuns && !numbered && (
        <span>No borders between runs: the agent has noted none. It notes those that start after its update.</span>
      )}
      <span className="tabular-nums">
        {linesText(count)}
        {isFirst && (numbered ? ', from the first one on' : ', all that the machine keeps')}
        {dropped > 0 && `; ${linesText(dropped)} in front are not kept in this page`}
      </span>
      {hasLines && !isFirst && (
        <Button small busy={isReadingEarlier} onClick={onEarlier}>
          Show earlier lines
        </Button>
      )}
    </div>
  );
}

function State({ state: { state, why, rows }, following, ended }: Pick<StatusProps, 'state' | 'following' | 'ended'>) {
  if (state === 'ended') {
    return <Status tone="neutral">{why === '' ? ended : why}</Status>;
  }
  if (state === 'interrupted') {
    return (
      <span className="text-pretty">
        <Status tone="attention">Interrupted; reconnecting</Status>
        {why !== '' && <span className="block">{why}</span>}
      </span>
    );
  }
  if (state === 'connecting') return <Status tone="live">Connecting…</Status>;
  if (state === 'held')
    return <Status tone="attention">Paused: {mostRows.toLocaleString('en')} lines are kept here</Status>;
  if (why !== '') return <Status tone="attention">{why}</Status>;
  if (!following) return <Status tone="neutral">Paused</Status>;
  return <Status tone="live">{rows.length === 0 ? 'No lines yet; following' : 'Following'}</Status>;
}
